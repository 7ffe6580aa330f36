package backofftest

import (
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// counting is the schedule 1 s, 2 s, 3 s, ... of n delays.
func counting(n int) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for i := range n {
			if !yield(time.Duration(i+1) * time.Second) {
				return
			}
		}
	}
}

// produced is seq through a goroutine, which ends with the range if it is told to.
func produced(seq iter.Seq[time.Duration], told bool) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		delays, done := make(chan time.Duration), make(chan struct{})
		if told {
			defer close(done)
		}
		go func() {
			defer close(delays)
			for d := range seq {
				select {
				case delays <- d:
				case <-done:
					return
				}
			}
		}()
		for d := range delays {
			if !yield(d) {
				return
			}
		}
	}
}

// Faults that only Run finds, and schedules that it must accept.
func TestTimeless(t *testing.T) {
	type seq = iter.Seq[time.Duration]
	until := func(start time.Time, most time.Duration) seq {
		return func(yield func(time.Duration) bool) {
			for d := range counting(100) {
				if time.Since(start) > most || !yield(d) {
					return
				}
			}
		}
	}
	tests := []struct {
		name        string
		newSchedule func(seed uint64) seq
		opts        []Option
		want        string
	}{
		{"right", func(uint64) seq { return counting(100) }, nil, ""},
		{"right, with a goroutine", func(uint64) seq { return produced(counting(100), true) }, nil, ""},
		{"right, and random", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				for yield(rand.N(time.Second)) {
				}
			}
		}, []Option{Unseeded()}, ""},
		{"right, random and empty", func(uint64) seq { return counting(0) }, []Option{Unseeded()}, ""},
		{"a clock started when it is built", func(uint64) seq {
			return until(time.Now(), 5*time.Second)
		}, nil, "backofftest: a range with 1s between delays differs at delay 4: 5s, then the end: the schedule reads a clock (seed 0)"},
		{"a date", func(uint64) seq {
			return until(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), 0)
		}, nil, "backofftest: the next range, 8760h0m0s later, differs at delay 0: 1s, then the end: the schedule reads a clock (seed 0)"},
		{"a clock started by the range", func(uint64) seq {
			return func(yield func(time.Duration) bool) { until(time.Now(), 10*time.Second)(yield) }
		}, nil, "backofftest: a range with 1s between delays differs at delay 11: 12s, then the end: the schedule reads a clock (seed 0)"},
		{"a timer started when it is built", func(uint64) seq {
			var expired atomic.Bool
			time.AfterFunc(30*time.Minute, func() { expired.Store(true) })
			return func(yield func(time.Duration) bool) {
				for d := range counting(100) {
					if expired.Load() || !yield(d) {
						return
					}
				}
			}
		}, nil, "backofftest: a range with 1m0s between delays differs at delay 28: 29s, then the end: the schedule reads a clock (seed 0)"},
		{"the year in which it is built", func(uint64) seq {
			return counting(time.Now().Year() - 1999)
		}, nil, "backofftest: between the year 2000 and now a range differs at delay 1: the end, then 2s: the schedule reads a clock (seed 0)"},
		{"it ends in 2010", func(uint64) seq {
			if time.Now().Year() > 2010 {
				panic("out of order")
			}
			return counting(100)
		}, nil, "backofftest: newSchedule(0) panicked: out of order (seed 0)"},
		{"randomness from a clock", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				r := rand.New(rand.NewPCG(uint64(time.Now().UnixMicro()), 0))
				for yield(time.Duration(r.Int64N(int64(time.Second)))) {
				}
			}
		}, nil, "backofftest: the next range, 1ms later, differs at delay 0: 704.877311ms, then 635.925353ms: the schedule reads a clock (seed 0)"},
		{"it sleeps", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				for d := range counting(100) {
					if !yield(d) {
						return
					}
					time.Sleep(d)
				}
			}
		}, nil, "backofftest: 1s passed in a range that broke at delay 1: the schedule sleeps (seed 0)"},
		{"it sleeps, and is random", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				time.Sleep(time.Second)
				for yield(rand.N(time.Second)) {
				}
			}
		}, []Option{Unseeded()}, "backofftest: 1s passed in a range that broke at delay 0: the schedule sleeps (seed 0)"},
		{"it sleeps late", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				for i := time.Duration(0); yield(i); i++ {
					if i == 100 {
						time.Sleep(time.Second)
					}
				}
			}
		}, nil, "backofftest: 1s passed in a range that broke at delay 101: the schedule sleeps (seed 0)"},
		{"a clock started when it is built, and random", func(uint64) seq {
			built := time.Now()
			return func(yield func(time.Duration) bool) {
				for time.Since(built) < time.Hour && yield(rand.N(time.Second)) {
				}
			}
		}, []Option{Unseeded()}, "backofftest: 8 ranges have no delay 100 years later, and all had one: the schedule reads a clock (seed 0)"},
		{"it sleeps after the break", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				defer time.Sleep(time.Second)
				counting(100)(yield)
			}
		}, nil, "backofftest: 1s passed in a range that broke at delay 63: the schedule sleeps (seed 0)"},
		{"no schedule", func(uint64) seq { return nil }, nil, "backofftest: newSchedule(0) returned nil, want a schedule (seed 0)"},
		{"it blocks", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				<-make(chan int)
			}
		}, nil, "backofftest: the schedule blocks forever (seed 0)"},
		{"a counter outside the range", func(uint64) seq {
			left := 100
			return func(yield func(time.Duration) bool) {
				for ; left > 0 && yield(time.Second); left-- {
				}
			}
		}, nil, "backofftest: after a loop that broke at delay 8, the next range differs at delay 1: 1s, then the end: state outlives a range (seed 0)"},
		{"a goroutine is left", func(uint64) seq { return produced(counting(100), false) }, nil, "backofftest: after a loop that broke at delay 0, a goroutine is left behind: is an iter.Pull not stopped? (seed 0)"},
		{"a goroutine is left after one delay", func(uint64) seq { return produced(counting(2), false) }, nil, "backofftest: after a loop that broke at delay 0, a goroutine is left behind: is an iter.Pull not stopped? (seed 0)"},
		{"a goroutine is left at the end", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				for d := range counting(2) {
					if !yield(d) {
						return
					}
				}
				iter.Pull(counting(1))
			}
		}, nil, "backofftest: after a range to the end, a goroutine is left behind: is an iter.Pull not stopped? (seed 0)"},
		{"a Pull is not stopped", func(uint64) seq {
			return func(yield func(time.Duration) bool) {
				next, _ := iter.Pull(counting(100))
				for {
					if d, ok := next(); !ok || !yield(d) {
						return
					}
				}
			}
		}, nil, "backofftest: after a loop that broke at delay 0, a goroutine is left behind: is an iter.Pull not stopped? (seed 0)"},
		{"a goroutine for each schedule", func(uint64) seq {
			delays := make(chan time.Duration)
			go func() {
				for d := range counting(100) {
					delays <- d
				}
			}()
			return func(yield func(time.Duration) bool) {
				for d := range delays {
					if !yield(d) {
						return
					}
				}
			}
		}, nil, "backofftest: newSchedule(0) leaves a goroutine behind, without a range (seed 0)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if bad := newSubject("Run", test.newSchedule, test.opts).timeless(t); bad != nil {
				got = bad.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("what is reported (-want +got):\n%s", diff)
			}
		})
	}
}

// Run panics in a bubble, because a bubble cannot contain another.
func TestRunInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("Run in a bubble did not panic")
			}
		}()
		Run(t, func(uint64) iter.Seq[time.Duration] { return counting(1) })
	})
}
