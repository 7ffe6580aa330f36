package expvarretry_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/internal/ending"
	"example.com/backoff/retry"
	"example.com/backoff/retry/expvarretry"
	"example.com/backoff/retry/internal/tally/tallytest"
)

// counts is the JSON of a map.
type counts struct {
	Attempts map[string]int `json:"attempts"`
	Calls    map[string]int `json:"calls"`
	Delays   int            `json:"delays"`
	DelayNS  time.Duration  `json:"delay_ns"`
	Tokens   float64        `json:"tokens"`
}

func read(t *testing.T, m *expvar.Map) counts {
	t.Helper()
	var c counts
	if err := json.Unmarshal([]byte(m.String()), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// add counts a call as it should be counted.
func (c *counts) add(call tallytest.Call) {
	for _, result := range call.Attempts {
		c.Attempts[result]++
	}
	if call.Result != "" {
		c.Calls[call.Result]++
	}
	for _, d := range call.Delays {
		c.Delays++
		c.DelayNS += d
	}
}

// Every result is counted, and the sum of the delays is exact. A second option for the
// same map goes on counting.
func TestObserve(t *testing.T) {
	m := new(expvar.Map)
	want := counts{Attempts: map[string]int{}, Calls: map[string]int{}}
	for _, call := range tallytest.Calls() {
		want.add(call)
		synctest.Test(t, func(t *testing.T) {
			call.Run(t.Context(), expvarretry.Observe(m))
		})
		if diff := cmp.Diff(want, read(t, m)); diff != "" {
			t.Fatalf("after %s (-want +got):\n%s", call.Name, diff)
		}
	}
}

// The counts in the package comment can come about: calls end with the results of their
// last attempts, and a delay follows each retry.
func TestPackageComment(t *testing.T) {
	source, err := os.ReadFile("expvarretry.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(source), `"payments.retry": `)
	text, _, _ = strings.Cut(text, "//\t}\n")
	var got counts
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "//", "")+"}"), &got); err != nil {
		t.Fatal(err)
	}
	want := got
	want.Calls = maps.Clone(got.Attempts)
	delete(want.Calls, "retry")
	want.Delays = got.Attempts["retry"]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A map shows nothing but zeros before the first call.
func TestObserveNothing(t *testing.T) {
	m := new(expvar.Map)
	expvarretry.Observe(m)
	want := `{"attempts": {}, "calls": {}, "delay_ns": 0, "delays": 0}`
	if got := m.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The errors make no variables.
func TestBounded(t *testing.T) {
	m := new(expvar.Map)
	counted := expvarretry.Observe(m)
	for i := range 10_000 {
		op := func(context.Context) error { return errors.New(fmt.Sprint("request ", i)) }
		_ = retry.Do(t.Context(), backoff.Take(backoff.Constant(0), 1), op, counted)
	}
	want := counts{Attempts: map[string]int{"retry": 10_000, "exhausted": 10_000}, Calls: map[string]int{"exhausted": 10_000}, Delays: 10_000}
	if diff := cmp.Diff(want, read(t, m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Goroutines that share an option lose no count.
func TestConcurrent(t *testing.T) {
	const workers, rounds = 8, 500
	m := new(expvar.Map)
	counted := expvarretry.Observe(m)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range rounds {
				_ = retry.Do(t.Context(), backoff.Take(backoff.Constant(0), 2), func(context.Context) error { return tallytest.Err }, counted)
			}
		})
	}
	wg.Wait()
	const calls = workers * rounds
	want := counts{Attempts: map[string]int{"retry": 2 * calls, "exhausted": calls}, Calls: map[string]int{"exhausted": calls}, Delays: 2 * calls}
	if diff := cmp.Diff(want, read(t, m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Tokens shows the tokens of the moment.
func TestTokens(t *testing.T) {
	budget := retry.NewBudget(10, 0.5)
	m := new(expvar.Map)
	m.Set("tokens", expvarretry.Tokens(budget))
	for _, step := range []struct {
		do   func()
		want float64
	}{{func() {}, 10}, {func() { budget.Failed() }, 9}, {budget.Succeeded, 9.5}} {
		step.do()
		if got := read(t, m).Tokens; got != step.want {
			t.Errorf("%v tokens, want %v", got, step.want)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, row := range []struct {
		want string
		f    func()
	}{
		{"expvarretry: Observe: m is nil, want a map", func() { expvarretry.Observe(nil) }},
		{"expvarretry: Tokens: b is nil, want a budget", func() { expvarretry.Tokens(nil) }},
	} {
		if got := ending.Of(row.f); got != "panic: "+row.want {
			t.Errorf("it ends with %q, want a panic: %s", got, row.want)
		}
	}
}

// The cost of an attempt and of a call.
func BenchmarkObserve(b *testing.B) {
	counted := expvarretry.Observe(new(expvar.Map))
	for _, bench := range []struct {
		name string
		opts []retry.Option
	}{
		{"without", nil},
		{"no-op", []retry.Option{retry.Observe(func(context.Context, retry.Attempt) (context.Context, func(retry.Outcome)) { return nil, nil })}},
		{"with", []retry.Option{counted}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = retry.Do(b.Context(), backoff.Constant(0), func(context.Context) error { return nil }, bench.opts...)
			}
		})
	}
}
