package overload_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/sim/overload"
)

// exponential is the article's advice.
func exponential(seed uint64) iter.Seq[time.Duration] {
	return backoff.NormalJitter(100*time.Millisecond, 5*time.Minute, math.E, 0.1, backoff.WithSeed(seed))
}

// Exponential backoff after a stop of 20 s, with today's accept queue and with that of 2014.
func ExampleRun() {
	for _, queue := range []int{4096, 128} {
		config := overload.Default()
		config.Schedule = exponential
		config.Queue = queue
		result, err := overload.Run(context.Background(), config)
		if err != nil {
			fmt.Println(err)
			return
		}
		verdict := result.Reps[0].Verdict
		fmt.Printf("queue %d: %v, max %d open requests\n", queue, verdict, verdict.PeakOpen)
	}
	// Output:
	// queue 4096: collapsed, max 7892 open requests
	// queue 128: recovered after 0s, max 602 open requests
}

// Four remedies for a server that keeps abandoned requests and has a queue of 4096.
func ExampleRun_whatHelps() {
	run := func(name string, change func(*overload.Config)) {
		config := overload.Default()
		config.Schedule = exponential
		config.Trigger.For = 8 * time.Second
		change(&config)
		result, err := overload.Run(context.Background(), config)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-22s %v\n", name, result.Reps[0].Verdict)
	}
	run("exponential backoff", func(*overload.Config) {})
	run("cancelled requests", func(c *overload.Config) {
		c.Abandoned = overload.Cancel
	})
	run("a budget", func(c *overload.Config) {
		c.Budget = func() overload.Budget { return retry.NewBudget(100, 0.1) }
	})
	run("a longer first delay", func(c *overload.Config) {
		c.Schedule = func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Jitter(backoff.Constant(20*time.Second), 0.5, backoff.WithSeed(seed))
		}
	})
	// Output:
	// exponential backoff    collapsed
	// cancelled requests     recovered after 0s
	// a budget               recovered after 1s
	// a longer first delay   recovered after 5s
}

// The seconds of a run around a stop of 3 s. The burst of 428 open requests after the resume
// is over within the second.
func ExampleSecond() {
	config := overload.Default()
	config.Schedule = exponential
	config.Trigger.For = 3 * time.Second
	result, err := overload.Run(context.Background(), config)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("  s  first retries   ok timeouts peak open queued latency")
	for t, s := range result.Reps[0].Seconds[14:22] {
		fmt.Printf("%3d %6d %7d %4d %8d %4d %4d %6d %7v\n",
			t+14, s.First, s.Retries, s.OK, s.Timeouts, s.PeakOpen, s.Open, s.Queued, s.Latency.Round(time.Millisecond))
	}
	// Output:
	// s  first retries   ok timeouts peak open queued latency
	//  14     91       0   95        0   15    8      0   100ms
	//  15     90       0    0        0    8    8     90   100ms
	//  16     82       0    0        8    8    8    172   100ms
	//  17     90      91    0       90    8    8    353   100ms
	//  18     94      46  358       39  428    6      0   100ms
	//  19     89       0   88        0   14    7      0   100ms
	//  20     75       0   77        0   17    5      0   100ms
	//  21    101       0   96        0   16   10      0   100ms
}

// Every request ends in one of three ways.
func ExampleTotal() {
	config := overload.Default()
	config.Schedule = exponential
	config.Trigger.For = 0 // nothing happens
	config.Failures = 0.2
	result, err := overload.Run(context.Background(), config)
	if err != nil {
		fmt.Println(err)
		return
	}
	total := overload.Total(result.Reps[0].Seconds)
	fmt.Println(total.First, "initial requests and", total.Retries, "retries:")
	fmt.Println(total.OK, "ok,", total.Timeouts, "timed out,", total.Refused, "error responses")
	// Output:
	// 10076 initial requests and 2449 retries:
	// 10058 ok, 0 timed out, 2450 error responses
}

// The published server, and one with a capacity of 100 requests a second.
func ExampleLatency() {
	published := overload.Default().Latency
	linear := overload.LinearLatency{Base: time.Second, PerOpen: 10 * time.Millisecond}
	for _, open := range []int{10, 100, 1000, 7793} {
		fmt.Println(open, published.At(open).Round(time.Millisecond), linear.At(open))
	}
	fmt.Printf("capacity %.0f and %.0f a second\n", published.Capacity(), linear.Capacity())
	// Output:
	// 10 100ms 1.1s
	// 100 126ms 2s
	// 1000 2.346s 11s
	// 7793 2562047h47m16.854775807s 1m18.93s
	// capacity 1247 and 100 a second
}

// The published experiment.
func ExampleDefault() {
	config := overload.Default()
	fmt.Println(config.Clients, "clients think for", config.Think, "and wait for", config.Timeout)
	fmt.Println(config.Trigger.Kind, "of", config.Trigger.For, "after", config.Warmup)
	fmt.Println("abandoned requests:", config.Abandoned)
	// Output:
	// 1000 clients think for 10s and wait for 2s
	// stop of 20s after 15s
	// abandoned requests: keep
}

func ExampleVerdict() {
	fmt.Println(overload.Verdict{Recovered: true, After: 2 * time.Second})
	fmt.Println(overload.Verdict{})
	// Output:
	// recovered after 2s
	// collapsed
}

// A server that answers a hundred requests a second was stopped for 2 s and came back
// slowly.
func ExampleJudge() {
	var seconds []overload.Second
	for _, ok := range []int64{100, 100, 100, 0, 0, 20, 60, 100, 100, 100, 100, 100, 100} {
		seconds = append(seconds, overload.Second{OK: ok})
	}
	fmt.Println(overload.Judge(seconds, overload.Config{
		Warmup:  3 * time.Second,
		Trigger: overload.Trigger{For: 2 * time.Second},
		After:   8 * time.Second,
	}))
	// Output:
	// recovered after 2s
}

// A negative queue.
func ExampleError() {
	config := overload.Default()
	config.Schedule = exponential
	config.Queue = -1
	_, err := overload.Run(context.Background(), config)
	fmt.Println(err)
	if bad, ok := errors.AsType[*overload.Error](err); ok {
		fmt.Printf("field %s, got %s, want %s\n", bad.Field, bad.Got, bad.Want)
	}
	// Output:
	// overload: Queue is -1, want 0 to 1000000000
	// field Queue, got -1, want 0 to 1000000000
}
