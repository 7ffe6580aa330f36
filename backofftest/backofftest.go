// Package backofftest checks that a schedule, anyone's, keeps the contract of
// package backoff, and that it is what its author meant it to be.
//
// A test of one's own schedule is one call:
//
//	func TestMine(t *testing.T) {
//		backofftest.Run(t, func(seed uint64) iter.Seq[time.Duration] {
//			return Mine(100*time.Millisecond, 10*time.Second, seed)
//		}, backofftest.SpreadUnder(10*time.Second))
//	}
//
// A schedule that is not random ignores the seed. One that is random and takes
// no seed is checked with [Unseeded]. What turns one schedule into another, a
// stage, is checked by [RunStage] over several sources. [Check] and [CheckStage]
// return what broke as an error, for use where there is no [testing.T], such as
// a fuzz target or a property.
//
// # What is checked of every schedule
//
//   - reusable: a range gives the delays that the range before gave, whether that
//     one came to its end, broke at any delay or panicked; and so does what
//     newSchedule returns for the same seed a second time;
//   - independent: ranges inside one another's bodies, ranges that advance in
//     turn, and ranges in 8 goroutines give the same delays too. Under -race the
//     race detector has its say;
//   - obedient: yield is not called after it returned false, a panic of the
//     loop's body comes out of the range, and the schedule does not panic;
//   - total: no delay is negative, and the schedule does not end in a loop
//     without a wait, which is what a product that wrapped to 0 gives;
//   - timeless, by [Run] and [RunStage] only: it does not sleep, its delays do not
//     depend on how much time passes before a range or within it, and no
//     goroutine is left behind. This runs in a bubble of [testing/synctest], so it
//     takes no time.
//
// Of a stage also:
//
//   - lazy: building it draws nothing from its source. Delay n comes when n+1
//     delays have been drawn and no more, nothing is drawn after the loop breaks,
//     and a range over the source is over when the range over the stage is. Some
//     stages must draw more than they give: [Extra].
//
// # What the options check
//
//	Between(lo, hi)    every delay is in [lo, hi]
//	Monotone()         no delay is less than the one before it
//	Delays(n)          there are n delays, no more and no fewer
//	TotalAtMost(total) their sum is at most total
//	Reaches(delay)     it grows as far as delay
//	SpreadUnder(limit) no delay exceeds limit, and no delay is shared by many clients
//	KeepsLength()      a stage gives as many delays as its source
//
// and what they allow: [Unseeded], [ZeroTail], [Extra]. [Depth] says how many
// delays are looked at.
//
// # What it says
//
// It looks from small to large, and so reports the fewest delays, the earliest
// break and the smallest seed with which it saw something break:
//
//	backofftest: delay 34 is -351909h41m29.709551616s, want >= 0 (seed 0; delay 33 was 2386092h56m32s)
//	backofftest: yield was called again after it returned false at delay 0 (seed 0)
//	backofftest: after a loop that broke at delay 0, the next range differs at delay 0: 1s, then 2s: state outlives a range (seed 0)
//
// The same schedule gets the same report each time, unless it is at fault for
// that itself.
//
// # What it cannot see
//
// From outside it cannot be told
//
//   - whether a schedule computes delays, or draws their random numbers, before
//     they are needed. Of a stage it can, by its source;
//   - what a schedule does past the [Depth], with a seed that was not tried, or in
//     a race that did not happen;
//   - whether the delays are the same on every GOARCH, or those that its author
//     meant;
//   - of a schedule that is [Unseeded], whether its delays depend on a clock. That
//     it ends for ever at some time it does.
//
// A schedule that computes for ever, or waits for a lock that it holds itself,
// hangs the check, until go test's -timeout shows where.
package backofftest

import (
	"iter"
	"testing"
	"time"
)

// Run checks the schedules that newSchedule returns, and reports the smallest
// case it finds that broke as an error of t.
//
// It calls newSchedule in bubbles of [testing/synctest] and outside of them, so
// what newSchedule keeps from one call to the next must not hold a channel or a
// timer.
//
// It panics if newSchedule is nil, if an option does not fit, or in a bubble, for
// it makes its own.
func Run(t *testing.T, newSchedule func(seed uint64) iter.Seq[time.Duration], opts ...Option) {
	t.Helper()
	s := newSubject("Run", newSchedule, opts)
	bad := s.timeless(t)
	if bad == nil {
		bad = s.others()
	}
	report(t, bad)
}

// Check checks the schedules that newSchedule returns as [Run] does, save for
// what takes a test: that they are timeless and leave no goroutine behind. It
// returns the smallest case it finds that broke.
//
// It panics if newSchedule is nil or an option does not fit.
func Check(newSchedule func(seed uint64) iter.Seq[time.Duration], opts ...Option) error {
	return newSubject("Check", newSchedule, opts).contract().err()
}

// RunStage checks the schedules that newStage makes of the schedule src, over
// several of them: the empty one, the endless 0, 0, 0, ..., finite ones, and the
// endless 1 s, 2 s, 4 s, ... up to the largest [time.Duration]. It reports the
// smallest case it finds that broke as an error of t.
//
// Options hold over every source, but [Delays], [Reaches] and [SpreadUnder] over
// the last one alone.
//
// It panics if newStage is nil, if an option does not fit, or in a bubble of
// [testing/synctest], for it makes its own.
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

// CheckStage checks the schedules that newStage makes as [RunStage] does, save for
// what takes a test: that they are timeless and leave no goroutine behind. It
// returns the smallest case it finds that broke.
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
