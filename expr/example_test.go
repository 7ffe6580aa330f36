package expr_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"slices"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
)

func ExampleParse() {
	e, err := expr.Parse("exponential(100ms, 2) | cap(1s) | take(6)")
	if err != nil {
		fmt.Println(err)
		return
	}
	for d := range e.Schedule() {
		fmt.Println(d)
	}
	// Output:
	// 100ms
	// 200ms
	// 400ms
	// 800ms
	// 1s
	// 1s
}

func ExampleError() {
	_, err := expr.Parse("constant(1s)| capp(3s)")
	fmt.Println(err)
	_, err = expr.Parse("exponential(100ms, 2) | cap(3)")
	fmt.Println(err)
	// Output:
	// column 15: unknown stage "capp", did you mean cap?
	// column 29: cap: limit is 3, want a duration such as 3s or none
}

func ExampleExpr_Schedule() {
	e, _ := expr.Parse("full-jitter(100ms, 10s) | take(4)")
	seed := backoff.WithSeed(42)
	fmt.Println(slices.Collect(e.Schedule(seed)))
	fmt.Println(slices.Collect(backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second, seed), 4)))
	// Output:
	// [85.754558ms 192.143026ms 54.517484ms 70.80698ms]
	// [85.754558ms 192.143026ms 54.517484ms 70.80698ms]
}

// Two clients of one expression, each with a seed of its own.
func ExampleExpr_Seeded() {
	e, _ := expr.Parse("full-jitter(100ms, 10s) | take(3)")
	var newSchedule func(seed uint64) iter.Seq[time.Duration] = e.Seeded // what plan.Of takes
	for _, seed := range []uint64{1, 2, 1} {
		fmt.Println(seed, slices.Collect(newSchedule(seed)))
	}
	// Output:
	// 1 [59.826095ms 17.822355ms 286.142578ms]
	// 2 [68.155614ms 168.800738ms 159.223129ms]
	// 1 [59.826095ms 17.822355ms 286.142578ms]
}

func ExampleExpr_Random() {
	for _, text := range []string{"fibonacci(1s) | cap(1m)", "fibonacci(1s) | cap(1m) | jitter(1)"} {
		e, _ := expr.Parse(text)
		fmt.Println(e.Random())
	}
	// Output:
	// false
	// true
}

func ExampleExpr_String() {
	e, _ := expr.Parse("linear(1s,60s)|max(list(0,1.50s))")
	fmt.Println(e)
	// Output: linear(1s, 1m) | max(list(0s, 1.5s))
}

// A *Expr is a flag.
func ExampleExpr_Set() {
	var delays expr.Expr
	flags := flag.NewFlagSet("fetch", flag.ContinueOnError)
	flags.Var(&delays, "delays", "wait between attempts by this `schedule`")
	if err := flags.Parse([]string{"-delays", "list(100ms,1s)"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(delays)
	// Output: list(100ms, 1s)
}

func ExampleExpr_MarshalText() {
	e, _ := expr.Parse("fibonacci(100ms) | take(5)")
	text, _ := json.Marshal(map[string]any{"delays": e})
	fmt.Println(string(text))
	// Output: {"delays":"fibonacci(100ms) | take(5)"}
}

func ExampleExpr_UnmarshalText() {
	var config struct{ Delays expr.Expr }
	err := json.Unmarshal([]byte(`{"delays": "exponential(1s, 3) | within(1m)"}`), &config)
	fmt.Println(slices.Collect(config.Delays.Schedule()), err)
	// Output: [1s 3s 9s 27s] <nil>
}

func ExampleStages() {
	for _, s := range expr.Stages() {
		if s.Random && !s.Starts {
			fmt.Printf("%-18s %s\n", s.Usage(), s.Formula)
		}
	}
	// Output:
	// jitter(fraction)   U[(1−fraction)·d, d]
	// spread(fraction)   U[(1−fraction)·d, (1+fraction)·d]
}

func ExampleStage_Usage() {
	for _, s := range expr.Stages() {
		if s.Name == "top-jitter" || s.Name == "list" {
			fmt.Println(s.Usage())
		}
	}
	// Output:
	// top-jitter(base, limit, fraction)
	// list(delay, ...)
}

func ExampleFormatDuration() {
	fmt.Println(expr.FormatDuration(90 * time.Minute))
	fmt.Println(expr.FormatDuration(1500 * time.Microsecond))
	// Output:
	// 1h30m
	// 1.5ms
}
