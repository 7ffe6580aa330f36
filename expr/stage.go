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
	Name    string  // name in an expression: full-jitter
	Func    string  // function of package backoff: FullJitter; empty for list
	Params  []Param // parameters, in order
	Many    bool    // the last parameter takes any number of arguments, including none
	Starts  bool    // it is a generator; all others follow a |
	Random  bool    // it draws random numbers
	Use     string  // when to use it, in one line
	Formula string  // delay n, counting from 0; for the others, the result for a delay d before the stage
	Example string  // an expression with the stage
}

// A Param describes one parameter of a [Stage].
type Param struct {
	Name string // its name in package backoff
	Want string // the arguments that it takes, in words: "a number in [0, 1]"

	kind *kind
}

// Usage returns the form of a call: full-jitter(base, limit).
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

// Stages returns all stages: the generators, then the others, each in the order of package
// backoff. The caller may change the slice.
func Stages() []Stage {
	all := make([]Stage, len(stages))
	for i, s := range stages {
		all[i] = s.Stage
		all[i].Params = slices.Clone(s.Params)
	}
	return all
}

// A stage is a Stage and the function that builds its schedule.
type stage struct {
	Stage
	build func(input) iter.Seq[time.Duration] // nil for drop, see schedule
	check func([]arg) (bad int, want string)  // compares arguments with each other; want is empty if they agree; nil accepts all

	from      func(args []arg, n int64) iter.Seq[time.Duration] // what build builds, without its first n >= 1 delays; nil if it has to draw them
	pointwise bool                                              // delay n depends on delay n of the schedule before the stage, and of EXPR, and on nothing else
}

// An input has what a stage builds its schedule from.
type input struct {
	seq   iter.Seq[time.Duration] // the schedule before it; nil for a generator
	other iter.Seq[time.Duration] // the nested schedule, if the stage takes one
	args  []arg
	opts  []backoff.Option
}

func (s *stage) param(i int) Param {
	return s.Params[min(i, len(s.Params)-1)]
}

// nests reports whether the one argument of s is an expression.
func (s *stage) nests() bool { return s.Params[0].kind.nests() }

