package retry

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/backoff"
)

// byHand is the loop that Do replaces, written by hand with care: it checks the context,
// gives up before a delay that would pass the deadline, keeps the elapsed time, and stops
// its timer.
func byHand(ctx context.Context, delays func(func(time.Duration) bool), op func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	start := time.Now()
	attempts := 1
	err := op(ctx)
	if err == nil {
		return nil
	}
	for d := range delays {
		if ctx.Err() != nil {
			break
		}
		if deadline, ok := ctx.Deadline(); ok && d >= time.Until(deadline) {
			err = fmt.Errorf("%d attempts in %v, and no time for another: %w", attempts, time.Since(start), err)
			return err
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%d attempts in %v: %w", attempts, time.Since(start), err)
		}
		attempts++
		if err = op(ctx); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%d attempts in %v: %w", attempts, time.Since(start), err)
}

// failingAgain returns an operation that fails n times and then succeeds, again and
// again.
func failingAgain(n int) func(context.Context) error {
	err := errors.New("again")
	left := n
	return func(context.Context) error {
		if left == 0 {
			left = n
			return nil
		}
		left--
		return err
	}
}

// BenchmarkRunners times the same calls by Do, by a Loop and by a loop written by hand. It
// reports the time of Do, and how many times as long as the loop by hand Do and a Loop
// take. It also reports what an observer that does nothing adds to an attempt, where no
// delay needs a timer. All take turns within one run, because machines drift. The
// shortest time of each counts, because machines are shared.
func BenchmarkRunners(b *testing.B) {
	const calls = 200
	watch := Observe(func(ctx context.Context, _ Attempt) (context.Context, func(Outcome)) { return ctx, nothing })
	for _, failures := range []int{0, 3} {
		for _, limit := range []string{"cancel", "deadline"} {
			b.Run(fmt.Sprintf("failures=%d/%s", failures, limit), func(b *testing.B) {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				if limit == "deadline" {
					ctx, cancel = context.WithTimeout(ctx, time.Hour)
					defer cancel()
				}
				delays := backoff.Take(backoff.Constant(1), 8) // 1 ns, so that a timer is needed
				atOnce := backoff.Take(backoff.Constant(0), 8)
				op := failingAgain(failures)
				loop := func() error {
					l := NewLoop(ctx, delays)
					for range l.Attempts() {
						l.Fail(op(l.Context()))
					}
					return l.Err()
				}
				runs := []func() error{
					func() error { return Do(ctx, delays, op) },
					loop,
					func() error { return byHand(ctx, delays, op) },
					func() error { return Do(ctx, atOnce, op) },
					func() error { return Do(ctx, atOnce, op, watch) },
				}
				least := make([]time.Duration, len(runs))
				for b.Loop() {
					for i, run := range runs {
						start := time.Now()
						for range calls {
							if err := run(); err != nil {
								b.Fatal(err)
							}
						}
						if took := time.Since(start); least[i] == 0 || took < least[i] {
							least[i] = took
						}
					}
				}
				b.ReportMetric(0, "ns/op") // of all, which says nothing
				b.ReportMetric(float64(least[0])/calls, "Do-ns/call")
				b.ReportMetric(float64(least[0])/float64(least[2]), "Do/hand")
				b.ReportMetric(float64(least[1])/float64(least[2]), "Loop/hand")
				b.ReportMetric(float64(least[4]-least[3])/calls/float64(failures+1), "Observe-ns/attempt")
			})
		}
	}
}

func nothing(Outcome) {}
