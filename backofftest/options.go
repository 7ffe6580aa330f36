package backofftest

import (
	"time"

	"example.com/backoff/internal/argument"
)

// An Option adds a check, or allows something that is an error otherwise. If two options
// set the same thing, the last one wins. The zero Option sets nothing.
type Option struct{ set func(config) config }

// config is the sum of the options.
type config struct {
	depth       int
	between     bool
	lo, hi      time.Duration
	monotone    bool
	counted     bool
	delays      int
	totalled    bool
	total       time.Duration
	reaches     time.Duration // 0: nothing to reach
	spread      bool
	limit       time.Duration
	unseeded    bool
	zeroTail    bool
	extra       int
	keepsLength bool
	forStage    string // the name of an option that fits a stage only
}

func newConfig(function string, opts []Option, stage bool) config {
	c := config{depth: 10_000}
	for _, o := range opts {
		if o.set != nil {
			c = o.set(c)
		}
	}
	if c.forStage != "" && !stage {
		panic("backofftest: " + function + ": " + c.forStage + " is an option of RunStage and CheckStage")
	}
	return c
}

// checked returns how many delays of a schedule are checked. One more than the number
// that Delays wants shows whether there are too many.
func (c config) checked() int {
	if c.counted {
		return max(c.depth, c.delays+1)
	}
	return c.depth
}

func reject(option, name string, got any, want string) {
	argument.Reject("backofftest", option, name, got, want)
}

// Between checks that every delay is in the closed interval [lo, hi]. Use it for a
// schedule with a limit, or with a min delay.
//
// It panics if lo < 0 or hi < lo.
func Between(lo, hi time.Duration) Option {
	if lo < 0 {
		reject("Between", "lo", lo, ">= 0")
	}
	if hi < lo {
		reject("Between", "hi", hi, ">= lo, which is "+lo.String())
	}
	return Option{func(c config) config {
		c.between, c.lo, c.hi = true, lo, hi
		return c
	}}
}

// Monotone checks that no delay is shorter than the one before it. Use it for a schedule
// without jitter: it finds growth that wraps to a positive delay.
func Monotone() Option {
	return Option{func(c config) config {
		c.monotone = true
		return c
	}}
}

// Delays checks that a schedule has n delays, no more and no fewer. It draws n+1 of
// them, even beyond the [Depth].
//
// It panics if n < 0 or n is the largest int.
func Delays(n int) Option {
	if n < 0 || n+1 < 0 {
		reject("Delays", "n", n, ">= 0 and less than the largest int")
	}
	return Option{func(c config) config {
		c.counted, c.delays = true, n
		return c
	}}
}

// TotalAtMost checks that the sum of the delays, up to the [Depth], is at most total.
// Use it for a schedule that promises to end within some time.
//
// It panics if total < 0.
func TotalAtMost(total time.Duration) Option {
	if total < 0 {
		reject("TotalAtMost", "total", total, ">= 0")
	}
	return Option{func(c config) config {
		c.totalled, c.total = true, total
		return c
	}}
}

// Reaches checks that for every seed some delay, up to the [Depth], is at least the given
// one. Use it for a schedule that grows: it finds one that never does, because it rounds
// each delay before it multiplies it.
//
// It panics if delay <= 0.
func Reaches(delay time.Duration) Option {
	if delay <= 0 {
		reject("Reaches", "delay", delay, "> 0")
	}
	return Option{func(c config) config {
		c.reaches = delay
		return c
	}}
}

// SpreadUnder checks that no delay exceeds limit, and that there is no atom: of
// 1,000 clients, with the seeds 0 to 999, fewer than 20 have exactly the same delay
// before the same retry. It checks the first 256 retries, up to the [Depth]. Use it for
// every schedule with jitter and a limit: an atom, at the limit or elsewhere, makes
// clients retry together, which jitter should prevent.
//
// The seeds are fixed, so a schedule that replays passes always or never. A correct one
// fails with a probability below 1e-13 if each delay is uniform over an interval of 1 µs
// or more; over a narrower one, delays coincide so often that the check finds an atom.
// It misses an atom that 5 % of the clients share with a probability of 3e-7, and one
// that 4 % share with 1.4e-4.
//
// It panics if limit is less than 1 µs.
func SpreadUnder(limit time.Duration) Option {
	if limit < time.Microsecond {
		reject("SpreadUnder", "limit", limit, ">= 1µs")
	}
	return Option{func(c config) config {
		c.spread, c.limit = true, limit
		return c
	}}
}

// Depth sets how many delays of a schedule are checked, if it has that many. The default
// is 10,000. Use a smaller depth for a schedule that is slow.
//
// It panics if n < 1.
func Depth(n int) Option {
	if n < 1 {
		reject("Depth", "n", n, ">= 1")
	}
	return Option{func(c config) config {
		c.depth = n
		return c
	}}
}

// Unseeded allows a random schedule whose seed does not fix the delays: each range is
// another sample. Use it for a schedule that takes no seed.
//
// It leaves out the checks that two ranges are equal. The others remain, so state that
// outlives a range is still found if it leaves the second range empty or breaks a bound.
func Unseeded() Option {
	return Option{func(c config) config {
		c.unseeded = true
		return c
	}}
}

// ZeroTail allows a schedule that waits at first and then retries at once, forever or
// nearly so. Without it, that counts as a delay that wrapped to 0: the last delays
// checked are 0, more than half of all and at least 32, and one before them is not.
func ZeroTail() Option {
	return Option{func(c config) config {
		c.zeroTail = true
		return c
	}}
}

// Extra allows a stage to draw n delays more than it gives. Use n for a stage that drops
// the first n, and 1 for a stage that has to draw a delay to know that it ends there.
//
// It panics if n < 0. A check of anything but a stage panics.
func Extra(n int) Option {
	if n < 0 {
		reject("Extra", "n", n, ">= 0")
	}
	return Option{func(c config) config {
		c.extra, c.forStage = n, "Extra"
		return c
	}}
}

// KeepsLength checks that a stage gives as many delays as its source. Use it for a stage
// that changes each delay: it finds a cap that is made as the minimum with an endless
// constant.
//
// A check of anything but a stage panics.
func KeepsLength() Option {
	return Option{func(c config) config {
		c.keepsLength, c.forStage = true, "KeepsLength"
		return c
	}}
}
