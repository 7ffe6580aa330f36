package expr

import (
	"iter"
	"slices"
	"strings"
	"time"

	"example.com/backoff"
)

// A Stage describes one stage that an expression can have.
type Stage struct {
	Name    string  // as it is written: full-jitter
	Func    string  // the function of package backoff: FullJitter; empty for list
	Params  []Param // what it takes, in order
	Many    bool    // the last parameter may stand any number of times, or not at all
	Starts  bool    // it starts a schedule; all others follow a |
	Random  bool    // it draws random numbers
	Formula string  // delay n, counting from 0; or what becomes of the delay d before it
	Example string  // an expression that has the stage
}

// A Param describes one parameter of a [Stage].
type Param struct {
	Name string // as package backoff calls it
	Want string // what it takes, in words: "a number in [0, 1]"

	kind *kind
}

// Usage returns the name and the parameters as a call is written:
// full-jitter(base, limit).
func (s Stage) Usage() string {
	names := make([]string, len(s.Params))
	for i, p := range s.Params {
		names[i] = p.Name
	}
	if s.Many {
		names = append(names, "...")
	}
	return s.Name + "(" + strings.Join(names, ", ") + ")"
}

// Stages returns all stages: those that start a schedule, then the others, each
// in the order of package backoff. The slice is the caller's own.
func Stages() []Stage {
	all := make([]Stage, len(stages))
	for i, s := range stages {
		all[i] = s.Stage
		all[i].Params = slices.Clone(s.Params)
	}
	return all
}

// A stage is a Stage that can be built.
type stage struct {
	Stage
	build func(input) iter.Seq[time.Duration]
	check func([]arg) (bad int, want string) // of arguments that are right each by itself; nil: nothing
}

// An input is what a stage is built from.
type input struct {
	seq   iter.Seq[time.Duration] // what stands before it
	other iter.Seq[time.Duration] // of a stage that nests: its argument
	args  []arg
	opts  []backoff.Option
}

func (s *stage) param(i int) Param {
	return s.Params[min(i, len(s.Params)-1)]
}

// nests reports whether the one argument of s is an expression.
func (s *stage) nests() bool { return s.Params[0].kind.nests() }

// stageNamed returns nil if there is none.
func stageNamed(name string) *stage {
	for i := range stages {
		if stages[i].Name == name {
			return &stages[i]
		}
	}
	return nil
}

func param(name string, k *kind) Param { return Param{Name: name, Want: k.want, kind: k} }

var (
	base     = param("base", duration)
	limit    = param("limit", bound)
	fraction = param("fraction", share)
	factor   = param("factor", atLeast1)
	other    = param("EXPR", expression)
)

