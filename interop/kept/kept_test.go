package kept

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ms = time.Millisecond

func TestRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recorder
		if got := r.Delays(); len(got) != 0 {
			t.Errorf("delays before the first attempt: %v, want none", got)
		}
		r.Attempt()
		time.Sleep(5 * ms) // the operation itself
		if got := r.Ask(20 * ms); got != 20*ms {
			t.Errorf("Ask(20ms) = %v", got)
		}
		time.Sleep(21 * ms)
		r.Attempt()
		r.Attempt() // the engine delivers a second time
		r.Ask(30 * ms)
		time.Sleep(3 * ms)
		r.Ask(40 * ms) // the later question is the one that counts
		time.Sleep(39 * ms)
		r.Attempt()
		r.Ask(50 * ms) // no attempt follows
		want := []Delay{{Asked: 20 * ms, Kept: 21 * ms}, {Asked: 40 * ms, Kept: 39 * ms}}
		got := r.Delays()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got[0].Late() != ms || got[1].Late() != -ms {
			t.Errorf("late by %v and %v, want 1ms and -1ms", got[0].Late(), got[1].Late())
		}
		got[0].Asked = 0
		if r.Delays()[0].Asked != 20*ms {
			t.Error("Delays returns the recorder's own slice")
		}
	})
}

func TestRecorderIsShared(t *testing.T) {
	var r Recorder
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				r.Ask(ms)
				r.Attempt()
				r.Delays()
			}
		})
	}
	wg.Wait()
	if got := len(r.Delays()); got == 0 || got > 800 {
		t.Errorf("%d delays, want 1 to 800", got)
	}
}

func TestBound(t *testing.T) {
	b := Bound{Early: ms, Late: 2 * ms, Share: 0.01}
	for _, row := range []struct {
		name        string
		delays      []Delay
		early, late string
		excess      time.Duration
	}{
		{"none", nil, "", "", 0},
		{"exact", []Delay{{20 * ms, 20 * ms}}, "", "", 0},
		{"as early as it may be", []Delay{{20 * ms, 19 * ms}}, "", "", 0},
		{"too early", []Delay{{20 * ms, 20 * ms}, {20 * ms, 19*ms - 1}, {20 * ms, 0}}, "delay 1 is 18.999999ms, want 20ms or at most 1ms less", "", 0},
		{"as late as a short one may be", []Delay{{200 * ms, 202 * ms}}, "", "", 0},
		{"a short one too late", []Delay{{200 * ms, 202*ms + 1}}, "", "delay 0 is 202.000001ms, want 200ms or at most 2ms more", 1},
		{"as late as a long one may be", []Delay{{500 * ms, 505 * ms}}, "", "", 0},
		{"a long one too late", []Delay{{500 * ms, 513 * ms}}, "", "delay 0 is 513ms, want 500ms or at most 5ms more", 8 * ms},
		{"both", []Delay{{20 * ms, 30 * ms}, {20 * ms, 10 * ms}, {20 * ms, 90 * ms}}, "delay 1 is 10ms, want 20ms or at most 1ms less", "delay 0 is 30ms, want 20ms or at most 2ms more", 8 * ms},
	} {
		early, late, excess := b.check(row.delays)
		if early != row.early || late != row.late || excess != row.excess {
			t.Errorf("%s: %q, %q, %v, want %q, %q, %v", row.name, early, late, excess, row.early, row.late, row.excess)
		}
	}
}

// A recordedTest is a test that keeps what Judge does to it.
type recordedTest struct {
	testing.TB
	logged          []string
	failed, skipped string
}

func (r *recordedTest) Helper() {}

func (r *recordedTest) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}

func (r *recordedTest) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	panic(r) // as a real one does not return
}

func (r *recordedTest) Fatal(args ...any) {
	r.failed = fmt.Sprint(args...)
	panic(r)
}

func (r *recordedTest) Skip(args ...any) {
	r.skipped = fmt.Sprint(args...)
	panic(r)
}

// judged returns what f does to a test.
func judged(t *testing.T, f func(testing.TB)) (r *recordedTest) {
	t.Helper()
	r = &recordedTest{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
	}()
	f(r)
	return r
}

// A round is what one call of measure finds, and how late the timers of the machine are
// meanwhile.
type round struct {
	kept time.Duration // of a delay of 100 ms
	busy time.Duration
}

