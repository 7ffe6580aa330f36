// Package samples lists schedules of package backoff for tests, at least one of each
// function that returns a schedule.
//
// Tests of every schedule range over [All]: the golden hashes and the benchmark of the
// root package, and the tests of package backofftest. So a new function needs one row
// here, and none there.
package samples

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/backofftest"
)

// A Sample is a schedule: a call of a function of package backoff.
type Sample struct {
	Text   string // the call, as in testdata/golden.txt
	Func   any
	Args   []any                // without a seed
	Checks []backofftest.Option // for backofftest.Run, or for RunStage if Func takes a schedule
}

type (
	args   = []any
	checks = []backofftest.Option
)

const (
	ms      = time.Millisecond
	s       = time.Second
	m       = time.Minute
	noLimit = backoff.NoLimit
)

// doubling is 1 s, 2 s, 4 s, ...
var doubling = backoff.Exponential(s, 2)

var all = []Sample{
	{"Constant(1 s)", backoff.Constant, args{s}, checks{backofftest.Between(s, s), backofftest.Monotone()}},
	{"Linear(1 s, 500 ms)", backoff.Linear, args{s, 500 * ms}, checks{backofftest.Monotone(), backofftest.Reaches(5000 * s)}},
	{"Exponential(100 ms, 2)", backoff.Exponential, args{100 * ms, 2}, checks{backofftest.Monotone(), backofftest.Reaches(noLimit)}},
	{"Exponential(1 ns, 1.0001)", backoff.Exponential, args{1, 1.0001}, checks{backofftest.Monotone(), backofftest.Reaches(3)}},
	{"Exponential(2⁶⁰+1 ns, 1.1)", backoff.Exponential, args{time.Duration(1<<60 + 1), 1.1}, checks{backofftest.Monotone(), backofftest.Reaches(noLimit)}},
	{"Exponential(1 h, 1+2⁻⁵²)", backoff.Exponential, args{time.Hour, math.Nextafter(1, 2)}, checks{backofftest.Monotone()}},
	{"Polynomial(1 s, 1.7)", backoff.Polynomial, args{s, 1.7}, checks{backofftest.Monotone(), backofftest.Reaches(1000 * time.Hour)}},
	{"Polynomial(1 ns, 4.2)", backoff.Polynomial, args{1, 4.2}, checks{backofftest.Monotone(), backofftest.Reaches(1e16)}},
	{"Fibonacci(1 ms)", backoff.Fibonacci, args{ms}, checks{backofftest.Monotone(), backofftest.Reaches(noLimit)}},
	{"Func(n ms)", backoff.Func, args{milliseconds}, checks{backofftest.Monotone(), backofftest.Reaches(9999 * ms)}},
	{"Uniform(0, 3·2⁶¹)", backoff.Uniform, args{0, time.Duration(3 << 61)}, checks{backofftest.SpreadUnder(3 << 61)}},
	{"FullJitter(100 ms, 10 s)", backoff.FullJitter, args{100 * ms, 10 * s}, checks{backofftest.SpreadUnder(10 * s), backofftest.Reaches(9 * s)}},
	{"FullJitter(1 ns, NoLimit)", backoff.FullJitter, args{1, noLimit}, checks{backofftest.Reaches(noLimit / 2)}},
	{"EqualJitter(100 ms, 10 s)", backoff.EqualJitter, args{100 * ms, 10 * s}, checks{backofftest.SpreadUnder(10 * s), backofftest.Between(50*ms, 10*s)}},
	{"TopJitter(100 ms, 10 s, 0.3)", backoff.TopJitter, args{100 * ms, 10 * s, 0.3}, checks{backofftest.SpreadUnder(10 * s), backofftest.Between(70*ms, 10*s)}},
	{"DecorrelatedJitter(100 ms, 10 s)", backoff.DecorrelatedJitter, args{100 * ms, 10 * s}, checks{backofftest.SpreadUnder(10 * s), backofftest.Between(100*ms, 10*s)}},
	{"DecorrelatedJitter(1 ns, NoLimit)", backoff.DecorrelatedJitter, args{1, noLimit}, checks{backofftest.Reaches(noLimit / 2)}},
	{"SmoothJitter(100 ms, 10 s)", backoff.SmoothJitter, args{100 * ms, 10 * s}, checks{backofftest.SpreadUnder(10 * s), backofftest.Reaches(9 * s)}},
	{"SmoothJitter(7 s, 20 s)", backoff.SmoothJitter, args{7 * s, 20 * s}, checks{backofftest.Between(0, 20*s), backofftest.Reaches(19 * s)}},
	{"SmoothJitter(1 ns, NoLimit)", backoff.SmoothJitter, args{1, noLimit}, checks{backofftest.Reaches(noLimit / 2)}},
	{"NormalJitter(100 ms, 10 min, 2.7, 0.1)", backoff.NormalJitter, args{100 * ms, 10 * m, 2.7, 0.1}, checks{backofftest.Reaches(10 * m)}},
	{"NormalJitter(1 s, 5 min, 1.5, 3)", backoff.NormalJitter, args{s, 5 * m, 1.5, 3}, checks{backofftest.Reaches(15 * m)}},

	// These are checked with the sources of backofftest in place of the first argument.
	// The last source is 1 s, 2 s, 4 s, ...
	{"Take(Exponential(1 s, 2), 5)", backoff.Take, args{doubling, 5}, checks{backofftest.Delays(5), backofftest.Monotone(), backofftest.TotalAtMost(31 * s)}},
	{"Drop(Exponential(1 s, 2), 3)", backoff.Drop, args{doubling, 3}, checks{backofftest.Extra(3), backofftest.Monotone(), backofftest.Reaches(noLimit)}},
	{"Cap(Exponential(1 s, 2), 10 s)", backoff.Cap, args{doubling, 10 * s}, checks{backofftest.KeepsLength(), backofftest.Between(0, 10*s), backofftest.Reaches(10 * s)}},
	{"Floor(Exponential(1 s, 2), 3 s)", backoff.Floor, args{doubling, 3 * s}, checks{backofftest.KeepsLength(), backofftest.Between(3*s, noLimit)}},
	{"Scale(Fibonacci(1 ns), 1/3)", backoff.Scale, args{backoff.Fibonacci(1), 1. / 3}, checks{backofftest.KeepsLength(), backofftest.Monotone(), backofftest.Reaches(noLimit / 4)}},
	{"Map(Exponential(1 s, 2), d − 3 s)", backoff.Map, args{doubling, less3s}, checks{backofftest.KeepsLength(), backofftest.Monotone()}},
	{"Jitter(Constant(NoLimit), 0.3)", backoff.Jitter, args{backoff.Constant(noLimit), 0.3}, checks{backofftest.KeepsLength(), backofftest.SpreadUnder(noLimit)}},
	{"Spread(Linear(0, 1 s), 0.1), stream 7", backoff.Spread, args{backoff.Linear(0, s), 0.1, backoff.WithStream(7)}, checks{backofftest.KeepsLength()}},
	{"Within(Exponential(1 s, 2), 10 s)", backoff.Within, args{doubling, 10 * s}, checks{backofftest.Extra(1), backofftest.Delays(3), backofftest.TotalAtMost(10 * s)}},
	{"Concat(Take(Constant(0), 2), Exponential(1 s, 2))", backoff.Concat, args{backoff.Take(backoff.Constant(0), 2), doubling}, nil},
	{"Max(Linear(0, 1 s), Constant(3 s))", backoff.Max, args{backoff.Linear(0, s), backoff.Constant(3 * s)}, checks{backofftest.KeepsLength(), backofftest.Between(3*s, noLimit)}},
	{"Min(Linear(0, 1 s), Constant(3 s))", backoff.Min, args{backoff.Linear(0, s), backoff.Constant(3 * s)}, checks{backofftest.Between(0, 3*s)}},
	{"Add(Exponential(1 s, 2), Uniform(0, 100 ms)), seed 7", backoff.Add, args{doubling, backoff.Uniform(0, 100*ms, backoff.WithSeed(7))}, checks{backofftest.KeepsLength(), backofftest.Reaches(noLimit)}},
}

