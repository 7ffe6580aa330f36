package expr_test

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/internal/samples"
)

// A sample is a random expression: its text, and the schedule that direct calls of package
// backoff make.
type sample struct {
	text string
	seq  iter.Seq[time.Duration]
}

// A sampler draws one sample. It numbers the random stages as they are written.
type sampler struct {
	t      *rapid.T
	seed   backoff.Option
	stream uint64
}

func drawSample(t *rapid.T, seed uint64) sample {
	s := sampler{t: t, seed: backoff.WithSeed(seed)}
	return s.pipeline(3)
}

func (s *sampler) pipeline(depth int) sample {
	starts, follows := partition(depth)
	one := func(stages []expr.Stage) expr.Stage {
		return stages[rapid.IntRange(0, len(stages)-1).Draw(s.t, "stage")]
	}
	out := s.call(one(starts), sample{}, depth)
	for range rapid.IntRange(0, 3).Draw(s.t, "stages") {
		out = s.call(one(follows), out, depth)
	}
	return out
}

// partition returns the generators and the other stages. If depth is 0, it leaves out those
// that nest an expression.
func partition(depth int) (starts, follows []expr.Stage) {
	for _, s := range expr.Stages() {
		switch {
		case s.Starts:
			starts = append(starts, s)
		case depth > 0 || s.Params[0].Want != "a schedule":
			follows = append(follows, s)
		}
	}
	return starts, follows
}

// call draws a call of a stage, after before if it starts no schedule.
func (s *sampler) call(stage expr.Stage, before sample, depth int) sample {
	var words []string
	var args []any
	n := len(stage.Params)
	if stage.Many {
		n = rapid.IntRange(0, 5).Draw(s.t, "arguments")
	}
	for i := range n {
		word, arg := s.arg(stage.Params[min(i, len(stage.Params)-1)], depth)
		words, args = append(words, word), append(args, arg)
	}
	if stage.Name == "uniform" && args[1].(time.Duration) < args[0].(time.Duration) {
		slices.Reverse(words)
		slices.Reverse(args)
	}
	text := stage.Name + "(" + strings.Join(words, ",") + ")"
	if !stage.Starts {
		text = before.text + "|" + text
		args = append([]any{before.seq}, args...)
	}
	if stage.Random {
		args = append(args, s.seed, backoff.WithStream(s.stream))
		s.stream++
	}
	if stage.Name == "list" {
		delays := make([]time.Duration, n)
		for i, a := range args {
			delays[i] = a.(time.Duration)
		}
		return sample{text, slices.Values(delays)}
	}
	return sample{text, samples.Call(samples.Of(stage.Func).Func, args...)}
}

// arg draws an argument: its text, and its value for package backoff.
func (s *sampler) arg(p expr.Param, depth int) (word string, arg any) {
	number := func(lo, hi float64) (string, any) {
		f := rapid.OneOf(rapid.Float64Range(lo, hi), rapid.Just(lo), rapid.Just(hi)).Draw(s.t, p.Name)
		return fmt.Sprint(f), f
	}
	switch p.Want {
	case "a duration >= 0 or none":
		if rapid.Bool().Draw(s.t, "unlimited") {
			return "none", backoff.NoLimit
		}
		fallthrough
	case "a duration >= 0":
		d := anyDuration().Draw(s.t, p.Name)
		return d.String(), d
	case "a finite number >= 1":
		return number(1, math.MaxFloat64)
	case "a finite number >= 0":
		return number(0, math.MaxFloat64)
	case "a number in [0, 1]":
		return number(0, 1)
	case "a whole number in [0, 2147483647]":
		n := rapid.IntRange(0, 10).Draw(s.t, p.Name)
		return strconv.Itoa(n), n
	case "a schedule":
		other := s.pipeline(depth - 1)
		return other.text, other.seq
	}
	s.t.Fatalf("nothing to draw for a parameter that wants %s: add a case", p.Want)
	return "", nil
}

