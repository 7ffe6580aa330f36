package backoff_test

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/internal/samples"
	"pgregory.net/rapid"
)

// An expression is a randomly drawn schedule that carries its own text, so that a
// failed property prints how to build the schedule that breaks it.
type expression struct {
	text string
	seq  iter.Seq[time.Duration]
}

func (e expression) String() string { return e.text }

func format(name string, args ...any) string {
	text := name + "("
	for i, a := range args {
		if i > 0 {
			text += ", "
		}
		switch a := a.(type) {
		case time.Duration:
			text += fmt.Sprintf("%d", int64(a))
		default:
			text += fmt.Sprint(a)
		}
	}
	return text + ")"
}

// durations draws any duration >= 0, and often round ones or one of the ends.
func durations() *rapid.Generator[time.Duration] {
	return rapid.OneOf(
		rapid.SampledFrom([]time.Duration{0, 1, 2, 3, time.Millisecond, time.Second, time.Hour, backoff.NoLimit / 3, backoff.NoLimit/2 + 1, backoff.NoLimit - 1, backoff.NoLimit}),
		rapid.Map(rapid.Int64Range(0, int64(time.Minute)), func(d int64) time.Duration { return time.Duration(d) }),
		rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(d int64) time.Duration { return time.Duration(d) }),
	)
}

func factors() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{1, math.Nextafter(1, 2), 1.1, 1.5, 2, math.E, 3, 10, 1 << 62, 1e300, math.MaxFloat64}),
		rapid.Float64Range(1, 4),
	)
}

func powers() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 0.5, 1, 2, 3, 62, 63, 1e308, math.MaxFloat64}),
		rapid.Float64Range(0, 6),
	)
}

func fractions() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 0.01, 0.1, 0.25, 0.5, 1}),
		rapid.Float64Range(0, 1),
	)
}

func scales() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 0x1p-64, 0.5, 1, 2, 1 << 62, 1 << 63, math.MaxFloat64}),
		rapid.Float64Range(0, 10),
	)
}

// counts draws how many delays to take or drop.
func counts() *rapid.Generator[int] { return rapid.IntRange(0, 12) }

// draw is Draw for a value that needs no label, because the expression prints it.
func draw[T any](t *rapid.T, g *rapid.Generator[T]) T { return g.Draw(t, "argument") }

// lists draws a finite schedule of any delays.
func lists() *rapid.Generator[expression] {
	return rapid.Custom(func(t *rapid.T) expression {
		delays := draw(t, rapid.SliceOfN(durations(), 0, 8))
		args := make([]any, len(delays))
		for i, d := range delays {
			args[i] = d
		}
		return expression{format("list", args...), list(delays...)}
	})
}

// seeded draws a seed, and its text.
func seeded(t *rapid.T) (backoff.Option, string) {
	seed := draw(t, rapid.Uint64())
	return backoff.WithSeed(seed), fmt.Sprintf("WithSeed(%d)", seed)
}

// A named is an argument with the text that it prints as.
type named struct {
	text  string
	value any
}

func (n named) String() string { return n.text }

// values returns the arguments as a function takes them.
func values(args []any) []any {
	args = slices.Clone(args)
	for i, a := range args {
		if n, ok := a.(named); ok {
			args[i] = n.value
		}
	}
	return args
}

// argument draws an argument for a parameter of a stage.
func argument(t *rapid.T, p expr.Param) any {
	switch p.Want {
	case "a duration >= 0", "a duration >= 0 or none":
		return draw(t, durations())
	case "a finite number >= 1":
		return draw(t, factors())
	case "a finite number >= 0":
		return draw(t, rapid.OneOf(powers(), scales()))
	case "a number in [0, 1]":
		return draw(t, fractions())
	case "a whole number in [0, 2147483647]":
		return draw(t, counts())
	case "a schedule":
		e := draw(t, generators())
		return named{e.text, e.seq}
	}
	panic(fmt.Sprintf("nothing to draw for a parameter that wants %s: add a case", p.Want))
}

// arguments draws the arguments of a stage. It leaves out arguments that are refused
// together, such as an upper end below the lower one.
func arguments(s expr.Stage) *rapid.Generator[[]any] {
	return rapid.Custom(func(t *rapid.T) []any {
		args := make([]any, len(s.Params))
		for i, p := range s.Params {
			args[i] = argument(t, p)
		}
		return args
	}).Filter(func(args []any) bool { return accepted(s, args) })
}