func TestJudge(t *testing.T) {
	const (
		late   = "delay 0 is 118ms, want 100ms or at most 2ms more"
		later  = "delay 0 is 126ms, want 100ms or at most 2ms more"
		tooFew = "the machine is too busy to tell"
	)
	quiet, quietLate, quietLater := round{100 * ms, 0}, round{118 * ms, 2 * ms}, round{126 * ms, 0}
	busyLate := round{118 * ms, 2*ms + 1} // 16 ms too late, of which an eighth is 2 ms
	early := round{98 * ms, time.Hour}
	for _, row := range []struct {
		name                      string
		rounds                    []round
		measured                  int
		failed, skipped, loggings string
	}{
		{"kept", []round{quiet}, 1, "", "", ""},
		{"kept on a busy machine", []round{{102 * ms, time.Hour}}, 1, "", "", ""},
		{"too early", []round{early}, 1, "delay 0 is 98ms, want 100ms or at most 1ms less", "", ""},
		{"too early at last", []round{quietLate, busyLate, early}, 3, "delay 0 is 98ms, want 100ms or at most 1ms less", "", "round 1: " + late + "; measured once more|round 2 does not count: " + late + ", but a timer or a call alone was 2.000001ms late"},
		{"too late once", []round{quietLate, quiet}, 2, "", "", "round 1: " + late + "; measured once more"},
		{"too late twice", []round{quietLate, quietLater, quiet}, 3, "", "", "round 1: " + late + "; measured once more|round 2: " + later + "; measured once more"},
		{"too late three times", []round{quietLate, quietLate, quietLater}, 3, later + "; before that, " + late + ", and " + late, "", ""},
		{"too late while it is busy", []round{busyLate, quiet}, 2, "", "", "round 1 does not count: " + late + ", but a timer or a call alone was 2.000001ms late"},
		{"too late three times with a busy round between", []round{quietLate, busyLate, quietLate, quietLater}, 4, later + "; before that, " + late + ", and " + late, "", ""},
		{"too late in the ninth round at last", append(slices.Repeat([]round{busyLate}, 6), quietLate, quietLate, quietLater), 9, later + "; before that, " + late + ", and " + late, "", ""},
		{"always busy", slices.Repeat([]round{busyLate}, 9), 9, "", tooFew, ""},
		{"too late twice and always busy", append([]round{quietLate, quietLate}, slices.Repeat([]round{busyLate}, 7)...), 9, "", tooFew, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			measured, watching := 0, false
			r := judged(t, func(tb testing.TB) {
				judge(tb, []time.Duration{100 * ms}, Exact, 8, func(ctx context.Context) ([]Delay, error) {
					if !watching {
						t.Error("nobody watches the machine while measure runs")
					}
					measured++
					return []Delay{{100 * ms, row.rounds[measured-1].kept}}, nil
				}, func() func() time.Duration {
					watching = true
					return func() time.Duration { watching = false; return row.rounds[measured-1].busy }
				})
			})
			if r.failed != row.failed || r.skipped != row.skipped || measured != row.measured {
				t.Errorf("failed with %q, skipped with %q after %d rounds, want %q, %q, %d", r.failed, r.skipped, measured, row.failed, row.skipped, row.measured)
			}
			if got := strings.Join(r.logged, "|"); row.loggings != "" && got != row.loggings {
				t.Errorf("logged %q, want %q", got, row.loggings)
			}
			if watching {
				t.Error("a watch was not stopped")
			}
		})
	}
}

// A wrong delay fails at once, even if the engine kept it.
func TestJudgeWrongDelays(t *testing.T) {
	for name, asked := range map[string][]Delay{
		"another":  {{100 * ms, 100 * ms}, {300 * ms, 300 * ms}},
		"too few":  {{100 * ms, 100 * ms}},
		"too many": {{100 * ms, 100 * ms}, {200 * ms, 200 * ms}, {400 * ms, 400 * ms}},
		"none":     nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			rounds := 0
			r := judged(t, func(tb testing.TB) {
				Judge(tb, []time.Duration{100 * ms, 200 * ms}, Exact, func(context.Context) ([]Delay, error) { rounds++; return asked, nil })
			})
			if !strings.HasPrefix(r.failed, "the delays asked for (-want +got):") || rounds != 1 {
				t.Errorf("%s: failed with %q after %d rounds", name, r.failed, rounds)
			}
		})
	}
}

func TestJudgeError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := judged(t, func(tb testing.TB) {
			Judge(tb, nil, Exact, func(context.Context) ([]Delay, error) { return nil, errors.New("no engine") })
		})
		if r.failed != "no engine" {
			t.Errorf("failed with %q, want no engine", r.failed)
		}
	})
}

