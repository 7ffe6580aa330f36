// Package expr reads and writes schedules as text. Use it where a schedule comes from a
// flag, a configuration file or the environment:
//
//	exponential(100ms, 2) | cap(10s) | jitter(1) | take(8)
//
// is
//
//	delays := backoff.Exponential(100*time.Millisecond, 2)
//	delays = backoff.Cap(delays, 10*time.Second)
//	delays = backoff.Jitter(delays, 1)
//	delays = backoff.Take(delays, 8)
//
// # Grammar
//
//	EXPR  = STAGE { "|" STAGE }
//	STAGE = NAME "(" [ ARG { "," ARG } ] ")"
//	ARG   = DURATION | NUMBER | WHOLE | EXPR
//
// The first stage is a generator. Each of the others changes the schedule before it. A
// stage has the name of a function of package backoff, in lower case and with hyphens, and
// its parameters. The exceptions are:
//
//	list(100ms, 1s)   these delays, and then the end; list() has no delays
//	then(EXPR)        Concat: the delays before it, then those of EXPR
//	max(EXPR)         Max of the schedule before it and EXPR; min and add likewise
//
// [Stages] returns all of them. Func and Map take Go functions, so they have no stage.
//
// A DURATION is what [time.ParseDuration] accepts: 100ms, 1m30s, 0. The word none stands
// for [backoff.NoLimit] where a parameter is an upper bound: cap(none). A NUMBER is what
// [strconv.ParseFloat] accepts: 2, 1.5, 1e-3. A WHOLE number is in [0, 2147483647] on every
// GOARCH. There may be white space around names, arguments and marks, but not within them.
//
// Parse returns an error of type [*Error] for an argument that a function of package
// backoff would panic about. The error says where the argument stands.
//
// # Configuration
//
// An [Expr] can be a field of a configuration, because it is an [encoding.TextMarshaler],
// and a *Expr is an [encoding.TextUnmarshaler] and a [flag.Value]:
//
//	type Config struct {
//		Delays expr.Expr `json:"delays,omitzero" yaml:"delays,omitempty" env:"DELAYS"`
//	}
//
// These packages fill it:
//
//   - flag: flags.Var(&config.Delays, "delays", "the schedule"). The value before
//     Parse is the default.
//   - encoding/json: a string.
//   - YAML, with go.yaml.in/yaml/v3 or gopkg.in/yaml.v3: a scalar. It needs quotes only
//     inside { } and [ ], where a comma would end it.
//   - environment: config.Delays.Set(text) if os.LookupEnv finds a text, or a package
//     such as github.com/caarlos0/env, which fills the struct.
//
// Packages json and yaml return an error of UnmarshalText as it is. It has the column in
// the text, but not the name of the field, so add that:
//
//	if err := json.Unmarshal(data, &config); err != nil {
//		if _, ok := errors.AsType[*expr.Error](err); ok {
//			err = fmt.Errorf("delays: %w", err) // delays: column 22: unknown stage "capp", did you mean cap?
//		}
//		return err
//	}
//
// A field that the input does not have, or has as null, keeps its value: set the default
// before decoding, or check [Expr.IsZero] afterwards. The empty text is an error.
//
// # Bounds
//
// It is safe to parse a text from anywhere and to range over its schedule: neither exhausts
// the stack. An expression has at most 1000 stages, nested ones included, and at most 100
// levels of nesting. A schedule can still take long to give a delay, because a drop draws
// what it discards: drop(2147483647) takes seconds, and minutes after polynomial, or if a
// stage such as jitter stands between it and an add, max or min. After constant, linear,
// exponential and fibonacci it skips instead, also if cap, floor, scale, add, max and min
// stand between. An exponential whose factor exceeds 1 by less than 10⁻⁶ takes long all the
// same.
package expr

import (
	"iter"
	"slices"
	"strings"
	"time"

	"example.com/backoff"
)

// An Expr is a parsed expression. Only Set and UnmarshalText change it. Any number of
// goroutines may use it while neither of them runs.
//
// The zero Expr is not set: its text is empty, and [Expr.Schedule] panics. The schedule
// without a retry is list().
type Expr struct {
	stages []call
}

// A call is a stage with its arguments.
type call struct {
	stage *stage
	args  []arg
}

// An arg is one argument. The kind of its parameter uses one of the fields.
type arg struct {
	delay  time.Duration
	number float64
	count  int
	nested []call
}

// IsZero reports whether e is not set. With it encoding/json leaves out a field that has
// the option omitzero, and YAML packages one that has omitempty.
func (e Expr) IsZero() bool { return e.stages == nil }

