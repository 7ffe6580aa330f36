package backoff_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"github.com/google/go-cmp/cmp"
)

// The loops of the documentation. TestLoops runs them, and TestDocumentedLoops compares
// the comments of the package with their source.

func loopAttempts(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	var err error
	for range backoff.Attempts(ctx, delays) {
		if err = send(ctx); err == nil {
			break
		}
	}
	return err
}

func loopByHand(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := send(ctx)
	for d := range delays {
		if err == nil || backoff.Sleep(ctx, d) != nil {
			break
		}
		err = send(ctx)
	}
	return err
}

// The other channels of the loops with a select statement.
var (
	stop       chan struct{}
	errStopped = errors.New("stopped")
	messages   chan string
	handle     func(message string)
)

func loopSelect(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := send(ctx)
	for d := range delays {
		if err == nil {
			break
		}
		select {
		case <-time.After(d):
			err = send(ctx)
		case <-stop:
			return errors.Join(errStopped, err)
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
	return err
}

func loopChan(ctx context.Context, seq iter.Seq[time.Duration], send func(context.Context) error) error {
	delays := backoff.Chan(ctx, seq)
	timer := time.NewTimer(0) // attempt 1 at once
	defer timer.Stop()
	var err error
	for {
		select {
		case <-timer.C:
			if err = send(ctx); err == nil {
				return nil
			}
			d, ok := <-delays
			if !ok {
				return err // the schedule has ended, or ctx is done
			}
			timer.Reset(d)
		case m := <-messages:
			handle(m)
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

func loopDo(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	err := retry.Do(ctx, delays, send)
	return err
}

func loopRetry(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
	loop := retry.NewLoop(ctx, delays)
	for range loop.Attempts() {
		loop.Fail(send(loop.Context()))
	}
	return loop.Err()
}

// A schedule of n delays makes n+1 attempts and n waits, whatever the loop: none waits
// after its last attempt. They differ where the context ends.
func TestLoops(t *testing.T) {
	const (
		takes = 100 * ms // an attempt
		never = 0
	)
	unavailable := errors.New("unavailable")
	loops := []struct {
		name  string
		loop  func(context.Context, iter.Seq[time.Duration], func(context.Context) error) error
		first bool // it makes attempt 1 in a context that is done
		early bool // it begins no delay that would reach the deadline
	}{
		{"Attempts", loopAttempts, true, true},
		{"by hand", loopByHand, true, false},
		{"select", loopSelect, true, false},
		{"Chan", loopChan, false, false},
		{"retry.Do", loopDo, false, true},
		{"retry.Loop", loopRetry, false, true},
	}
	tests := []struct {
		name     string
		seq      iter.Seq[time.Duration]
		success  int           // the attempt that succeeds
		cancel   time.Duration // when the context is cancelled; 0: it is not, below 0: before
		deadline time.Duration // of the context; 0: none
		attempts int
		waited   time.Duration // the sum of the delays waited for
		late     time.Duration // the same, of a loop that waits until the deadline
	}{
		{"empty, never", list(), never, 0, 0, 1, 0, 0},
		{"empty, at once", list(), 1, 0, 0, 1, 0, 0},
		{"3 delays, never", list(s, 2*s, 4*s), never, 0, 0, 4, 7 * s, 7 * s},
		{"3 delays, at once", list(s, 2*s, 4*s), 1, 0, 0, 1, 0, 0},
		{"3 delays, at attempt 2", list(s, 2*s, 4*s), 2, 0, 0, 2, s, s},
		{"3 delays, at attempt 4", list(s, 2*s, 4*s), 4, 0, 0, 4, 7 * s, 7 * s},
		{"endless, at once", backoff.Exponential(s, 2), 1, 0, 0, 1, 0, 0},
		{"endless, at attempt 3", backoff.Exponential(s, 2), 3, 0, 0, 3, 3 * s, 3 * s},

		// Attempts at 0, 1.1 s and 3.2 s: delay 1 lasts from 1.2 s to 3.2 s.
		{"cancelled before", backoff.Exponential(s, 2), never, -1, 0, 1, 0, 0},
		{"cancelled during attempt 1", backoff.Exponential(s, 2), never, 50 * ms, 0, 1, 0, 0},
		{"cancelled during a delay", backoff.Exponential(s, 2), never, 2 * s, 0, 2, 1800 * ms, 1800 * ms},
		{"cancelled during attempt 3", backoff.Exponential(s, 2), never, 3250 * ms, 0, 3, 3 * s, 3 * s},
		{"cancelled during the last attempt", list(s, 2*s), never, 3250 * ms, 0, 3, 3 * s, 3 * s},
		{"cancelled too late", list(s, 2*s), never, m, 0, 3, 3 * s, 3 * s},
		{"deadline during a delay", backoff.Exponential(s, 2), never, 0, 2 * s, 2, s, 1800 * ms},
		{"deadline during attempt 3", backoff.Exponential(s, 2), never, 0, 3250 * ms, 3, 3 * s, 3 * s},
		{"deadline too late", list(s, 2*s), never, 0, m, 3, 3 * s, 3 * s},
		{"success before the deadline", backoff.Exponential(s, 2), 2, 0, 2 * s, 2, s, s},
	}
	for _, loop := range loops {
		for _, test := range tests {
			if loop.name == "Chan" && test.cancel < 0 {
				continue // its select statement chooses between attempt 1 and the end at random
			}
			t.Run(loop.name+", "+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					switch {
					case test.cancel < 0:
						cancel()
					case test.cancel > 0:
						defer time.AfterFunc(test.cancel, cancel).Stop()
					case test.deadline > 0:
						ctx, cancel = context.WithTimeout(ctx, test.deadline)
						defer cancel()
					}
					wantAttempts, wantWaited := test.attempts, test.waited
					if test.cancel < 0 && !loop.first {
						wantAttempts = 0
					}
					if !loop.early {
						wantWaited = test.late
					}

					start, attempts := time.Now(), 0
					err := loop.loop(ctx, test.seq, func(context.Context) error {
						attempts++
						time.Sleep(takes)
						if attempts == test.success {
							return nil
						}
						return unavailable
					})
					if attempts != wantAttempts {
						t.Errorf("%d attempts, want %d", attempts, wantAttempts)
					}
					if waited := time.Since(start) - time.Duration(attempts)*takes; waited != wantWaited {
						t.Errorf("waited for %v, want %v", waited, wantWaited)
					}
					switch {
					case test.success != never:
						if err != nil {
							t.Errorf("error %v, want nil", err)
						}
					case wantAttempts > 0 && !errors.Is(err, unavailable):
						t.Errorf("error %v, want that of the last attempt", err)
					case err == nil:
						t.Error("no error, want why there was no attempt")
					}
				})
			})
		}
	}
}

// The loops in the comments of the package are those that TestLoops runs.
func TestDocumentedLoops(t *testing.T) {
	_, files := sources(t)
	var shown []string
	for _, file := range files {
		for _, comment := range file.Comments {
			for _, block := range blocks(comment.Text()) {
				if strings.Contains(block, "send(") || strings.Contains(block, "send)") {
					shown = append(shown, block)
				}
			}
		}
	}
	slices.Sort(shown)
	var want []string
	for _, name := range []string{"loopAttempts", "loopAttempts", "loopByHand", "loopChan", "loopDo", "loopSelect"} {
		want = append(want, body(t, name))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("loops in comments (-want +got):\n%s", diff)
	}
}

// blocks returns the code blocks of a comment: its indented lines.
func blocks(comment string) (all []string) {
	open := false
	for line := range strings.Lines(comment) {
		code := strings.HasPrefix(line, "\t")
		switch {
		case code && open:
			all[len(all)-1] += line
		case code:
			all = append(all, line)
		}
		open = code
	}
	return all
}

// body returns the source of the body of a function in this file, without the return
// that ends a longer one.
func body(t *testing.T, name string) string {
	text := string(read(t, "loop_test.go"))
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "loop_test.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := function(file, name).(*ast.FuncDecl).Body
	lines := text[fset.Position(b.Lbrace).Offset+2 : fset.Position(b.Rbrace).Offset]
	return strings.TrimSuffix(lines, "\treturn err\n")
}
