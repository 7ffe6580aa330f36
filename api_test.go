package backoff_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"example.com/backoff"
)

// The signatures that callers outside of this repository compile against.
var (
	_ func(time.Duration) iter.Seq[time.Duration]                                                        = backoff.Constant
	_ func(base, step time.Duration) iter.Seq[time.Duration]                                             = backoff.Linear
	_ func(base time.Duration, factor float64) iter.Seq[time.Duration]                                   = backoff.Exponential
	_ func(base time.Duration, power float64) iter.Seq[time.Duration]                                    = backoff.Polynomial
	_ func(base time.Duration) iter.Seq[time.Duration]                                                   = backoff.Fibonacci
	_ func(func(n int) time.Duration) iter.Seq[time.Duration]                                            = backoff.Func
	_ func(lo, hi time.Duration, opts ...backoff.Option) iter.Seq[time.Duration]                         = backoff.Uniform
	_ func(base, limit time.Duration, opts ...backoff.Option) iter.Seq[time.Duration]                    = backoff.FullJitter
	_ func(base, limit time.Duration, opts ...backoff.Option) iter.Seq[time.Duration]                    = backoff.EqualJitter
	_ func(base, limit time.Duration, fraction float64, opts ...backoff.Option) iter.Seq[time.Duration]  = backoff.TopJitter
	_ func(base, limit time.Duration, opts ...backoff.Option) iter.Seq[time.Duration]                    = backoff.DecorrelatedJitter
	_ func(base, limit time.Duration, opts ...backoff.Option) iter.Seq[time.Duration]                    = backoff.SmoothJitter
	_ func(base, limit time.Duration, f, deviation float64, o ...backoff.Option) iter.Seq[time.Duration] = backoff.NormalJitter
	_ func(iter.Seq[time.Duration], int) iter.Seq[time.Duration]                                         = backoff.Take
	_ func(iter.Seq[time.Duration], int) iter.Seq[time.Duration]                                         = backoff.Drop
	_ func(iter.Seq[time.Duration], time.Duration) iter.Seq[time.Duration]                               = backoff.Cap
	_ func(iter.Seq[time.Duration], time.Duration) iter.Seq[time.Duration]                               = backoff.Floor
	_ func(iter.Seq[time.Duration], float64) iter.Seq[time.Duration]                                     = backoff.Scale
	_ func(iter.Seq[time.Duration], func(time.Duration) time.Duration) iter.Seq[time.Duration]           = backoff.Map
	_ func(iter.Seq[time.Duration], float64, ...backoff.Option) iter.Seq[time.Duration]                  = backoff.Jitter
	_ func(iter.Seq[time.Duration], float64, ...backoff.Option) iter.Seq[time.Duration]                  = backoff.Spread
	_ func(iter.Seq[time.Duration], time.Duration) iter.Seq[time.Duration]                               = backoff.Within
	_ func(...iter.Seq[time.Duration]) iter.Seq[time.Duration]                                           = backoff.Concat
	_ func(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration]                                         = backoff.Max
	_ func(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration]                                         = backoff.Min
	_ func(iter.Seq[time.Duration], int) (time.Duration, bool)                                           = backoff.At
	_ func(context.Context, iter.Seq[time.Duration]) <-chan time.Duration                                = backoff.Chan
	_ func(context.Context, iter.Seq[time.Duration]) <-chan time.Time                                    = backoff.Ticks
	_ func(context.Context, time.Duration) error                                                         = backoff.Sleep
	_ func(uint64) backoff.Option                                                                        = backoff.WithSeed
	_ func(func() rand.Source) backoff.Option                                                            = backoff.WithSource
)

const _ time.Duration = backoff.NoLimit
