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
)

// A sample is an expression drawn at random: its text and the schedule that the
// functions of package backoff make when they are called directly.
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

const noLimitText = "none"

func drawSample(t *rapid.T, seed uint64) sample {
	s := sampler{t: t, seed: backoff.WithSeed(seed)}
	return s.pipeline(3)
}

// random returns the options of the next random stage.
func (s *sampler) random() []backoff.Option {
	s.stream++
	return []backoff.Option{s.seed, backoff.WithStream(s.stream - 1)}
}

func (s *sampler) pipeline(depth int) sample {
	out := s.generator()
	for range rapid.IntRange(0, 3).Draw(s.t, "stages") {
		out = s.combinator(out, depth)
	}
	return out
}

func (s *sampler) duration() time.Duration { return anyDuration().Draw(s.t, "duration") }

// limit returns a duration and a text for it.
func (s *sampler) limit() (time.Duration, string) {
	if rapid.Bool().Draw(s.t, "unlimited") {
		return backoff.NoLimit, noLimitText
	}
	d := s.duration()
	return d, d.String()
}

func (s *sampler) number(lo, hi float64) float64 {
	return rapid.OneOf(rapid.Float64Range(lo, hi), rapid.Just(lo), rapid.Just(hi)).Draw(s.t, "number")
}

func anyDuration() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.OneOf(
		rapid.Int64Range(0, math.MaxInt64),
		rapid.Map(rapid.Int64Range(0, 10_000), func(n int64) int64 { return n * int64(time.Millisecond) }),
		rapid.Map(rapid.Int64Range(0, 10_000), func(n int64) int64 { return n * int64(time.Minute) }),
		rapid.SampledFrom([]int64{0, 1, math.MaxInt64 - 1, math.MaxInt64}),
	), func(n int64) time.Duration { return time.Duration(n) })
}

func (s *sampler) generator() sample {
	text := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	jittered := func(name string, f func(base, limit time.Duration, opts ...backoff.Option) iter.Seq[time.Duration]) sample {
		base := s.duration()
		limit, limitText := s.limit()
		return sample{text("%s(%v,%s)", name, base, limitText), f(base, limit, s.random()...)}
	}
	switch rapid.IntRange(0, 12).Draw(s.t, "generator") {
	case 0:
		d := s.duration()
		return sample{text("constant(%v)", d), backoff.Constant(d)}
	case 1:
		base, step := s.duration(), s.duration()
		return sample{text("linear(%v,%v)", base, step), backoff.Linear(base, step)}
	case 2:
		base, factor := s.duration(), s.number(1, math.MaxFloat64)
		return sample{text("exponential(%v,%v)", base, factor), backoff.Exponential(base, factor)}
	case 3:
		base, power := s.duration(), s.number(0, math.MaxFloat64)
		return sample{text("polynomial(%v,%v)", base, power), backoff.Polynomial(base, power)}
	case 4:
		base := s.duration()
		return sample{text("fibonacci(%v)", base), backoff.Fibonacci(base)}
	case 5:
		a, b := s.duration(), s.duration()
		a, b = min(a, b), max(a, b)
		return sample{text("uniform(%v,%v)", a, b), backoff.Uniform(a, b, s.random()...)}
	case 6:
		return jittered("full-jitter", backoff.FullJitter)
	case 7:
		return jittered("equal-jitter", backoff.EqualJitter)
	case 8:
		return jittered("decorrelated-jitter", backoff.DecorrelatedJitter)
	case 9:
		return jittered("smooth-jitter", backoff.SmoothJitter)
	case 10:
		base := s.duration()
		limit, limitText := s.limit()
		fraction := s.number(0, 1)
		return sample{
			text("top-jitter(%v,%s,%v)", base, limitText, fraction),
			backoff.TopJitter(base, limit, fraction, s.random()...),
		}
	case 11:
		base := s.duration()
		limit, limitText := s.limit()
		factor, deviation := s.number(1, math.MaxFloat64), s.number(0, math.MaxFloat64)
		return sample{
			text("normal-jitter(%v,%s,%v,%v)", base, limitText, factor, deviation),
			backoff.NormalJitter(base, limit, factor, deviation, s.random()...),
		}
	default:
		delays := rapid.SliceOfN(anyDuration(), 0, 5).Draw(s.t, "list")
		words := make([]string, len(delays))
		for i, d := range delays {
			words[i] = d.String()
		}
		return sample{text("list(%s)", strings.Join(words, ",")), slices.Values(delays)}
	}
}

func (s *sampler) combinator(in sample, depth int) sample {
	kinds := 8
	if depth > 0 {
		kinds = 11
	}
	out := sample{text: in.text}
	add := func(name, arg string, seq iter.Seq[time.Duration]) {
		out.text += "|" + name + "(" + arg + ")"
		out.seq = seq
	}
	switch rapid.IntRange(0, kinds-1).Draw(s.t, "combinator") {
	case 0:
		n := rapid.IntRange(0, 10).Draw(s.t, "n")
		add("take", strconv.Itoa(n), backoff.Take(in.seq, n))
	case 1:
		n := rapid.IntRange(0, 10).Draw(s.t, "n")
		add("drop", strconv.Itoa(n), backoff.Drop(in.seq, n))
	case 2:
		d, text := s.limit()
		add("cap", text, backoff.Cap(in.seq, d))
	case 3:
		d := s.duration()
		add("floor", d.String(), backoff.Floor(in.seq, d))
	case 4:
		f := s.number(0, math.MaxFloat64)
		add("scale", fmt.Sprint(f), backoff.Scale(in.seq, f))
	case 5:
		f := s.number(0, 1)
		add("jitter", fmt.Sprint(f), backoff.Jitter(in.seq, f, s.random()...))
	case 6:
		f := s.number(0, 1)
		add("spread", fmt.Sprint(f), backoff.Spread(in.seq, f, s.random()...))
	case 7:
		d, text := s.limit()
		add("within", text, backoff.Within(in.seq, d))
	case 8:
		other := s.pipeline(depth - 1)
		add("then", other.text, backoff.Concat(in.seq, other.seq))
	case 9:
		other := s.pipeline(depth - 1)
		add("max", other.text, backoff.Max(in.seq, other.seq))
	case 10:
		other := s.pipeline(depth - 1)
		add("min", other.text, backoff.Min(in.seq, other.seq))
	}
	return out
}

// An expression is the schedule of the direct calls, and it goes through its text
// unharmed.
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

// Every number survives its text to the last bit, which the limits of a stage's
// parameter and the shortest form could both spoil.
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

// A text that is cut off anywhere is an error at its end, or a shorter expression.
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
