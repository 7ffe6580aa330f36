package adapt

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// An Engine is a library or a service that retries, with the limits of the delays that it
// keeps. [Engines] returns the ones of the package comment. Write an Engine of your own
// for another one, and [Engine.Check] a schedule against it.
type Engine struct {
	Name   string // as in an error
	Hook   string // the function, method or field that takes the delay
	Number string // the expression for the retry's number; empty if the hook needs none
	First  int    // that number at the first retry
	Call   string // what to write, in the words of the package comment
	Trap   string // what surprises

	Floor   time.Duration // the shortest delay that it keeps
	Grain   time.Duration // it keeps multiples of this alone; 0 for any delay
	Ceiling time.Duration // the longest delay that it keeps; 0 for any delay
	Zero    string        // what it takes a delay of 0 for, if not for a delay
	AtOnce  bool          // it keeps a delay of 0 although Floor is more
	Stops   bool          // it makes no retry after the last delay of a schedule
}

// ranges is how often Check ranges over a schedule, so that it sees the short and the
// long delays of a random one.
const ranges = 100

// Check returns an error, a [*CheckError], if e will not keep the first n delays of seq,
// which are the delays of n retries. It ranges over seq 100 times, because a random
// schedule gives other delays in each range.
//
// Use Check in a test, or where a program reads its schedule from a configuration:
//
//	err := adapt.Temporal.Check(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 8)
//
// A limit that a random schedule exceeds rarely, in less than about one range of a
// hundred, may escape it.
//
// It panics if seq is nil, n < 1, if Floor, Grain or Ceiling of e is negative, or if its
// Ceiling is neither 0 nor at least its Floor.
func (e Engine) Check(seq iter.Seq[time.Duration], n int) error {
	checkSeq("Engine.Check", seq)
	checkCount("Engine.Check", "n", n, 1)
	for _, limit := range []struct {
		name string
		d    time.Duration
	}{{"Floor", e.Floor}, {"Grain", e.Grain}, {"Ceiling", e.Ceiling}} {
		if limit.d < 0 {
			reject("Engine.Check", limit.name, limit.d, ">= 0")
		}
	}
	if e.Ceiling != 0 && e.Ceiling < e.Floor {
		reject("Engine.Check", "Ceiling", e.Ceiling, fmt.Sprintf("0 or >= Floor, which is %v", e.Floor))
	}
	err := &CheckError{Engine: e, Retries: n, Delays: n}
	var zero, short, long, uneven tally
	for range ranges {
		delays := 0
		for d := range seq {
			switch {
			case d <= 0 && e.Zero != "":
				zero.add(delays, d)
			case d <= 0 && e.AtOnce:
			case d < e.Floor:
				short.add(delays, d)
			case e.Ceiling > 0 && d > e.Ceiling:
				long.add(delays, d)
			case e.Grain > 0 && d%e.Grain != 0:
				uneven.add(delays, d)
			}
			if delays++; delays == n {
				break
			}
		}
		err.Delays, err.MaxDelays = min(err.Delays, delays), max(err.MaxDelays, delays)
	}
	err.Zero, err.Short, err.Long, err.Uneven = zero.misfit(), short.misfit(), long.misfit(), uneven.misfit()
	if err.text() == "" {
		return nil
	}
	return err
}

// A CheckError says which delays of a schedule an engine will not keep.
type CheckError struct {
	Engine  Engine
	Retries int    // how many were checked
	Delays  int    // how many delays the shortest range has, at most Retries
	Zero    Misfit // delays of 0, if Engine.Zero is not empty
	Short   Misfit // delays below Engine.Floor
	Long    Misfit // delays above Engine.Ceiling
	Uneven  Misfit // other delays that are not multiples of Engine.Grain

	MaxDelays int // how many delays the longest range has, at most Retries
}

// A Misfit tells which delays do not fit in one way. It is the zero Misfit if all fit.
type Misfit struct {
	Retries int           // how many retries have such a delay, in some range at least
	Always  bool          // they have it in every range
	First   int           // the first of these retries, counting from 1
	Delay   time.Duration // such a delay of that retry
}

// A tally counts the delays that do not fit in one way.
type tally struct {
	ranges []int           // in how many ranges delay n does not fit
	sample []time.Duration // delay n in the first of them
}

func (t *tally) add(n int, d time.Duration) {
	for len(t.ranges) <= n {
		t.ranges = append(t.ranges, 0)
		t.sample = append(t.sample, 0)
	}
	if t.ranges[n] == 0 {
		t.sample[n] = d
	}
	t.ranges[n]++
}

func (t *tally) misfit() Misfit {
	m := Misfit{Always: len(t.ranges) > 0}
	for n, count := range t.ranges {
		if count == 0 {
			continue
		}
		if m.Retries == 0 {
			m.First, m.Delay = n+1, t.sample[n]
		}
		m.Retries++
		m.Always = m.Always && count == ranges
	}
	return m
}

// Error returns one line for all that the engine will not keep.
func (err *CheckError) Error() string {
	name := err.Engine.Name
	if name == "" {
		name = "the engine"
	}
	return "adapt: " + name + " " + err.text()
}

// text returns what follows the name of the engine, or nothing if the engine keeps the
// schedule.
func (err *CheckError) text() string {
	e := err.Engine
	var all []string
	list := func(m Misfit, fact, adjective, want string) {
		if m.Retries == 0 {
			return
		}
		are := "are"
		switch {
		case !m.Always:
			are = "can be"
		case m.Retries == 1:
			are = "is"
		}
		all = append(all, fmt.Sprintf("%s: %d of %d delays %s %s, the first before retry %d (%v), want %s",
			fact, m.Retries, err.Retries, are, adjective, m.First, m.Delay, want))
	}
	list(err.Zero, "takes 0 for "+e.Zero, "0", "delays > 0")
	list(err.Short, fmt.Sprintf("waits at least %v", e.Floor), "shorter", fmt.Sprintf("delays >= %v", e.Floor))
	list(err.Long, fmt.Sprintf("waits at most %v", e.Ceiling), "longer", fmt.Sprintf("delays <= %v", e.Ceiling))
	list(err.Uneven, fmt.Sprintf("counts in steps of %v", e.Grain), "between two steps", fmt.Sprintf("multiples of %v", e.Grain))
	if err.Delays < err.Retries && !e.Stops {
		varies := err.MaxDelays > err.Delays
		end := fmt.Sprintf("the schedule %s after %d of %d delays and the last one is held", verb(varies, "can end", "ends"), err.Delays, err.Retries)
		if err.Delays == 0 {
			end = fmt.Sprintf("the schedule %s empty and every delay is then 0", verb(varies, "can be", "is"))
		}
		all = append(all, fmt.Sprintf("decides itself when it stops: %s, want %s", end, counted(err.Retries)))
	}
	return strings.Join(all, "; it ")
}

// verb returns what a schedule does in some ranges, or in every one.
func verb(varies bool, some, every string) string {
	if varies {
		return some
	}
	return every
}

func counted(delays int) string {
	if delays == 1 {
		return "1 delay"
	}
	return fmt.Sprintf("%d delays", delays)
}

// Engines returns the engines of the package comment, in its order.
func Engines() []Engine { return slices.Clone(engines) }