var stages = []stage{
	{
		Stage: Stage{
			Name: "constant", Func: "Constant", Starts: true,
			Params:  []Param{param("delay", duration)},
			Formula: "delay",
			Example: "constant(1s)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Constant(in.args[0].delay) },
	},
	{
		Stage: Stage{
			Name: "linear", Func: "Linear", Starts: true,
			Params:  []Param{base, param("step", duration)},
			Formula: "base + n·step",
			Example: "linear(1s, 500ms)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Linear(in.args[0].delay, in.args[1].delay)
		},
	},
	{
		Stage: Stage{
			Name: "exponential", Func: "Exponential", Starts: true,
			Params:  []Param{base, factor},
			Formula: "base·factorⁿ",
			Example: "exponential(100ms, 2)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Exponential(in.args[0].delay, in.args[1].number)
		},
	},
	{
		Stage: Stage{
			Name: "polynomial", Func: "Polynomial", Starts: true,
			Params:  []Param{base, param("power", atLeast0)},
			Formula: "base·(n+1)^power",
			Example: "polynomial(100ms, 2)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Polynomial(in.args[0].delay, in.args[1].number)
		},
	},
	{
		Stage: Stage{
			Name: "fibonacci", Func: "Fibonacci", Starts: true,
			Params:  []Param{base},
			Formula: "base·(1, 1, 2, 3, 5, 8, ...)",
			Example: "fibonacci(100ms)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Fibonacci(in.args[0].delay) },
	},
	{
		Stage: Stage{
			Name: "uniform", Func: "Uniform", Starts: true, Random: true,
			Params:  []Param{param("lo", duration), param("hi", duration)},
			Formula: "U[lo, hi]",
			Example: "uniform(500ms, 2s)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Uniform(in.args[0].delay, in.args[1].delay, in.opts...)
		},
		check: func(args []arg) (int, string) {
			if lo := args[0].delay; args[1].delay < lo {
				return 1, ">= lo, which is " + FormatDuration(lo)
			}
			return 0, ""
		},
	},
	{
		Stage: Stage{
			Name: "full-jitter", Func: "FullJitter", Starts: true, Random: true,
			Params:  []Param{base, limit},
			Formula: "U[0, e], e = min(limit, base·2ⁿ)",
			Example: "full-jitter(100ms, 10s)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.FullJitter(in.args[0].delay, in.args[1].delay, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "equal-jitter", Func: "EqualJitter", Starts: true, Random: true,
			Params:  []Param{base, limit},
			Formula: "U[e/2, e], e = min(limit, base·2ⁿ)",
			Example: "equal-jitter(100ms, 10s)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.EqualJitter(in.args[0].delay, in.args[1].delay, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "top-jitter", Func: "TopJitter", Starts: true, Random: true,
			Params:  []Param{base, limit, fraction},
			Formula: "U[(1−fraction)·e, e], e = min(limit, base·2ⁿ)",
			Example: "top-jitter(1s, 16s, 0.25)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.TopJitter(in.args[0].delay, in.args[1].delay, in.args[2].number, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "decorrelated-jitter", Func: "DecorrelatedJitter", Starts: true, Random: true,
			Params:  []Param{base, limit},
			Formula: "U[base, min(limit, 3·previous)], previous starts at base",
			Example: "decorrelated-jitter(100ms, 10s)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.DecorrelatedJitter(in.args[0].delay, in.args[1].delay, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "smooth-jitter", Func: "SmoothJitter", Starts: true, Random: true,
			Params:  []Param{base, limit},
			Formula: "base·(g(n+Uₙ) − g(n−1+Uₙ₋₁)), g(t) = 2ᵗ·tanh(√(4t))/1.4, straight near limit",
			Example: "smooth-jitter(100ms, 10s)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.SmoothJitter(in.args[0].delay, in.args[1].delay, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "normal-jitter", Func: "NormalJitter", Starts: true, Random: true,
			Params:  []Param{base, limit, factor, param("deviation", atLeast0)},
			Formula: "base, then N(m, deviation·m), m = min(limit, factor·previous)",
			Example: "normal-jitter(100ms, 10m, 2.7, 0.1)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			a := in.args
			return backoff.NormalJitter(a[0].delay, a[1].delay, a[2].number, a[3].number, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "list", Starts: true, Many: true,
			Params:  []Param{param("delay", duration)},
			Formula: "the delays given, then the end",
			Example: "list(100ms, 1s, 10s)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			delays := make([]time.Duration, len(in.args))
			for i, a := range in.args {
				delays[i] = a.delay
			}
			return slices.Values(delays)
		},
	},

	{
		Stage: Stage{
			Name: "take", Func: "Take",
			Params:  []Param{param("n", whole)},
			Formula: "the first n delays",
			Example: "exponential(1s, 2) | take(4)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Take(in.seq, in.args[0].count) },
	},
	{
		Stage: Stage{
			Name: "drop", Func: "Drop",
			Params:  []Param{param("n", whole)},
			Formula: "the delays after the first n",
			Example: "exponential(1s, 2) | drop(2)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Drop(in.seq, in.args[0].count) },
	},
	{
		Stage: Stage{
			Name: "cap", Func: "Cap",
			Params:  []Param{limit},
			Formula: "min(d, limit)",
			Example: "exponential(1s, 2) | cap(5s)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Cap(in.seq, in.args[0].delay) },
	},
	{
		Stage: Stage{
			Name: "floor", Func: "Floor",
			Params:  []Param{param("limit", duration)},
			Formula: "max(d, limit)",
			Example: "exponential(1s, 2) | floor(3s)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Floor(in.seq, in.args[0].delay) },
	},
	{
		Stage: Stage{
			Name: "scale", Func: "Scale",
			Params:  []Param{param("factor", atLeast0)},
			Formula: "factor·d",
			Example: "fibonacci(1s) | scale(0.5)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Scale(in.seq, in.args[0].number) },
	},
	{
		Stage: Stage{
			Name: "jitter", Func: "Jitter", Random: true,
			Params:  []Param{fraction},
			Formula: "U[(1−fraction)·d, d]",
			Example: "exponential(100ms, 1.5) | cap(10s) | jitter(1)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Jitter(in.seq, in.args[0].number, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "spread", Func: "Spread", Random: true,
			Params:  []Param{fraction},
			Formula: "U[(1−fraction)·d, (1+fraction)·d]",
			Example: "constant(10s) | spread(0.1)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Spread(in.seq, in.args[0].number, in.opts...)
		},
	},
	{
		Stage: Stage{
			Name: "within", Func: "Within",
			Params:  []Param{param("total", bound)},
			Formula: "the longest prefix whose sum is at most total",
			Example: "exponential(1s, 2) | within(10s)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Within(in.seq, in.args[0].delay) },
	},
	{
		Stage: Stage{
			Name: "then", Func: "Concat",
			Params:  []Param{other},
			Formula: "the delays before it, then those of EXPR",
			Example: "list(0s, 0s) | then(constant(1s))",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Concat(in.seq, in.other) },
	},
	{
		Stage: Stage{
			Name: "max", Func: "Max",
			Params:  []Param{other},
			Formula: "the larger of d and the delay of EXPR; ends with the shorter",
			Example: "exponential(1s, 2) | max(linear(3s, 1s))",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Max(in.seq, in.other) },
	},
	{
		Stage: Stage{
			Name: "min", Func: "Min",
			Params:  []Param{other},
			Formula: "the smaller of d and the delay of EXPR; ends with the longer",
			Example: "exponential(1s, 2) | min(linear(3s, 1s))",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Min(in.seq, in.other) },
	},
}