// set returns the stages of e for a method that wants some.
func (e Expr) set(method string) []call {
	if e.IsZero() {
		panic("expr: " + method + ": the Expr is not set, want one from Parse, Set or UnmarshalText")
	}
	return e.stages
}

// Schedule returns the schedule that e describes. It keeps the contract of package
// backoff. Schedule panics if e is not set.
//
// Each random stage gets opts and, after them, [backoff.WithStream](i), where i counts the
// random stages from 0 in the order of the text, nested ones included. So under one
// [backoff.WithSeed] the stages are independent of each other, and the first draws what
// the direct call with that seed draws. Under one [backoff.WithSource] they are as
// independent as the sources that it returns.
func (e Expr) Schedule(opts ...backoff.Option) iter.Seq[time.Duration] {
	return schedule(e.set("Schedule"), opts...)
}

// Seeded is shorthand for Schedule(backoff.WithSeed(seed)): equal seeds give equal delays.
// Pass e.Seeded to package plan, to the models of package sim and to package backofftest,
// which take a schedule as a function of the seed:
//
//	p := plan.Of(e.Seeded, 10)
func (e Expr) Seeded(seed uint64) iter.Seq[time.Duration] {
	return schedule(e.set("Seeded"), backoff.WithSeed(seed))
}

func schedule(calls []call, opts ...backoff.Option) iter.Seq[time.Duration] {
	b := builder{opts: opts}
	return b.schedule(calls, 0)
}

// A builder makes one schedule. It numbers the random stages.
type builder struct {
	opts   []backoff.Option
	stream uint64
}

// schedule returns the schedule of calls without its first n delays.
func (b *builder) schedule(calls []call, n int64) iter.Seq[time.Duration] {
	before, c := calls[:len(calls)-1], calls[len(calls)-1]
	switch {
	case c.stage.Name == "drop":
		return b.schedule(before, n+int64(c.args[0].count))
	case n > 0 && c.stage.from != nil:
		return c.stage.from(c.args, n)
	}
	var ahead int64 // of n, what is dropped before the stage
	if c.stage.pointwise {
		ahead = n
	}
	in := input{args: c.args}
	if !c.stage.Starts {
		in.seq = b.schedule(before, ahead)
	}
	if c.stage.nests() {
		in.other = b.schedule(c.args[0].nested, ahead)
	}
	if c.stage.Random {
		in.opts = append(slices.Clone(b.opts), backoff.WithStream(b.stream)) // the schedule keeps the slice
		b.stream++
	}
	return drop(c.stage.build(in), n-ahead)
}

// Random reports whether e has a stage that draws random numbers, nested ones included. If
// it has none, all ranges over its schedule give the same delays.
func (e Expr) Random() bool {
	return random(e.stages)
}

func random(calls []call) bool {
	return slices.ContainsFunc(calls, func(c call) bool {
		return c.stage.Random || c.stage.nests() && random(c.args[0].nested)
	})
}

// String returns the canonical text of e: one space on each side of |, one after each
// comma, durations as [FormatDuration] writes them, numbers in their shortest form.
// [Parse] of that text returns an equal expression. The text is empty if e is not set.
func (e Expr) String() string {
	var b strings.Builder
	write(&b, e.stages)
	return b.String()
}

func write(b *strings.Builder, calls []call) {
	for i, c := range calls {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(c.stage.Name)
		b.WriteByte('(')
		for j, a := range c.args {
			if j > 0 {
				b.WriteString(", ")
			}
			if k := c.stage.param(j).kind; k.nests() {
				write(b, a.nested)
			} else {
				b.WriteString(k.write(a))
			}
		}
		b.WriteByte(')')
	}
}

// Set parses text into e, for package flag. If it returns an error, e is unchanged. The
// empty text is an error.
func (e *Expr) Set(text string) error {
	parsed, err := Parse(text)
	if err != nil {
		return err
	}
	*e = *parsed
	return nil
}

// MarshalText returns the text that [Expr.String] returns. The error is always nil.
//
// UnmarshalText refuses the empty text of an Expr that is not set. Give the field the
// option omitzero, so that it is left out instead.
func (e Expr) MarshalText() ([]byte, error) {
	return []byte(e.String()), nil
}

// UnmarshalText parses text into e. If it returns an error, e is unchanged. The empty text
// is an error.
func (e *Expr) UnmarshalText(text []byte) error {
	return e.Set(string(text))
}