// An engine that stands still fails the test with a line that tells what did not come.
func TestPatience(t *testing.T) {
	for _, row := range []struct {
		name, failed string
		after        time.Duration
		f            func(tb testing.TB)
	}{
		{"Judge", "waited 5m3s for an engine to keep 2 delays: no attempt", Patience + 3*time.Second, func(tb testing.TB) {
			Judge(tb, []time.Duration{time.Second, 2 * time.Second}, Exact, func(ctx context.Context) ([]Delay, error) {
				<-ctx.Done()
				return nil, errors.New("no attempt")
			})
		}},
		{"Receive", "waited 5m0s for an attempt", Patience, func(tb testing.TB) { Receive(tb, make(chan int), "an attempt") }},
		{"Context", "waited 5m0s for an attempt", Patience, func(tb testing.TB) {
			ctx := Context(tb, "an attempt")
			<-ctx.Done()
			tb.Fatal(context.Cause(ctx))
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			r := judged(t, row.f)
			if took := time.Since(start); r.failed != row.failed || took < row.after || took > row.after+time.Second {
				t.Errorf("%s: failed with %q after %v, want %q after %v", row.name, r.failed, took, row.failed, row.after)
			}
		})
	}
	ch := make(chan int, 1)
	ch <- 7
	if got := Receive(t, ch, "a number"); got != 7 {
		t.Errorf("Receive returns %d, want 7", got)
	}
}

// TestJudgeMeasures lets an engine wait in a bubble, where nothing else is late: a delay
// that is 10 ms too long fails in the second round.
func TestJudgeMeasures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []time.Duration{50 * ms, 100 * ms, time.Second}
		measure := func(more time.Duration) func(context.Context) ([]Delay, error) {
			return func(context.Context) ([]Delay, error) {
				var r Recorder
				r.Attempt()
				for _, d := range want {
					time.Sleep(r.Ask(d) + more)
					r.Attempt()
				}
				return r.Delays(), nil
			}
		}
		for more, failed := range map[time.Duration]string{
			0:       "",
			2 * ms:  "",
			-ms:     "",
			-2 * ms: "delay 0 is 48ms, want 50ms or at most 1ms less",
			10 * ms: "delay 0 is 60ms, want 50ms or at most 2ms more; before that, delay 0 is 60ms, want 50ms or at most 2ms more, and delay 0 is 60ms, want 50ms or at most 2ms more",
		} {
			if r := judged(t, func(tb testing.TB) { Judge(tb, want, Exact, measure(more)) }); r.failed != failed || r.skipped != "" {
				t.Errorf("%v late: failed with %q, skipped with %q, want failed with %q", more, r.failed, r.skipped, failed)
			}
		}
	})
}

// A round does not count if a server was slow meanwhile.
func TestJudgeCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for call, want := range map[time.Duration]string{ // by how long a call takes, if the delay is 8 ms too long
			0:      "delay 0 is 110ms, want 100ms or at most 2ms more; before that, delay 0 is 110ms, want 100ms or at most 2ms more, and delay 0 is 110ms, want 100ms or at most 2ms more",
			ms:     "delay 0 is 110ms, want 100ms or at most 2ms more; before that, delay 0 is 110ms, want 100ms or at most 2ms more, and delay 0 is 110ms, want 100ms or at most 2ms more",
			ms + 1: "",
		} {
			calls := 0
			r := judged(t, func(tb testing.TB) {
				Judge(tb, []time.Duration{100 * ms}, Exact, func(context.Context) ([]Delay, error) {
					time.Sleep(110 * ms)
					return []Delay{{100 * ms, 110 * ms}}, nil
				}, func() { calls++; time.Sleep(call) })
			})
			if r.failed != want || (r.skipped == "") != (want != "") || calls < 10 || calls > 100 {
				t.Errorf("calls of %v: failed with %q, skipped with %q after %d calls, want failed with %q after 10 to 100", call, r.failed, r.skipped, calls, want)
			}
		}
	})
}

// In a bubble a timer is as late as the test wants, and a goroutine that does not end is
// reported.
func TestWatch(t *testing.T) {
	for _, row := range []struct {
		name  string
		watch time.Duration // how long
		late  map[int]time.Duration
		want  time.Duration
	}{
		{"no timer is late", time.Second, nil, 0},
		{"not at all", 0, nil, 0},
		{"the latest counts", time.Second, map[int]time.Duration{3: 5 * ms, 4: 70 * ms, 9: 2 * ms}, 70 * ms},
		{"the last one counts, which outlasts the watch", 10 * ms, map[int]time.Duration{5: time.Minute}, time.Minute},
		{"after the watch", 10 * ms, map[int]time.Duration{50: time.Minute}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			stop := watch(func(d time.Duration) { calls++; time.Sleep(d + row.late[calls]) })
			time.Sleep(row.watch)
			if got := stop(); got != row.want {
				t.Errorf("%s: %v, want %v", row.name, got, row.want)
			}
		})
	}
}