// accepted reports whether package expr accepts the arguments of a stage.
func accepted(s expr.Stage, args []any) bool {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprint(a)
		if s.Params[i].Want == "a schedule" {
			words[i] = "list()"
		}
	}
	text := s.Name + "(" + strings.Join(words, ", ") + ")"
	if !s.Starts {
		text = "list() | " + text
	}
	_, err := expr.Parse(text)
	return err == nil
}

// callOf draws a call of the function that a stage of package expr stands for, with a
// seed if it is random.
func callOf(s expr.Stage) *rapid.Generator[stage] {
	return rapid.Custom(func(t *rapid.T) stage {
		args := draw(t, arguments(s))
		if s.Random {
			seed, text := seeded(t)
			args = append(args, named{text, seed})
		}
		f := samples.Of(s.Func).Func
		if s.Starts {
			seq := samples.Call(f, values(args)...)
			return stage{format(s.Func, args...), func(iter.Seq[time.Duration]) iter.Seq[time.Duration] { return seq }}
		}
		return stage{format(s.Func, append([]any{"%s"}, args...)...), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
			return samples.Call(f, append([]any{seq}, values(args)...)...)
		}}
	})
}

// started draws one of the generators of package expr, of those that are random, with
// a seed, or of those that are not.
func started(random bool) *rapid.Generator[expression] {
	var all []*rapid.Generator[expression]
	for _, s := range expr.Stages() {
		if s.Starts && s.Random == random && s.Func != "" {
			all = append(all, rapid.Map(callOf(s), func(st stage) expression { return expression{st.text, st.apply(nil)} }))
		}
	}
	return rapid.OneOf(all...)
}

// generators draws any generator.
func generators() *rapid.Generator[expression] {
	return rapid.OneOf(started(false), started(true), lists(), rapid.Just(expression{
		"Func(n => n ms)",
		backoff.Func(func(n int) time.Duration { return time.Duration(n) * time.Millisecond }),
	}))
}

// A stage is a randomly drawn function from schedule to schedule.
type stage struct {
	text  string // with %s for the schedule
	apply func(iter.Seq[time.Duration]) iter.Seq[time.Duration]
}

func (st stage) String() string { return st.text }

func (st stage) on(e expression) expression {
	return expression{fmt.Sprintf(st.text, e.text), st.apply(e.seq)}
}

// followed draws one of the combinators of package expr that fit.
func followed(fits func(expr.Stage) bool) *rapid.Generator[stage] {
	var all []*rapid.Generator[stage]
	for _, s := range expr.Stages() {
		if !s.Starts && fits(s) {
			all = append(all, callOf(s))
		}
	}
	return rapid.OneOf(all...)
}

// maps draws a Map, which package expr does not have because it takes a function.
func maps() *rapid.Generator[stage] {
	return rapid.Custom(func(t *rapid.T) stage {
		sub := draw(t, durations())
		return stage{fmt.Sprintf("Map(%%s, d => d - %d)", sub), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
			return backoff.Map(seq, func(d time.Duration) time.Duration { return d - sub })
		}}
	})
}

// pointwise draws a stage that makes each delay from one delay.
func pointwise() *rapid.Generator[stage] {
	return rapid.OneOf(maps(), followed(func(s expr.Stage) bool {
		return s.Func == "Cap" || s.Func == "Floor" || s.Func == "Scale"
	}))
}

// seededStages draws a stage that makes delays random.
func seededStages() *rapid.Generator[stage] {
	return followed(func(s expr.Stage) bool { return s.Random })
}

// stages draws any stage.
func stages() *rapid.Generator[stage] {
	return rapid.OneOf(maps(), followed(func(expr.Stage) bool { return true }))
}

// expressions draws a generator and up to three stages. The random ones have seeds, so
// the schedule replays.
func expressions() *rapid.Generator[expression] {
	return rapid.Custom(func(t *rapid.T) expression {
		e := draw(t, generators())
		for range draw(t, rapid.IntRange(0, 3)) {
			e = draw(t, stages()).on(e)
		}
		return e
	})
}
