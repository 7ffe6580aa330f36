package backofftest

import (
	"time"

	"example.com/backoff/internal/argument"
)

// An Option adds a check, or allows what is otherwise refused. If several set one thing,
// the last counts. The zero Option sets nothing.
type Option struct{ set func(config) config }

// config is what the options amount to.
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

// looked returns how many delays of a schedule are looked at. One more than
// Delays asks for tells whether there are too many.
func (c config) looked() int {
	if c.counted {
		return max(c.depth, c.delays+1)
	}
	return c.depth
}

func reject(option, name string, got any, want string) {
	argument.Reject("backofftest", option, name, got, want)
}

// Between checks that every delay is in the closed interval [lo, hi].
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

// Monotone checks that no delay is less than the one before it. Growth that wraps
// to something positive falls, and is found by this.
func Monotone() Option {
	return Option{func(c config) config {
		c.monotone = true
		return c
	}}
}

// Delays checks that a schedule has n delays, no more and no fewer, however long
// it is: n+1 of them are drawn if need be.
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

// TotalAtMost checks that the sum of the delays, of those looked at, is at most
// total.
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

// Reaches checks that one of the delays looked at is delay or more, for every
// seed. A schedule that rounds its delay before it multiplies it may never grow,
// and is found by this.
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
// 1,000 clients, with the seeds 0 to 999, fewer than 20 have the very same delay
// before the same retry, for each of the first 256 retries, of those looked at. An
// atom, on the limit or elsewhere, is what jitter is there to prevent.
//
// The seeds are fixed, so a schedule that replays and passes once passes always. A
// right one fails with a probability below 1e-13 if each delay is uniform over an
// interval of 1 µs or more; a narrower one has an atom by this measure, sooner or
// later.
// An atom that 5 % of the clients share is missed with a probability of 3e-7, one
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

// Depth sets how many delays of a schedule are looked at, if it has that many.
// It is 10,000 unless set.
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

// Unseeded says that a schedule is random and its seed does not fix the delays:
// each range is another sample. What needs two ranges to be equal is not
// checked then; everything else is, so state that outlives a range is still
// found where it leaves the second range empty, or breaks a bound.
func Unseeded() Option {
	return Option{func(c config) config {
		c.unseeded = true
		return c
	}}
}

// ZeroTail allows a schedule that waits at first and then retries at once, for
// ever or nearly so. Otherwise that is taken for a delay that wrapped to 0: when
// the last delays of those looked at are 0, more than half of them and at least
// 32, and one before them is not.
func ZeroTail() Option {
	return Option{func(c config) config {
		c.zeroTail = true
		return c
	}}
}

// Extra allows a stage to have drawn n delays more than it gave: n for one that
// drops the first n, 1 for one that looks at a delay to know that it ends there.
//
// It panics if n < 0, and so does a check of anything but a stage.
func Extra(n int) Option {
	if n < 0 {
		reject("Extra", "n", n, ">= 0")
	}
	return Option{func(c config) config {
		c.extra, c.forStage = n, "Extra"
		return c
	}}
}

// KeepsLength checks that a stage gives as many delays as its source has. A cap
// that is made as the minimum with an endless constant does not.
//
// A check of anything but a stage panics.
func KeepsLength() Option {
	return Option{func(c config) config {
		c.keepsLength, c.forStage = true, "KeepsLength"
		return c
	}}
}
