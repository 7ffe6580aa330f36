package expr_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
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

// Two clients with one expression, each with a seed of its own.
func ExampleExpr_Seeded() {
	e, _ := expr.Parse("full-jitter(100ms, 10s) | take(3)")
	var newSchedule func(seed uint64) iter.Seq[time.Duration] = e.Seeded // the argument of plan.Of
	for _, seed := range []uint64{1, 2, 1} {
		fmt.Println(seed, slices.Collect(newSchedule(seed)))
	}
	// Output:
	// 1 [59.826095ms 17.822355ms 286.142578ms]
	// 2 [68.155614ms 168.800738ms 159.223129ms]
	// 1 [59.826095ms 17.822355ms 286.142578ms]
}

// The Go of an expression, to paste into a program. With a seed it makes the schedule that
// Seeded returns.
func ExampleExpr_Go() {
	e, _ := expr.Parse("full-jitter(100ms, 10s) | spread(0.1) | take(8)")
	fmt.Println(e.Go())
	fmt.Println(e.Go("backoff.WithSeed(seed)"))
	// Output:
	// backoff.Take(backoff.Spread(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 0.1), 8)
	// backoff.Take(backoff.Spread(backoff.FullJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed)), 0.1, backoff.WithSeed(seed), backoff.WithStream(1)), 8)
}

// A field that may be missing.
func ExampleExpr_IsZero() {
	var config struct {
		Delays expr.Expr `json:"delays,omitzero"`
	}
	if err := json.Unmarshal([]byte(`{}`), &config); err != nil {
		fmt.Println(err)
	}
	if config.Delays.IsZero() {
		_ = config.Delays.Set("full-jitter(100ms, 10s) | take(8)") // the default
	}
	fmt.Println(config.Delays)
	// Output: full-jitter(100ms, 10s) | take(8)
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

// A flag with a default.
func ExampleExpr_Set() {
	delays, _ := expr.Parse("full-jitter(100ms, 10s) | take(8)")
	flags := flag.NewFlagSet("fetch", flag.ContinueOnError)
	flags.Var(delays, "delays", "wait between attempts by this `schedule`")
	if err := flags.Parse([]string{"-delays", "list(100ms,1s)"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(delays)
	// Output: list(100ms, 1s)
}

// A variable of the environment, with a default.
func Example_environment() {
	os.Setenv("FETCH_DELAYS", "constant(1s) | take 8") // in the shell
	defer os.Unsetenv("FETCH_DELAYS")

	delays, _ := expr.Parse("full-jitter(100ms, 10s) | take(8)")
	if text, ok := os.LookupEnv("FETCH_DELAYS"); ok {
		if err := delays.Set(text); err != nil {
			fmt.Println("FETCH_DELAYS:", err)
		}
	}
	fmt.Println(delays)
	// Output:
	// FETCH_DELAYS: column 21: unexpected "8", did you mean take(8)?
	// full-jitter(100ms, 10s) | take(8)
}

// A field of a JSON file, with a default. It is a string there.
func Example_json() {
	type config struct {
		URL    string    `json:"url"`
		Delays expr.Expr `json:"delays,omitzero"`
	}
	for _, file := range []string{
		`{"url": "https://example.com/", "delays": "exponential(1s, 3) | within(1m)"}`,
		`{"url": "https://example.com/"}`,
		`{"url": "https://example.com/", "delays": "exponential(1s; 3)"}`,
	} {
		fallback, _ := expr.Parse("full-jitter(100ms, 10s) | take(8)")
		c := config{Delays: *fallback}
		if err := json.Unmarshal([]byte(file), &c); err != nil {
			if _, ok := errors.AsType[*expr.Error](err); ok {
				err = fmt.Errorf("delays: %w", err) // encoding/json does not name the field
			}
			fmt.Println(err)
			continue
		}
		fmt.Println(c.Delays)
	}
	// Output:
	// exponential(1s, 3) | within(1m)
	// full-jitter(100ms, 10s) | take(8)
	// delays: column 15: unexpected ";", want ,
}

// A field of a YAML file. Packages such as go.yaml.in/yaml/v3 pass the scalar to
// UnmarshalText, whatever its style:
//
//	url: https://example.com/
//	delays: exponential(1s, 3) | within(1m)
func Example_yaml() {
	var config struct {
		URL    string    `yaml:"url"`
		Delays expr.Expr `yaml:"delays,omitempty"`
	}
	// yaml.Unmarshal(file, &config) calls this:
	err := config.Delays.UnmarshalText([]byte("exponential(1s, 3) | within(1m)"))
	fmt.Println(slices.Collect(config.Delays.Schedule()), err)
	// Output: [1s 3s 9s 27s] <nil>
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
