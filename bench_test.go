package backoff

import (
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/backoff/internal/portable"
	"example.com/backoff/internal/saturating"
)

// Each benchmark times the same 1,000 delays as three loops. It reports the time of a
// delay for the first loop, and how many times that time the others take:
//
//   - loop: a loop written by hand, with the same arithmetic and the same random
//     numbers;
//   - seen: a range over the call of the generator, which the compiler inlines;
//   - opaque: a range over an iter.Seq that came from elsewhere.
//
// The three take turns within one run, because machines drift. The shortest time of
// each counts, because machines are shared. TestAllocations counts allocations.
//
//	go test -run '^$' -bench .

const (
	benchDelays = 1000
	benchBase   = 100 * time.Millisecond
	benchLimit  = 10 * time.Second
)

var sink time.Duration

// drain is the opaque loop: it is not inlined, so it knows nothing of the iter.Seq.
//
//go:noinline
func drain(seq iter.Seq[time.Duration]) (sum time.Duration) {
	n := 0
	for d := range seq {
		sum ^= d
		if n++; n == benchDelays {
			break
		}
	}
	return sum
}

func compare(b *testing.B, loop, seen func() time.Duration, seq iter.Seq[time.Duration]) {
	runs := []func() time.Duration{loop, func() time.Duration { return drain(seq) }}
	if seen != nil {
		runs = append(runs, seen)
	}
	least := []time.Duration{NoLimit, NoLimit, NoLimit}
	for b.Loop() {
		for i, run := range runs {
			start := time.Now()
			sink = run()
			least[i] = min(least[i], time.Since(start))
		}
	}
	b.ReportMetric(float64(least[0])/benchDelays, "loop-ns/delay")
	b.ReportMetric(float64(least[1])/float64(least[0]), "opaque/loop")
	if seen != nil {
		b.ReportMetric(float64(least[2])/float64(least[0]), "seen/loop")
	}
	b.ReportMetric(0, "ns/op") // of all three, which says nothing
}

func BenchmarkLinear(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		d := benchBase
		for range benchDelays {
			sum ^= d
			d = saturating.Add(d, benchBase)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range Linear(benchBase, benchBase) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, Linear(benchBase, benchBase))
}

func BenchmarkExponential(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		p := newProduct(benchBase)
		for range benchDelays {
			sum ^= p.delay()
			p = p.times(1.01)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range Exponential(benchBase, 1.01) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, Exponential(benchBase, 1.01))
}

func BenchmarkExponentialDoubles(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		p := newProduct(benchBase)
		for range benchDelays {
			sum ^= p.delay()
			p = p.times(2)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range Exponential(benchBase, 2) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, Exponential(benchBase, 2))
}

func BenchmarkPolynomial(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		for n := range benchDelays {
			sum ^= newRatio(portable.Pow(float64(n+1), 2)).of(benchBase)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range Polynomial(benchBase, 2) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, Polynomial(benchBase, 2))
}

func BenchmarkFullJitter(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		e := benchBase
		for range benchDelays {
			sum ^= time.Duration(rand.Int64N(int64(e) + 1))
			e = twice(e, benchLimit)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range FullJitter(benchBase, benchLimit) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, FullJitter(benchBase, benchLimit))
}

// handSource hides the type of the source from the compiler, as an option does.
//
//go:noinline
func handSource() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }

func BenchmarkFullJitterSeeded(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		r, e := handSource(), benchBase
		for range benchDelays {
			sum ^= time.Duration(r.Int64N(int64(e) + 1))
			e = twice(e, benchLimit)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range FullJitter(benchBase, benchLimit, WithSeed(1)) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, FullJitter(benchBase, benchLimit, WithSeed(1)))
}

func BenchmarkEqualJitter(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		e := benchBase
		for range benchDelays {
			sum ^= e/2 + time.Duration(rand.Int64N(int64(e-e/2)+1))
			e = twice(e, benchLimit)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range EqualJitter(benchBase, benchLimit) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, EqualJitter(benchBase, benchLimit))
}

func BenchmarkDecorrelatedJitter(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		d := benchBase
		for range benchDelays {
			d = benchBase + time.Duration(rand.Int64N(int64(min(benchLimit, 3*d)-benchBase)+1))
			sum ^= d
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range DecorrelatedJitter(benchBase, benchLimit) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, DecorrelatedJitter(benchBase, benchLimit))
}

func BenchmarkNormalJitter(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		f := float64(benchBase)
		for range benchDelays {
			m := min(f*2, float64(benchLimit))
			f = max(0, m+0.1*m*portable.Quantile((float64(rand.Uint64()>>12)+0.5)/(1<<52)))
			sum ^= round(f)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range NormalJitter(benchBase, benchLimit, 2, 0.1) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, NormalJitter(benchBase, benchLimit, 2, 0.1))
}

func BenchmarkSmoothJitter(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		curve := newBentCurve(float64(benchBase), float64(benchLimit)/2)
		before, uBefore := 0.0, 0.0
		for n := range benchDelays {
			u := float64(rand.Uint64()>>11) / (1 << 53)
			var d float64
			if float64(n)-1 < curve.bend {
				at := curve.at(float64(n) + u)
				d, before = at-before, at
			} else {
				d = curve.slope * (1 + u - uBefore)
			}
			uBefore = u
			sum ^= round(d)
		}
		return sum
	}, func() (sum time.Duration) {
		n := 0
		for d := range SmoothJitter(benchBase, benchLimit) {
			sum ^= d
			if n++; n == benchDelays {
				break
			}
		}
		return sum
	}, SmoothJitter(benchBase, benchLimit))
}

// BenchmarkStack compares four stages, each opaque to the next, with one loop.
func BenchmarkStack(b *testing.B) {
	delays := Exponential(benchBase, 2)
	delays = Cap(delays, benchLimit)
	delays = Jitter(delays, 1)
	delays = Take(delays, benchDelays)
	compare(b, func() (sum time.Duration) {
		p := newProduct(benchBase)
		for range benchDelays {
			e := min(p.delay(), benchLimit)
			sum ^= time.Duration(rand.Int64N(int64(e) + 1))
			p = p.times(2)
		}
		return sum
	}, nil, delays)
}

// BenchmarkMax shows what the coroutine of Max, Min and Add costs a delay.
func BenchmarkMax(b *testing.B) {
	compare(b, func() (sum time.Duration) {
		d := benchBase
		for range benchDelays {
			sum ^= max(d, benchLimit)
			d = saturating.Add(d, benchBase)
		}
		return sum
	}, nil, Max(Linear(benchBase, benchBase), Constant(benchLimit)))
}

// BenchmarkRange times a range as a retry uses it: a few delays, and the cost of
// beginning and ending a range.
func BenchmarkRange(b *testing.B) {
	for _, c := range []struct {
		name string
		seq  iter.Seq[time.Duration]
	}{
		{"exponential", Exponential(benchBase, 2)},
		{"full", FullJitter(benchBase, benchLimit)},
		{"full seeded", FullJitter(benchBase, benchLimit, WithSeed(1))},
		{"smooth", SmoothJitter(benchBase, benchLimit)},
		{"stack", Take(Jitter(Cap(Exponential(benchBase, 2), benchLimit), 1), 8)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for d := range c.seq {
					sink ^= d
					if n++; n == 8 {
						break
					}
				}
			}
		})
	}
}
