package backofftest_test

import (
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/backofftest"
	"github.com/google/go-cmp/cmp"
)

// A bad argument panics at once, and says what it got and what it wants.
func TestBadArguments(t *testing.T) {
	tests := []struct {
		call func()
		want string
	}{
		{func() { backofftest.Between(-1, 0) }, "backofftest: Between: lo is -1ns, want >= 0"},
		{func() { backofftest.Between(2, 1) }, "backofftest: Between: hi is 1ns, want >= lo, which is 2ns"},
		{func() { backofftest.Delays(-1) }, "backofftest: Delays: n is -1, want >= 0 and less than the largest int"},
		{func() { backofftest.TotalAtMost(-second) }, "backofftest: TotalAtMost: total is -1s, want >= 0"},
		{func() { backofftest.Reaches(0) }, "backofftest: Reaches: delay is 0s, want > 0"},
		{func() { backofftest.SpreadUnder(999) }, "backofftest: SpreadUnder: limit is 999ns, want >= 1µs"},
		{func() { backofftest.Depth(0) }, "backofftest: Depth: n is 0, want >= 1"},
		{func() { backofftest.Extra(-1) }, "backofftest: Extra: n is -1, want >= 0"},
		{func() { _ = backofftest.Check(nil) }, "backofftest: Check: newSchedule is nil, want a function"},
		{func() { backofftest.Run(t, nil) }, "backofftest: Run: newSchedule is nil, want a function"},
		{func() { _ = backofftest.CheckStage(nil) }, "backofftest: CheckStage: newStage is nil, want a function"},
		{func() { backofftest.RunStage(t, nil) }, "backofftest: RunStage: newStage is nil, want a function"},
		{
			func() { _ = backofftest.Check(fixed(backoff.Constant(0)), backofftest.Extra(1)) },
			"backofftest: Check: Extra is an option of RunStage and CheckStage",
		},
		{
			func() { backofftest.Run(t, fixed(backoff.Constant(0)), backofftest.KeepsLength()) },
			"backofftest: Run: KeepsLength is an option of RunStage and CheckStage",
		},
	}
	for _, test := range tests {
		func() {
			defer func() {
				if diff := cmp.Diff(any(test.want), recover()); diff != "" {
					t.Errorf("the panic (-want +got):\n%s", diff)
				}
			}()
			test.call()
		}()
	}
}

// Each option at the edge of what it accepts, and one step past it.
func TestEdges(t *testing.T) {
	tests := []struct {
		name     string
		schedule seq
		in, out  backofftest.Option
	}{
		{"Between, lo", backoff.Constant(5), backofftest.Between(5, 9), backofftest.Between(6, 9)},
		{"Between, hi", backoff.Constant(5), backofftest.Between(1, 5), backofftest.Between(1, 4)},
		{"Delays, too few", backoff.Take(backoff.Constant(5), 7), backofftest.Delays(7), backofftest.Delays(8)},
		{"Delays, too many", backoff.Take(backoff.Constant(5), 7), backofftest.Delays(7), backofftest.Delays(6)},
		{"Delays beyond the depth", backoff.Take(backoff.Constant(5), 20_000), backofftest.Delays(20_000), backofftest.Delays(19_999)},
		{"TotalAtMost", backoff.Take(backoff.Constant(5), 7), backofftest.TotalAtMost(35), backofftest.TotalAtMost(34)},
		{"TotalAtMost of the largest", backoff.Take(backoff.Constant(backoff.NoLimit), 1), backofftest.TotalAtMost(backoff.NoLimit), backofftest.TotalAtMost(backoff.NoLimit - 1)},
		{"Reaches", backoff.Linear(0, 1), backofftest.Reaches(9_999), backofftest.Reaches(10_000)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := backofftest.Check(fixed(test.schedule), test.in); err != nil {
				t.Errorf("at the edge: %v, want no error", err)
			}
			if err := backofftest.Check(fixed(test.schedule), test.out); err == nil {
				t.Error("past the edge: no error, want one")
			}
		})
	}
}

// A schedule that falls by 1 ns, at the last delay that is checked.
func TestDepth(t *testing.T) {
	falls := each(func(n int) time.Duration {
		if n < 20 {
			return second
		}
		return second - 1
	})
	if err := backofftest.Check(falls, backofftest.Monotone(), backofftest.Depth(20)); err != nil {
		t.Errorf("depth 20: %v, want no error", err)
	}
	checkError(t,
		"backofftest: delay 20 is 999.999999ms, want at least 1s, the delay before it (seed 0)",
		backofftest.Check(falls, backofftest.Monotone(), backofftest.Depth(21)))
}

// A loop without a wait is more than half of the delays, and at least 32.
func TestZeroTail(t *testing.T) {
	waits := func(n, zeros int) seq {
		return backoff.Concat(backoff.Take(backoff.Constant(second), n), backoff.Take(backoff.Constant(0), zeros))
	}
	tests := []struct {
		name     string
		schedule seq
		ok       bool
	}{
		{"31 zeros", waits(1, 31), true},
		{"32 zeros", waits(1, 32), false},
		{"half of them", waits(50, 50), true},
		{"more than half", waits(50, 51), false},
		{"all of them", backoff.Constant(0), true},
		{"forever", backoff.Concat(waits(1, 0), backoff.Constant(0)), false},
		{"not at the end", backoff.Concat(waits(0, 100), waits(1, 0)), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := backofftest.Check(fixed(test.schedule)); (err == nil) != test.ok {
				t.Errorf("error is %v, want none: %v", err, test.ok)
			}
			if err := backofftest.Check(fixed(test.schedule), backofftest.ZeroTail()); err != nil {
				t.Errorf("with ZeroTail: %v, want no error", err)
			}
		})
	}
}

// 2 % of the clients make an atom, and 1.9 % do not: the seeds below n share a delay.
func TestSpreadUnderCounts(t *testing.T) {
	sharing := func(n uint64) func(uint64) seq {
		return func(seed uint64) seq {
			if seed < n {
				return backoff.Constant(time.Hour)
			}
			return backoff.Constant(second + time.Duration(seed))
		}
	}
	if err := backofftest.Check(sharing(19), backofftest.SpreadUnder(time.Hour)); err != nil {
		t.Errorf("19 clients on one delay: %v, want no error", err)
	}
	checkError(t,
		"backofftest: delay 0 is exactly 1h0m0s for 20 of 1000 clients, want fewer than 20 (the first of them have the seeds 0 and 1)",
		backofftest.Check(sharing(20), backofftest.SpreadUnder(time.Hour)))
}

// The same schedule gets the same report.
func TestDeterministic(t *testing.T) {
	jittered := func(seed uint64) seq {
		return backoff.Spread(backoff.Constant(second), 0.5, backoff.WithSeed(seed))
	}
	want := backofftest.Check(jittered, backofftest.Between(0, 1499*ms))
	if want == nil {
		t.Fatal("no error, want one: of 80,000 delays one in 1,000 is above 1.499s")
	}
	for range 3 {
		checkError(t, want.Error(), backofftest.Check(jittered, backofftest.Between(0, 1499*ms)))
	}
}

// The zero Option sets nothing, before other options and after them.
func TestZeroOption(t *testing.T) {
	var zero backofftest.Option
	if err := backofftest.Check(fixed(backoff.Constant(5)), zero); err != nil {
		t.Errorf("alone: %v, want no error", err)
	}
	if err := backofftest.Check(fixed(backoff.Constant(5)), zero, backofftest.Between(6, 9), zero); err == nil {
		t.Error("around Between(6, 9) no error for 5, want one")
	}
}