func milliseconds(n int) time.Duration { return time.Duration(n) * ms }

func less3s(d time.Duration) time.Duration { return d - 3*s }

// All returns all samples, in the order of package backoff.
func All() []Sample { return slices.Clone(all) }

// Name returns the name of the function: FullJitter.
func (s Sample) Name() string {
	name := runtime.FuncForPC(reflect.ValueOf(s.Func).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Random reports whether the function takes options, and so draws random numbers.
func (s Sample) Random() bool {
	f := reflect.TypeOf(s.Func)
	return f.IsVariadic() && f.In(f.NumIn()-1).Elem() == reflect.TypeFor[backoff.Option]()
}

// IsStage reports whether the first argument of the function is a schedule.
func (s Sample) IsStage() bool {
	_, ok := s.Args[0].(iter.Seq[time.Duration])
	return ok
}

// Delays returns the schedule. It passes opts only to a function that is random.
func (s Sample) Delays(opts ...backoff.Option) iter.Seq[time.Duration] {
	args := slices.Clone(s.Args)
	if s.Random() {
		for _, o := range opts {
			args = append(args, o)
		}
	}
	return Call(s.Func, args...)
}

// Stage returns the schedule with src in place of the first argument.
func (s Sample) Stage(src iter.Seq[time.Duration], opts ...backoff.Option) iter.Seq[time.Duration] {
	s.Args = slices.Clone(s.Args)
	s.Args[0] = src
	return s.Delays(opts...)
}

// Of returns the first sample of the function that has a name.
func Of(name string) Sample {
	for _, s := range all {
		if s.Name() == name {
			return s
		}
	}
	panic(fmt.Sprintf("samples: no sample of %s: add a row to internal/samples/samples.go", name))
}

// Call returns the schedule that f makes of args. It converts an int to the type of
// number that f takes.
func Call(f any, args ...any) iter.Seq[time.Duration] {
	function := reflect.ValueOf(f)
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
		if in[i].Kind() == reflect.Int {
			in[i] = in[i].Convert(function.Type().In(i))
		}
	}
	return function.Call(in)[0].Interface().(iter.Seq[time.Duration])
}
