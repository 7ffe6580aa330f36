package backofftest_test

import (
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/backofftest"
	"example.com/backoff/internal/samples"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// Every function of package backoff that returns a schedule keeps the contract, and
// passes the checks of its samples: a generator by itself, a combinator over the sources.
func TestSamples(t *testing.T) {
	for _, s := range samples.All() {
		t.Run(s.Text, func(t *testing.T) {
			if s.IsStage() {
				// Max, Min and Add hold a coroutine, which is slow in a bubble under -race.
				backofftest.RunStage(t, func(src iter.Seq[time.Duration], seed uint64) iter.Seq[time.Duration] {
					return s.Stage(src, backoff.WithSeed(seed))
				}, append(s.Checks, backofftest.Depth(1000))...)
				return
			}
			backofftest.Run(t, func(seed uint64) iter.Seq[time.Duration] {
				return s.Delays(backoff.WithSeed(seed))
			}, s.Checks...)
		})
	}
}

// Special arguments, and other sources of random numbers.
func TestGenerators(t *testing.T) {
	plain := func(seq iter.Seq[time.Duration]) func(uint64) iter.Seq[time.Duration] {
		return func(uint64) iter.Seq[time.Duration] { return seq }
	}
	tests := []struct {
		name        string
		newSchedule func(seed uint64) iter.Seq[time.Duration]
		opts        []backofftest.Option
	}{
		{"Constant 0", plain(backoff.Constant(0)), []backofftest.Option{
			backofftest.Between(0, 0), backofftest.TotalAtMost(0),
		}},
		{"Linear, to the end", plain(backoff.Linear(second, 1<<50)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Polynomial, to the end", plain(backoff.Polynomial(second, 2.5)), []backofftest.Option{
			backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Uniform, above 0", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Uniform(ms, second, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.Between(ms, second), backofftest.SpreadUnder(second),
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
		{"SmoothJitter, no limit", func(seed uint64) iter.Seq[time.Duration] {
			return backoff.SmoothJitter(100*ms, backoff.NoLimit, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.SpreadUnder(backoff.NoLimit), backofftest.Reaches(backoff.NoLimit / 2),
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

// Combinators in other places and with other schedules.
func TestCombinators(t *testing.T) {
	type seq = iter.Seq[time.Duration]
	tests := []struct {
		name     string
		newStage func(src seq, seed uint64) seq
		opts     []backofftest.Option
	}{
		{"Take 0", func(src seq, _ uint64) seq { return backoff.Take(src, 0) }, []backofftest.Option{
			backofftest.Delays(0),
		}},
		{"Scale", func(src seq, _ uint64) seq { return backoff.Scale(src, 1.5) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Monotone(), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Cap, then Jitter", func(src seq, seed uint64) seq {
			return backoff.Jitter(backoff.Cap(src, 10*second), 0.5, backoff.WithSeed(seed))
		}, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.SpreadUnder(10 * second),
		}},
		{"Concat, last", func(src seq, _ uint64) seq {
			return backoff.Concat(backoff.Take(backoff.Constant(second), 2), src)
		}, []backofftest.Option{backofftest.ZeroTail()}},
		{"Max, second", func(src seq, _ uint64) seq { return backoff.Max(backoff.Constant(second), src) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Between(second, backoff.NoLimit),
		}},
		{"Max, with a shorter one", func(src seq, _ uint64) seq {
			return backoff.Max(src, backoff.Take(backoff.Constant(second), 2))
		}, []backofftest.Option{backofftest.Extra(1), backofftest.Delays(2)}},
		{"Add, second", func(src seq, _ uint64) seq { return backoff.Add(backoff.Constant(second), src) }, []backofftest.Option{
			backofftest.KeepsLength(), backofftest.Monotone(), backofftest.Between(second, backoff.NoLimit), backofftest.Reaches(backoff.NoLimit),
		}},
		{"Add, with a shorter one", func(src seq, _ uint64) seq {
			return backoff.Add(src, backoff.Take(backoff.Constant(second), 2))
		}, []backofftest.Option{backofftest.Extra(1), backofftest.Delays(2)}},
		{"Min, second", func(src seq, _ uint64) seq { return backoff.Min(backoff.Constant(second), src) }, []backofftest.Option{
			backofftest.Between(0, second),
		}},
		{"Min, with a shorter one", func(src seq, _ uint64) seq {
			return backoff.Min(src, backoff.Take(backoff.Constant(second), 2))
		}, []backofftest.Option{backofftest.Reaches(backoff.NoLimit)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// Max, Min and Add hold a coroutine, which is slow in a bubble under -race.
			backofftest.RunStage(t, test.newStage, append(test.opts, backofftest.Depth(1000))...)
		})
	}
}
