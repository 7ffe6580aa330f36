package backofftest

import (
	"fmt"
	"iter"
	"runtime/debug"
	"strings"
	"time"
)

// A loop stands for a for statement over a schedule that breaks at delay n−1. It calls
// the schedule itself, because a for statement hides faults.
type loop struct {
	n    int
	body func(i int, d time.Duration) (more bool) // may be nil
}

// A reading has the delays that a loop saw of a schedule.
type reading struct {
	delays []time.Duration
	ended  bool // the schedule has ended; otherwise the loop broke
}

// A loopPanic is one of the loop's own panics, and differs from all others. Its text is
// for a panic that nothing recovers, in a goroutine of the schedule.
type loopPanic string

const (
	bodyPanic   loopPanic = "backofftest: a panic of the loop's body"
	calledAgain loopPanic = "backofftest: yield was called again after it returned false"
	calledLate  loopPanic = "backofftest: yield was called after its range had returned"
)

// over runs the loop over seq.
func (l loop) over(seq iter.Seq[time.Duration]) (r reading, bad *breach) {
	i := -1 // the delay that the body has
	stopped := ""
	returned := false
	defer func() {
		switch p := recover(); {
		case bad != nil || p == nil:
			// Found already, or nothing to find. The function swallows finds
			// a schedule that swallowed the panic of the body.
		case p == bodyPanic:
			panic(p)
		case p == calledLate:
			bad = broken(i+1, "yield was called after its range had returned")
		case stopped != "":
			bad = broken(i, "the schedule panicked after %s at delay %d: %v", stopped, i, p)
			bad.stack = debug.Stack()
		default:
			bad = broken(i+1, "the schedule panicked at delay %d: %v", i+1, p)
			bad.stack = debug.Stack()
		}
	}()
	seq(func(d time.Duration) bool {
		if returned {
			panic(calledLate)
		}
		if stopped != "" {
			bad = broken(i, "yield was called again after %s at delay %d", strings.Replace(stopped, "yield", "it", 1), i)
			panic(calledAgain)
		}
		i++
		r.delays = append(r.delays, d)
		stopped = "the loop's body panicked"
		more := l.body == nil || l.body(i, d)
		stopped = ""
		if !more || i+1 == l.n {
			stopped = "yield returned false"
			return false
		}
		return true
	})
	returned = true
	r.ended = stopped == ""
	return r, bad
}

// swallows runs a loop whose body panics at delay n, and returns a breach if the panic
// did not come out.
func swallows(seq iter.Seq[time.Duration], n int) (bad *breach) {
	reached := false
	defer func() { _ = recover() }() // over lets no other panic out
	_, bad = loop{body: func(i int, _ time.Duration) bool {
		if i == n {
			reached = true
			panic(bodyPanic)
		}
		return true
	}}.over(seq)
	if bad == nil && reached {
		bad = broken(n, "the panic of a loop's body at delay %d did not come out of the range", n)
	}
	return bad
}

// differ returns the first delay where two readings differ and what each has there, and
// false if they agree. They are not compared where one of them broke off.
func differ(was, is reading) (at int, a, b string, ok bool) {
	n := min(len(was.delays), len(is.delays))
	for i := range n {
		if was.delays[i] != is.delays[i] {
			return i, was.delays[i].String(), is.delays[i].String(), true
		}
	}
	switch {
	case was.ended && len(is.delays) > n:
		return n, "the end", is.delays[n].String(), true
	case is.ended && len(was.delays) > n:
		return n, was.delays[n].String(), "the end", true
	}
	return 0, "", "", false
}

// differing returns a breach if was and is differ. Its text has when before "differs at
// delay" and why after the two delays.
func differing(was, is reading, when, why string) *breach {
	at, a, b, ok := differ(was, is)
	if !ok {
		return nil
	}
	return broken(at, "%s differs at delay %d: %s, then %s: %s", when, at, a, b, why)
}

// longer returns the reading that has more, of two readings that do not differ.
func longer(a, b reading) reading {
	if len(b.delays) > len(a.delays) || len(b.delays) == len(a.delays) && b.ended {
		return b
	}
	return a
}

// how returns in words how the reading came to its end.
func (r reading) how() string {
	if r.ended {
		return "after a range to the end"
	}
	return fmt.Sprintf("after a loop that broke at delay %d", len(r.delays)-1)
}
