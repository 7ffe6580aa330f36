// Package expr writes schedules as text, for a command line, a flag or a
// configuration file:
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
// The first stage starts a schedule, each other one changes it. A stage has the
// name of a function of package backoff, in lower case and with hyphens, and its
// parameters. These differ:
//
//	list(100ms, 1s)   the delays given, and then the end; list() has none
//	then(EXPR)        Concat: what stands before it, then EXPR
//	max(EXPR)         Max, of what stands before it and EXPR; min(EXPR) likewise
//
// [Stages] has them all. Func and Map take Go functions, which no text can give:
// they are not here.
//
// A DURATION is what [time.ParseDuration] reads: 100ms, 1m30s, 0. The word none
// stands for [backoff.NoLimit] where a parameter bounds from above: cap(none). A
// NUMBER is what [strconv.ParseFloat] reads: 2, 1.5, 1e-3. A WHOLE number is in
// [0, 2147483647] on every GOARCH. White space between words is free.
//
// An argument that a function of package backoff would panic about is an error
// here, of type [*Error], and says where it stands.
//
// # Bounds
//
// A text from anywhere can be parsed and its schedule ranged over without
// exhausting the stack: an expression has at most 1000 stages, nested ones
// included, and at most 100 levels of nesting. Its schedule can still be long to
// wait for: each drop(2147483647) takes seconds before it gives a delay.
package expr

import (
	"iter"
	"slices"
	"strings"
	"time"

	"example.com/backoff"
)

// An Expr is a parsed expression. It does not change except by Set and
// UnmarshalText, and any number of goroutines may use it while none of these
// runs.
//
// The zero Expr is list(), the empty schedule: no retry, one attempt.
//
// A *Expr is a [flag.Value], an [encoding.TextUnmarshaler] and with that a field
// for JSON and its like.
type Expr struct {
	stages []call
}

// A call is a stage with its arguments.
type call struct {
	stage *stage
	args  []arg
}

// An arg is one argument; which of the fields counts says its parameter.
type arg struct {
	delay  time.Duration
	number float64
	count  int
	nested []call
}

// emptyList is what the zero Expr stands for.
var emptyList = []call{{stage: stageNamed("list")}}

func (e Expr) calls() []call {
	if e.stages == nil {
		return emptyList
	}
	return e.stages
}

// Schedule returns the schedule that e describes. It keeps the contract of
// package backoff.
//
// Each stage that is random gets opts, and after them [backoff.WithStream](i),
// where i counts these stages from 0 in the order of the text, nested ones
// included. So under one [backoff.WithSeed] the stages are independent of each
// other, and the first draws what the direct call with that seed does. Under one
// [backoff.WithSource] they are as independent as the sources that it returns.
func (e Expr) Schedule(opts ...backoff.Option) iter.Seq[time.Duration] {
	b := builder{opts: opts}
	return b.schedule(e.calls())
}

// Seeded returns Schedule(backoff.WithSeed(seed)): equal seeds give equal delays. As a
// function of the seed it is what package plan, the models under package sim and package
// backofftest take:
//
//	p := plan.Of(e.Seeded, 10)
func (e Expr) Seeded(seed uint64) iter.Seq[time.Duration] {
	return e.Schedule(backoff.WithSeed(seed))
}

// A builder makes one schedule. It numbers the random stages.
type builder struct {
	opts   []backoff.Option
	stream uint64
}

func (b *builder) schedule(calls []call) iter.Seq[time.Duration] {
	var seq iter.Seq[time.Duration]
	for _, c := range calls {
		in := input{seq: seq, args: c.args}
		if c.stage.nests() {
			in.other = b.schedule(c.args[0].nested)
		}
		if c.stage.Random {
			in.opts = append(slices.Clone(b.opts), backoff.WithStream(b.stream)) // a slice of its own: it is kept
			b.stream++
		}
		seq = c.stage.build(in)
	}
	return seq
}

// Random reports whether e has a stage that draws random numbers, nested ones
// included: whether two ranges over its schedule without a seed may differ.
func (e Expr) Random() bool {
	return random(e.calls())
}

func random(calls []call) bool {
	return slices.ContainsFunc(calls, func(c call) bool {
		return c.stage.Random || c.stage.nests() && random(c.args[0].nested)
	})
}

// String returns the canonical text of e: one space around each |, one after
// each comma, durations as [FormatDuration] has them, numbers in their shortest
// form. [Parse] makes of it an equal expression, with the same text.
func (e Expr) String() string {
	var b strings.Builder
	write(&b, e.calls())
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

// Set parses text into e, for package flag. If it returns an error, e stays what
// it was.
func (e *Expr) Set(text string) error {
	parsed, err := Parse(text)
	if err != nil {
		return err
	}
	*e = *parsed
	return nil
}

// MarshalText returns the canonical text of e. The error is always nil.
func (e Expr) MarshalText() ([]byte, error) {
	return []byte(e.String()), nil
}

// UnmarshalText parses text into e. If it returns an error, e stays what it was.
func (e *Expr) UnmarshalText(text []byte) error {
	return e.Set(string(text))
}
