package backofftest_test

import (
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/backofftest"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// Every generator of package backoff keeps the contract, and its bounds.
func TestGenerators(t *testing.T) {
	plain := func(seq iter.Seq[time.Duration]) func(uint64) iter.Seq[time.Duration] {
		return func(uint64) iter.Seq[time.Duration] { return seq }
	}
	tests := []struct {
		name        string
		newSchedule func(seed uint64) iter.Seq[time.Duration]
		opts        []backofftest.Option
	}{
		{"Constant", plain(backoff.Constant(second)), []backofftest.Option{
			backofftest.Between(second, second), backofftest.Monotone(),
		}},
		{"Constant 0", plain(backoff.Constant(0)), []backofftest.Option{
			backofftest.Between(0, 0), backofftest.TotalAtMost(0),
		}},
		{"Linear", plain(backoff.Linear(second, 1<<50)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Exponential", plain(backoff.Exponential(second, 2)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Exponential, base 2^30 ns", plain(backoff.Exponential(1<<30, 2)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Exponential, factor 1e300", plain(backoff.Exponential(second, 1e300)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Exponential, 1 ns · 1.5", plain(backoff.Exponential(1, 1.5)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Polynomial", plain(backoff.Polynomial(second, 2.5)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Fibonacci", plain(backoff.Fibonacci(second)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Func", plain(backoff.Func(func(n int) time.Duration { return time.Duration(n) * ms })), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(9999 * ms),
		}},
		{"Uniform", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Uniform(ms, second, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.Between(ms, second), backofftest.SpreadUnder(second),
		}},
		{"FullJitter", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.FullJitter(100*ms, 10*second, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.SpreadUnder(10 * second), backofftest.Reaches(9 * second),
		}},
		{"FullJitter of 0", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.FullJitter(0, 0, backoff.WithSeed(seed))
		}, nil},
		{"FullJitter without a seed", func(uint64) iter.Seq[time.Duration] {
			return backoff.FullJitter(100*ms, 10*second)
		}, []backofftest.Option{
			backofftest.Unseeded(), backofftest.SpreadUnder(10 * second),
		}},
		{"FullJitter from a source", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.FullJitter(100*ms, 10*second, backoff.WithSource(func() rand.Source {
				return rand.NewPCG(seed, 1)
			}))
		}, []backofftest.Option{
			backofftest.SpreadUnder(10 * second),
		}},
		{"EqualJitter", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.EqualJitter(100*ms, 10*second, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.Between(50*ms, 10*second), backofftest.SpreadUnder(10 * second),
		}},
		{"TopJitter", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.TopJitter(100*ms, 10*second, 0.25, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.Between(75*ms, 10*second), backofftest.SpreadUnder(10 * second),
		}},
		{"DecorrelatedJitter", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.DecorrelatedJitter(100*ms, 10*second, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.Between(100*ms, 10*second), backofftest.SpreadUnder(10 * second),
		}},
		{"SmoothJitter", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.SmoothJitter(100*ms, 10*second, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.SpreadUnder(10 * second), backofftest.Reaches(9 * second),
		}},
		{"SmoothJitter, no limit", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.SmoothJitter(100*ms, backoff.NoLimit, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.SpreadUnder(backoff.NoLimit), backofftest.Reaches(backoff.NoLimit / 2),
		}},
		{"NormalJitter", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.NormalJitter(100*ms, 10*time.Minute, 2.7, 0.1, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.Reaches(10 * time.Minute),
		}},
		{"NormalJitter, deviation 1", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.NormalJitter(100*ms, backoff.NoLimit, 1, 1, backoff.WithSeed(seed))
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			backofftest.Run(t, test.newSchedule, test.opts...)
		})
	}
}

// Every combinator of package backoff is lazy, and keeps the contract.
func TestCombinators(t *testing.T) {
	type seq = iter.Seq[time.Duration]
	tests := []struct {
		name     string
		newStage func(src seq, seed uint64) seq
		opts     []backofftest.Option
	}{
		{"Take", func(src seq, _ uint64) seq { return backoff.Take(src, 5) }, []backofftest.Option{
			backofftest.Delays(5), backofftest.Monotone(), backofftest.TotalAtMost(31 * second),
		}},
		{"Take 0", func(src seq, _ uint64) seq { return backoff.Take(src, 0) }, []backofftest.Option{
			backofftest.Delays(0),
		}},
		{"Drop", func(src seq, _ uint64) seq { return backoff.Drop(src, 3) }, []backofftest.Option{
			backofftest.Extra(3), backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Cap", func(src seq, _ uint64) seq { return backoff.Cap(src, 10*second) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Between(0, 10*second), backofftest.Reaches(10 * second),
		}},
		{"Floor", func(src seq, _ uint64) seq { return backoff.Floor(src, 3*second) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Between(3*second, backoff.NoLimit),
		}},
		{"Scale", func(src seq, _ uint64) seq { return backoff.Scale(src, 1.5) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Map", func(src seq, _ uint64) seq {
			return backoff.Map(src, func(d time.Duration) time.Duration { return d - 3*second })
		}, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Monotone(),
		}},
		{"Jitter", func(src seq, seed uint64) seq { return backoff.Jitter(src, 1, backoff.WithSeed(seed)) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.SpreadUnder(backoff.NoLimit),
		}},
		{"Cap, then Jitter", func(src seq, seed uint64) seq {
			return backoff.Jitter(backoff.Cap(src, 10*second), 0.5, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.SpreadUnder(10 * second),
		}},
		{"Spread", func(src seq, seed uint64) seq { return backoff.Spread(src, 0.1, backoff.WithSeed(seed)) }, []backofftest.Option{
			backofftest.KeepsLength(),
		}},
		{"Within", func(src seq, _ uint64) seq { return backoff.Within(src, 10*second) }, []backofftest.Option{
			backofftest.Extra(1), backofftest.Delays(3), backofftest.TotalAtMost(10 * second),
		}},
		{"Concat, first", func(src seq, _ uint64) seq { return backoff.Concat(src, backoff.Constant(second)) }, nil},
		{"Concat, last", func(src seq, _ uint64) seq {
			return backoff.Concat(backoff.Take(backoff.Constant(second), 2), src)
		}, []backofftest.Option{backofftest.ZeroTail()}},
		{"Max, first", func(src seq, _ uint64) seq { return backoff.Max(src, backoff.Constant(second)) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Between(second, backoff.NoLimit),
		}},
		{"Max, second", func(src seq, _ uint64) seq { return backoff.Max(backoff.Constant(second), src) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Between(second, backoff.NoLimit),
		}},
		{"Max, with a shorter one", func(src seq, _ uint64) seq {
			return backoff.Max(src, backoff.Take(backoff.Constant(second), 2))
		}, []backofftest.Option{backofftest.Extra(1), backofftest.Delays(2)}},
		{"Min, first", func(src seq, _ uint64) seq { return backoff.Min(src, backoff.Constant(second)) }, []backofftest.Option{
			backofftest.Between(0, second),
		}},
		{"Min, second", func(src seq, _ uint64) seq { return backoff.Min(backoff.Constant(second), src) }, []backofftest.Option{
			backofftest.Between(0, second),
		}},
		{"Min, with a shorter one", func(src seq, _ uint64) seq {
			return backoff.Min(src, backoff.Take(backoff.Constant(second), 2))
		}, []backofftest.Option{backofftest.Reaches(backoff.NoLimit)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// Max and Min hold a coroutine, which is slow in a bubble under -race.
			backofftest.RunStage(t, test.newStage, append(test.opts, backofftest.Depth(1000))...)
		})
	}
}
