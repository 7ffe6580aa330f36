package backoff

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"example.com/backoff/internal/argument"
)

// The checks of arguments: each panics with what it got and what it wants. A
// constructor calls one check and leaves everything else to the range, so that the
// compiler can inline the constructor: a range over its schedule then costs no more
// than a loop written by hand, as the benchmarks named seen show. A check that is small
// enough to be inlined itself would make its constructor too large for that, so it is
// marked go:noinline.

// reject panics about one argument.
func reject(function, name string, got any, want string) {
	argument.Reject("backoff", function, name, got, want)
}

//go:noinline
func checkSeq(function string, seq iter.Seq[time.Duration]) {
	if seq == nil {
		reject(function, "seq", "nil", "a schedule")
	}
}

// checkUse checks the arguments of a function that uses a schedule until ctx is done.
func checkUse(function string, ctx context.Context, seq iter.Seq[time.Duration]) {
	if ctx == nil {
		reject(function, "ctx", "nil", "a context")
	}
	checkSeq(function, seq)
}

func checkCount(function string, seq iter.Seq[time.Duration], n int) {
	checkSeq(function, seq)
	if n < 0 {
		reject(function, "n", n, ">= 0")
	}
}

//go:noinline
func checkDelay(function, name string, d time.Duration) {
	if d < 0 {
		reject(function, name, d, ">= 0")
	}
}

// checkBound checks a combinator's schedule and the delay that bounds it.
func checkBound(function string, seq iter.Seq[time.Duration], name string, d time.Duration) {
	checkSeq(function, seq)
	checkDelay(function, name, d)
}

// checkLeast checks a number. It refuses NaN too, because every comparison with NaN is
// false; so do the other checks of numbers.
func checkLeast(function, name string, f, least float64) {
	if !(f >= least && f <= math.MaxFloat64) {
		reject(function, name, f, fmt.Sprintf("a finite value >= %v", least))
	}
}

//go:noinline
func checkFraction(function string, fraction float64) {
	if !(fraction >= 0 && fraction <= 1) {
		reject(function, "fraction", fraction, "a value in [0, 1]")
	}
}

func checkLinear(base, step time.Duration) {
	checkDelay("Linear", "base", base)
	checkDelay("Linear", "step", step)
}

func checkExponential(base time.Duration, factor float64) {
	checkDelay("Exponential", "base", base)
	checkLeast("Exponential", "factor", factor, 1)
}

func checkPolynomial(base time.Duration, power float64) {
	checkDelay("Polynomial", "base", base)
	checkLeast("Polynomial", "power", power, 0)
}

//go:noinline
func checkFunc(delay func(int) time.Duration) {
	if delay == nil {
		reject("Func", "delay", "nil", "a function")
	}
}

//go:noinline
func checkNewSource(newSource func() rand.Source) {
	if newSource == nil {
		reject("WithSource", "newSource", "nil", "a function")
	}
}

func checkUniform(lo, hi time.Duration) {
	checkDelay("Uniform", "lo", lo)
	if hi < lo {
		reject("Uniform", "hi", hi, fmt.Sprintf(">= lo, which is %v", lo))
	}
}

func checkJitter(function string, base, limit time.Duration) {
	checkDelay(function, "base", base)
	checkDelay(function, "limit", limit)
}

func checkTopJitter(base, limit time.Duration, fraction float64) {
	checkJitter("TopJitter", base, limit)
	checkFraction("TopJitter", fraction)
}

func checkNormalJitter(base, limit time.Duration, factor, deviation float64) {
	checkJitter("NormalJitter", base, limit)
	checkLeast("NormalJitter", "factor", factor, 1)
	checkLeast("NormalJitter", "deviation", deviation, 0)
}

func checkScale(seq iter.Seq[time.Duration], factor float64) {
	checkSeq("Scale", seq)
	checkLeast("Scale", "factor", factor, 0)
}

func checkMap(seq iter.Seq[time.Duration], f func(time.Duration) time.Duration) {
	checkSeq("Map", seq)
	if f == nil {
		reject("Map", "f", "nil", "a function")
	}
}

// checkWidth checks a combinator that replaces each delay by a random one near it.
func checkWidth(function string, seq iter.Seq[time.Duration], fraction float64) {
	checkSeq(function, seq)
	checkFraction(function, fraction)
}

// checkPair checks a combinator of two schedules.
func checkPair(function string, a, b iter.Seq[time.Duration]) {
	if a == nil {
		reject(function, "a", "nil", "a schedule")
	}
	if b == nil {
		reject(function, "b", "nil", "a schedule")
	}
}