// stageNamed returns the stage of that name, or nil.
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
			Use:     "to poll, in tests, or for one client: many would retry together",
			Formula: "delay",
			Example: "constant(1s)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Constant(in.args[0].delay) },
		from:  constantFrom,
	},
	{
		Stage: Stage{
			Name: "linear", Func: "Linear", Starts: true,
			Params:  []Param{base, param("step", duration)},
			Use:     "when delays should grow evenly",
			Formula: "base + n·step",
			Example: "linear(1s, 500ms)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Linear(in.args[0].delay, in.args[1].delay)
		},
		from: linearFrom,
	},
	{
		Stage: Stage{
			Name: "exponential", Func: "Exponential", Starts: true,
			Params:  []Param{base, factor},
			Use:     "when delays should grow by a factor; put cap and jitter after it",
			Formula: "base·factorⁿ",
			Example: "exponential(100ms, 2)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Exponential(in.args[0].delay, in.args[1].number)
		},
		from: exponentialFrom,
	},
	{
		Stage: Stage{
			Name: "polynomial", Func: "Polynomial", Starts: true,
			Params:  []Param{base, param("power", atLeast0)},
			Use:     "when delays should grow by a power: 2 is quadratic",
			Formula: "base·(n+1)^power",
			Example: "polynomial(100ms, 2)",
		},
		build: func(in input) iter.Seq[time.Duration] {
			return backoff.Polynomial(in.args[0].delay, in.args[1].number)
		},
		from: polynomialFrom,
	},
	{
		Stage: Stage{
			Name: "fibonacci", Func: "Fibonacci", Starts: true,
			Params:  []Param{base},
			Use:     "when doubling is too fast: delays grow by 1.6 a retry",
			Formula: "base·(1, 1, 2, 3, 5, 8, ...)",
			Example: "fibonacci(100ms)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Fibonacci(in.args[0].delay) },
		from:  fibonacciFrom,
	},
	{
		Stage: Stage{
			Name: "uniform", Func: "Uniform", Starts: true, Random: true,
			Params:  []Param{param("lo", duration), param("hi", duration)},
			Use:     "to poll without a rhythm: every delay has the same bounds",
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
			Use:     "by default: it spreads clients the most, and its mean delay is e/2",
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
			Use:     "when every delay should be at least half of e",
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
			Use:     "when delays should be near e: at most fraction below it",
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
			Use:     "when no delay should be below base",
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
			Use:     "to spread the retries of many clients evenly",
			Formula: "base·(g(n+Uₙ) − g(n−1+Uₙ₋₁)), g(t) = 2ᵗ·tanh(√(4t))/1.4, linear near limit",
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
			Use:     "when delays should vary a little; limit bounds the mean m",
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
			Use:     "for a few delays of your own choice",
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
			Use:     "to limit the retries: n retries are n+1 attempts",
			Formula: "the first n delays",
			Example: "exponential(1s, 2) | take(4)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Take(in.seq, in.args[0].count) },
	},
	{
		Stage: Stage{
			Name: "drop", Func: "Drop",
			Params:  []Param{param("n", whole)},
			Use:     "to begin later in a schedule",
			Formula: "the delays after the first n",
			Example: "exponential(1s, 2) | drop(2)",
		},
	},
	{
		Stage: Stage{
			Name: "cap", Func: "Cap",
			Params:  []Param{limit},
			Use:     "before jitter to limit the delays (max delay)",
			Formula: "min(d, limit)",
			Example: "exponential(1s, 2) | cap(5s)",
		},
		build:     func(in input) iter.Seq[time.Duration] { return backoff.Cap(in.seq, in.args[0].delay) },
		pointwise: true,
	},
	{
		Stage: Stage{
			Name: "floor", Func: "Floor",
			Params:  []Param{param("limit", duration)},
			Use:     "to have a shortest delay (min delay)",
			Formula: "max(d, limit)",
			Example: "exponential(1s, 2) | floor(3s)",
		},
		build:     func(in input) iter.Seq[time.Duration] { return backoff.Floor(in.seq, in.args[0].delay) },
		pointwise: true,
	},
	{
		Stage: Stage{
			Name: "scale", Func: "Scale",
			Params:  []Param{param("factor", atLeast0)},
			Use:     "to stretch or shorten a whole schedule",
			Formula: "factor·d",
			Example: "fibonacci(1s) | scale(0.5)",
		},
		build:     func(in input) iter.Seq[time.Duration] { return backoff.Scale(in.seq, in.args[0].number) },
		pointwise: true,
	},
	{
		Stage: Stage{
			Name: "jitter", Func: "Jitter", Random: true,
			Params:  []Param{fraction},
			Use:     "after cap to spread clients (subtractive jitter); 1 is full",
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
			Use:     "for ± jitter (randomization factor); delays may exceed a cap",
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
			Use:     "to limit the sum of the delays (max duration)",
			Formula: "the longest prefix whose sum is at most total",
			Example: "exponential(1s, 2) | within(10s)",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Within(in.seq, in.args[0].delay) },
	},
	{
		Stage: Stage{
			Name: "then", Func: "Concat",
			Params:  []Param{other},
			Use:     "to begin with a few quick retries, and go on with slower ones",
			Formula: "the delays before it, then those of EXPR",
			Example: "list(0s, 0s) | then(constant(1s))",
		},
		build: func(in input) iter.Seq[time.Duration] { return backoff.Concat(in.seq, in.other) },
	},
	{
		Stage: Stage{
			Name: "max", Func: "Max",
			Params:  []Param{other},
			Use:     "when no delay should be below that of another schedule",
			Formula: "the larger of d and the delay of EXPR; ends with the shorter",
			Example: "exponential(1s, 2) | max(linear(3s, 1s))",
		},
		build:     func(in input) iter.Seq[time.Duration] { return backoff.Max(in.seq, in.other) },
		pointwise: true,
	},
	{
		Stage: Stage{
			Name: "min", Func: "Min",
			Params:  []Param{other},
			Use:     "when no delay should be above that of another schedule",
			Formula: "the smaller of d and the delay of EXPR; ends with the longer",
			Example: "exponential(1s, 2) | min(linear(3s, 1s))",
		},
		build:     func(in input) iter.Seq[time.Duration] { return backoff.Min(in.seq, in.other) },
		pointwise: true,
	},
	{
		Stage: Stage{
			Name: "add", Func: "Add",
			Params:  []Param{other},
			Use:     "to add jitter of a fixed width to any schedule",
			Formula: "the sum of d and the delay of EXPR; ends with the shorter",
			Example: "exponential(1s, 2) | cap(10s) | add(uniform(0s, 100ms))",
		},
		build:     func(in input) iter.Seq[time.Duration] { return backoff.Add(in.seq, in.other) },
		pointwise: true,
	},
}
