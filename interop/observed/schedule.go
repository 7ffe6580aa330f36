// Package observed compares the delays that a real client was seen to wait with a
// schedule. The pages about other libraries rest on it: docs/defaults.md and
// docs/coming-from.md.
package observed

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
)

// A Schedule is the schedule that a client is said to have.
type Schedule struct {
	New    func(...backoff.Option) iter.Seq[time.Duration]
	Random bool // two operations may wait differently

	// A delay depends on the one before it, so it is rarely near its bounds.
	Telescopes bool
}

// Expr returns the schedule of an expression. It panics if the text is not one.
func Expr(text string) Schedule {
	e, err := expr.Parse(text)
	if err != nil {
		panic(fmt.Sprintf("observed: %q: %v", text, err))
	}
	return Schedule{New: e.Schedule, Random: e.Random(), Telescopes: strings.HasPrefix(text, "smooth-jitter")}
}

// Bounds are the smallest and the largest value of a delay.
type Bounds struct{ Min, Max time.Duration }

// Bounds returns the bounds of the first n delays. A delay takes its bounds when
// every random number before it does, or, if delays telescope, when the number
// before it takes the opposite one. A schedule that has fewer delays gives bounds
// with Min > Max beyond its end.
func (s Schedule) Bounds(n int) []Bounds {
	bounds := make([]Bounds, n)
	for i := range bounds {
		bounds[i].Min = backoff.NoLimit
		bounds[i].Max = -1
	}
	draw := func(o backoff.Option) {
		i := 0
		for d := range backoff.Take(s.New(o), n) {
			bounds[i].Min = min(bounds[i].Min, d)
			bounds[i].Max = max(bounds[i].Max, d)
			i++
		}
	}
	draw(Lowest())
	draw(Highest())
	for at := range n {
		draw(except(lowest, highest, at))
		draw(except(highest, lowest, at))
	}
	return bounds
}

// The number that a source repeats so that a uniform delay is the smallest or the
// largest of its interval. The first is not 0: an exact draw refuses 0 again and
// again unless the number of delays is a power of 2.
const (
	lowest  = 1
	highest = math.MaxUint64
)

// Lowest makes every uniform delay of a schedule the smallest of its interval.
func Lowest() backoff.Option { return except(lowest, lowest, 0) }

// Highest makes every uniform delay of a schedule the largest of its interval.
func Highest() backoff.Option { return except(highest, highest, 0) }

// except makes a schedule draw number, and other once: as draw at, counted from 0.
func except(number, other uint64, at int) backoff.Option {
	return backoff.WithSource(func() rand.Source { return &steady{number: number, other: other, at: at} })
}

// A steady source gives one number, and another one once.
type steady struct {
	number, other uint64
	at, drawn     int
}

func (s *steady) Uint64() uint64 {
	s.drawn++
	if s.drawn == s.at+1 {
		return s.other
	}
	return s.number
}
