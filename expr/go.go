package expr

import (
	"strconv"
	"strings"
	"time"

	"example.com/backoff"
)

// Go returns the Go expression that makes the schedule of e, formatted as gofmt does:
//
//	backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 8)
//
// Use it to move a schedule from text into a program. The program needs the packages
// backoff and time, and package slices for a list.
//
// Each of opts is a Go expression of type [backoff.Option]. As in [Expr.Schedule], every
// random stage gets opts, and after them a stream of its own. So the schedule of
// e.Go("backoff.WithSeed(42)") has the delays of e.Seeded(42). None of opts may be a
// [backoff.WithStream]: the first random stage has stream 0 by not naming one, and would
// draw from that stream instead.
//
// Go panics if e is not set.
func (e Expr) Go(opts ...string) string {
	w := goWriter{opts: opts}
	return w.pipeline(e.set("Go"), false)
}

// A goWriter writes one expression. It numbers the random stages in the order of a builder.
type goWriter struct {
	opts   []string
	stream uint64
}

// pipeline returns the call that makes a schedule. Among several arguments of a call, and
// in calls nested there, gofmt writes operators without spaces. If tight is true, this call
// stands in such a place.
func (w *goWriter) pipeline(calls []call, tight bool) (seq string) {
	tight = tight || len(calls) > 1
	for _, c := range calls {
		seq = w.call(c, seq, tight)
	}
	return seq
}

func (w *goWriter) call(c call, seq string, tight bool) string {
	if c.stage.Func == "" {
		return goList(c.args)
	}
	var words []string
	if seq != "" {
		words = append(words, seq)
	}
	tight = tight || len(c.args) > 1
	for i, a := range c.args {
		k := c.stage.param(i).kind
		switch {
		case k.nests():
			words = append(words, w.pipeline(a.nested, true))
		case k == duration || k == bound:
			words = append(words, goDuration(a.delay, tight))
		default:
			words = append(words, k.write(a))
		}
	}
	if c.stage.Random {
		words = append(words, w.opts...)
		if w.stream > 0 && len(w.opts) > 0 {
			words = append(words, "backoff.WithStream("+strconv.FormatUint(w.stream, 10)+")")
		}
		w.stream++
	}
	return "backoff." + c.stage.Func + "(" + strings.Join(words, ", ") + ")"
}

// goList returns the call that makes the schedule list(args).
func goList(args []arg) string {
	if len(args) == 0 {
		return "backoff.Concat()"
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = goDuration(a.delay, false)
	}
	return "slices.Values([]time.Duration{" + strings.Join(words, ", ") + "})"
}

var goUnits = []struct {
	size time.Duration
	name string
}{
	{time.Hour, "time.Hour"},
	{time.Minute, "time.Minute"},
	{time.Second, "time.Second"},
	{time.Millisecond, "time.Millisecond"},
	{time.Microsecond, "time.Microsecond"},
	{time.Nanosecond, "time.Nanosecond"},
}

// goDuration returns d as a multiple of the largest unit that divides it: 90*time.Second.
func goDuration(d time.Duration, tight bool) string {
	switch d {
	case 0:
		return "0"
	case backoff.NoLimit:
		return "backoff.NoLimit"
	}
	times := " * "
	if tight {
		times = "*"
	}
	unit := goUnits[0]
	for i := 0; d%unit.size != 0; i++ {
		unit = goUnits[i+1]
	}
	if d == unit.size {
		return unit.name
	}
	return strconv.FormatInt(int64(d/unit.size), 10) + times + unit.name
}
