package retry

import (
	"context"
	"testing"
	"time"

	"example.com/backoff"
)

// The cost of a failure and a success for a budget, with one goroutine and with one for
// each processor. "full" is the common case, successes alone.
func BenchmarkBudget(b *testing.B) {
	failAndSucceed := func(budget *Budget) {
		budget.Failed()
		budget.Succeeded()
	}
	for _, bench := range []struct {
		name string
		op   func(*Budget)
	}{{"fail+succeed", failAndSucceed}, {"full", (*Budget).Succeeded}} {
		b.Run(bench.name+"/alone", func(b *testing.B) {
			budget := NewBudget(100, 1)
			for b.Loop() {
				bench.op(budget)
			}
		})
		b.Run(bench.name+"/own", func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				budget := NewBudget(100, 1)
				for pb.Next() {
					bench.op(budget)
				}
			})
		})
		b.Run(bench.name+"/shared", func(b *testing.B) {
			budget := NewBudget(100, 1)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					bench.op(budget)
				}
			})
		})
	}
}

func BenchmarkDo(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	atOnce := backoff.Constant(0)
	full := backoff.Map(backoff.FullJitter(100*time.Millisecond, 10*time.Second), func(time.Duration) time.Duration { return 0 })
	for _, bench := range []struct {
		name   string
		delays func(func(time.Duration) bool)
		op     func(context.Context) error
		opts   []Option
	}{
		{"success", atOnce, failingAgain(0), nil},
		{"success/budget", atOnce, failingAgain(0), []Option{WithBudget(NewBudget(100, 1))}},
		{"success/AttemptTimeout", atOnce, failingAgain(0), []Option{AttemptTimeout(time.Minute)}},
		{"retries=1", atOnce, failingAgain(1), nil},
		{"retries=8", atOnce, failingAgain(8), nil},
		{"retries=8/FullJitter", full, failingAgain(8), nil},
		{"retries=8/limits", atOnce, failingAgain(8), []Option{MaxElapsed(time.Hour), MaxAfter(time.Hour), ResetAfter(time.Hour), WithBudget(NewBudget(1e9, 1e9))}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Do(ctx, bench.delays, bench.op, bench.opts...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Loop/retries=8", func(b *testing.B) {
		b.ReportAllocs()
		op := failingAgain(8)
		for b.Loop() {
			loop := NewLoop(ctx, atOnce)
			for range loop.Attempts() {
				loop.Fail(op(loop.Context()))
			}
			if err := loop.Err(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