func anyDuration() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.OneOf(
		rapid.Int64Range(0, math.MaxInt64),
		rapid.Map(rapid.Int64Range(0, 10_000), func(n int64) int64 { return n * int64(time.Millisecond) }),
		rapid.Map(rapid.Int64Range(0, 10_000), func(n int64) int64 { return n * int64(time.Minute) }),
		rapid.SampledFrom([]int64{0, 1, math.MaxInt64 - 1, math.MaxInt64}),
	), func(n int64) time.Duration { return time.Duration(n) })
}

// Each stage calls its function, with the arguments in the same order.
func TestStageIsItsCall(t *testing.T) {
	for _, stage := range expr.Stages() {
		t.Run(stage.Name, rapid.MakeCheck(func(t *rapid.T) {
			s := sampler{t: t, seed: backoff.WithSeed(1)}
			var before sample
			if !stage.Starts {
				before = sample{"linear(1s,1s)", backoff.Linear(time.Second, time.Second)}
			}
			c := s.call(stage, before, 1)
			if diff := cmp.Diff(first(c.seq, 50), first(parse(t, c.text).Schedule(s.seed), 50)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", c.text, diff)
			}
		}))
	}
}

// An expression makes the schedule of the direct calls, and so does its text, parsed again.
func TestExpressionIsItsCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		s := drawSample(t, seed)
		e, err := expr.Parse(s.text)
		if err != nil {
			t.Fatal(s.text, err)
		}
		again, err := expr.Parse(e.String())
		if err != nil {
			t.Fatal(e, err)
		}
		if again.String() != e.String() {
			t.Fatalf("%s prints as %s, and that as %s", s.text, e, again)
		}
		want := first(s.seq, 50)
		for _, e := range []*expr.Expr{e, again} {
			if diff := cmp.Diff(want, first(e.Schedule(backoff.WithSeed(seed)), 50)); diff != "" {
				t.Fatalf("%s, seed %d (-want +got):\n%s", e, seed, diff)
			}
		}
	})
}

// White space between tokens changes nothing.
func TestSpaceIsFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSample(t, 1)
		space := rapid.SampledFrom([]string{"", " ", "\n", "\t  ", "\u00a0"})
		var b strings.Builder
		for _, r := range s.text {
			mark := strings.ContainsRune("|(),", r)
			if mark {
				b.WriteString(space.Draw(t, "before"))
			}
			b.WriteRune(r)
			if mark {
				b.WriteString(space.Draw(t, "after"))
			}
		}
		want, got := parse(t, s.text).String(), parse(t, b.String()).String()
		if want != got {
			t.Fatalf("%q prints as %s, want %s", b.String(), got, want)
		}
	})
}

func TestFormatDurationParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyDuration().Draw(t, "duration")
		text := expr.FormatDuration(want)
		got, err := time.ParseDuration(text)
		if err != nil || got != want {
			t.Fatalf("%d is written as %q, which is %d, %v", want, text, got, err)
		}
		if whole := want.String(); len(text) > len(whole) {
			t.Fatalf("%q is longer than %q", text, whole)
		}
	})
}

// A number that is written and parsed again is the same to the last bit.
func TestNumberParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Abs(rapid.Float64().Draw(t, "factor"))
		if math.IsInf(f, 0) {
			return
		}
		text := parse(t, "list()|scale("+strconv.FormatFloat(f, 'e', -1, 64)+")").String()
		written := strings.TrimSuffix(strings.TrimPrefix(text, "list() | scale("), ")")
		if got, err := strconv.ParseFloat(written, 64); err != nil || got != f {
			t.Fatalf("%v is written as %q, which is %v, %v", f, written, got, err)
		}
	})
}

// A text that is cut off is a shorter expression, or an error no later than at its end.
func TestCutOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := parse(t, drawSample(t, 1).text).String()
		runes := []rune(text)
		cut := string(runes[:rapid.IntRange(0, len(runes)-1).Draw(t, "length")])
		e, err := expr.Parse(cut)
		if err == nil {
			if short := e.String(); !strings.HasPrefix(text, short) {
				t.Fatalf("%q is %s, which %s does not begin with", cut, short, text)
			}
			return
		}
		if column := err.(*expr.Error).Column; column > len([]rune(cut))+1 {
			t.Fatalf("%q: %v, beyond the end", cut, err)
		}
	})
}
