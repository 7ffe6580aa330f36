// Package backofftest checks that a schedule keeps the contract of package backoff, and
// that it is what its author meant it to be. The schedule can be anyone's: any function
// that returns an iter.Seq[time.Duration].
//
// Most callers should use [Run], in one test for each schedule of their own:
//
//	func TestMine(t *testing.T) {
//		backofftest.Run(t, func(seed uint64) iter.Seq[time.Duration] {
//			return Mine(100*time.Millisecond, 10*time.Second, seed)
//		}, backofftest.SpreadUnder(10*time.Second))
//	}
//
// If the schedule is not random, ignore the seed. If it is random and takes no seed, add
// [Unseeded]. Use [RunStage] for a combinator, here called a stage, which makes a schedule
// of another one, its source. RunStage checks it over several sources. Use [Check] and
// [CheckStage] where there is no [testing.T], such as in a fuzz target or a property: they
// return an error.
//
// # Checks of every schedule
//
//   - reusable: each range gives the same delays as the range before, whether that
//     one came to its end, broke at any delay or panicked. A second schedule from
//     newSchedule with the same seed gives them too;
//   - independent: ranges inside one another's bodies, ranges that advance in
//     turn, and ranges in 8 goroutines give the same delays too. With -race, the race
//     detector checks them as well;
//   - obedient: it does not call yield after yield returned false, it lets a panic of
//     the loop's body pass, and it does not panic itself;
//   - total: no delay is negative, and the schedule does not end in a loop
//     without a wait, which is what a product that wrapped to 0 gives;
//   - timeless, by [Run] and [RunStage] only: it does not sleep, its delays do not
//     depend on how much time passes before a range or within it, and it leaves no
//     goroutine behind. This runs in a bubble of [testing/synctest], so it takes no
//     time.
//
// A stage is also checked to be
//
//   - lazy: building it draws nothing from its source. It draws n+1 delays for delay n
//     and no more, it draws nothing after the loop breaks, and its range over the source
//     ends with the range over the stage. Use [Extra] for a stage that must draw more
//     than it gives.
//
// # Options
//
// These add a check:
//
//	Between(lo, hi)    every delay is in [lo, hi]
//	Monotone()         no delay is shorter than the one before it
//	Delays(n)          there are n delays, no more and no fewer
//	TotalAtMost(total) the sum of the delays is at most total
//	Reaches(delay)     the delays grow as far as delay
//	SpreadUnder(limit) no delay exceeds limit, and many clients do not share one
//	KeepsLength()      a stage gives as many delays as its source
//
// These allow something: [Unseeded], [ZeroTail], [Extra]. [Depth] sets how many delays
// are checked.
//
// # Reports
//
// The checks go from small to large. So the report usually has the fewest delays, the
// earliest break and the smallest seed that show the fault; a fault that depends on what
// was ranged over before may be reported later:
//
//	backofftest: delay 34 is -351909h41m29.709551616s, want >= 0 (seed 0; delay 33 was 2386092h56m32s)
//	backofftest: yield was called again after it returned false at delay 0 (seed 0)
//	backofftest: after a loop that broke at delay 0, the next range differs at delay 0: 1s, then 2s: state outlives a range (seed 0)
//
// The same schedule gets the same report each time, unless the schedule itself changes
// from run to run.
//
// # What it cannot see
//
// From outside, a check cannot tell
//
//   - whether a schedule computes delays, or draws their random numbers, before
//     they are needed. For a stage it can, by watching the source;
//   - what a schedule does beyond the [Depth], with a seed that was not tried, or in
//     a race that did not happen;
//   - whether the delays are the same on every GOARCH, or those that the author
//     meant;
//   - whether the delays of an [Unseeded] schedule depend on a clock. It does see that
//     such a schedule is empty after some time.
//
// A schedule that computes forever, or waits for a lock that it holds itself, hangs the
// check. Then the -timeout of go test shows where.
package backofftest

import (
	"iter"
	"testing"
	"time"
)

// Run checks the schedules that newSchedule returns, and reports the smallest case that
// fails as an error of t. Use Run in a test; use [Check] elsewhere.
//
// It calls newSchedule inside bubbles of [testing/synctest] and outside of them, so
// newSchedule must not keep a channel or a timer from one call to the next.
//
// It panics if newSchedule is nil or an option does not fit. It also panics in a bubble,
// because it makes bubbles of its own.
func Run(t *testing.T, newSchedule func(seed uint64) iter.Seq[time.Duration], opts ...Option) {
	t.Helper()
	s := newSubject("Run", newSchedule, opts)
	bad := s.timeless(t)
	if bad == nil {
		bad = s.others()
	}
	report(t, bad)
}

// Check checks the schedules that newSchedule returns as [Run] does, and returns the
// smallest case that fails. It leaves out the checks that need a test: that schedules
// are timeless and leave no goroutine behind.
//
// It panics if newSchedule is nil or an option does not fit.
func Check(newSchedule func(seed uint64) iter.Seq[time.Duration], opts ...Option) error {
	return newSubject("Check", newSchedule, opts).contract().err()
}

// RunStage checks the schedules that newStage makes of the schedule src, and reports the
// smallest case that fails as an error of t. Use RunStage for a combinator. It checks
// each of several sources: the empty schedule, the endless 0, 0, 0, ..., finite ones, and
// the endless 1 s, 2 s, 4 s, ... up to the largest [time.Duration].
//
// Options apply to every source, except [Delays], [Reaches] and [SpreadUnder], which
// apply to the last one alone.
//
// It panics if newStage is nil or an option does not fit. It also panics in a bubble of
// [testing/synctest], because it makes bubbles of its own.
func RunStage(t *testing.T, newStage func(src iter.Seq[time.Duration], seed uint64) iter.Seq[time.Duration], opts ...Option) {
	t.Helper()
	for _, s := range newStages("RunStage", newStage, opts) {
		bad := s.timeless(t)
		if bad == nil {
			bad = s.lazy()
		}
		if bad == nil {
			bad = s.others()
		}
		if bad != nil {
			report(t, bad)
			return
		}
	}
}

// CheckStage checks the schedules that newStage makes as [RunStage] does, and returns the
// smallest case that fails. It leaves out the checks that need a test: that schedules
// are timeless and leave no goroutine behind.
//
// It panics if newStage is nil or an option does not fit.
func CheckStage(newStage func(src iter.Seq[time.Duration], seed uint64) iter.Seq[time.Duration], opts ...Option) error {
	for _, s := range newStages("CheckStage", newStage, opts) {
		bad := s.lazy()
		if bad == nil {
			bad = s.contract()
		}
		if bad != nil {
			return bad
		}
	}
	return nil
}

func report(t *testing.T, bad *breach) {
	t.Helper()
	if bad == nil {
		return
	}
	t.Error(bad)
	if bad.stack != nil {
		t.Logf("the schedule's panic:\n%s", bad.stack)
	}
}
