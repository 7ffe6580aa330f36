package adapt_test

import (
	"errors"
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// A test, or the start of a program, may ask whether an engine keeps a schedule.
func ExampleEngine_Check() {
	seq := backoff.Exponential(100*time.Millisecond, 2)
	fmt.Println(adapt.Temporal.Check(seq, 8))
	fmt.Println(adapt.Temporal.Check(backoff.Floor(seq, time.Second), 8))
	// Output:
	// adapt: Temporal waits at least 1s: 4 of 8 delays are shorter, the first before retry 1 (100ms), want delays >= 1s
	// <nil>
}

// An engine that the table does not have.
func ExampleEngine() {
	cron := adapt.Engine{Name: "cron", Floor: time.Minute, Grain: time.Minute}
	fmt.Println(cron.Check(backoff.Linear(time.Minute, 30*time.Second), 4))
	// Output:
	// adapt: cron counts in steps of 1m0s: 2 of 4 delays are between two steps, the first before retry 2 (1m30s), want multiples of 1m0s
}

func ExampleEngines() {
	for _, e := range adapt.Engines() {
		if e.Number != "" && e.First == 0 {
			fmt.Println(e.Name)
		}
	}
	// Output:
	// River
	// asynq
	// Inngest
	// watermill
	// retryablehttp
	// go-redis
	// failsafe-go
}

func ExampleCheckError() {
	err := adapt.SQS.Check(backoff.Exponential(time.Second, 10), 8)
	if e, ok := errors.AsType[*adapt.CheckError](err); ok {
		fmt.Println(e.Long.Retries, "retries from retry", e.Long.First, "on wait for less than", e.Long.Delay)
	}
	// Output: 3 retries from retry 6 on wait for less than 27h46m40s
}

// A Misfit of a random schedule tells what happens in some of its ranges.
func ExampleMisfit() {
	seq := backoff.FullJitter(2*time.Second, time.Minute)
	err := adapt.Temporal.Check(seq, 4)
	if e, ok := errors.AsType[*adapt.CheckError](err); ok {
		fmt.Println("always:", e.Short.Always)
	}
	// Output: always: false
}
