package backoff_test

import (
	"fmt"
	"iter"
	"math"
	"time"

	"example.com/backoff"
	"pgregory.net/rapid"
)

// An expression is a randomly drawn schedule that carries its own text, so that a
// failed property prints how to build the schedule that breaks it.
type expression struct {
	text   string
	seq    iter.Seq[time.Duration]
	random bool
}

func (e expression) String() string { return e.text }

func format(name string, args ...any) string {
	text := name + "("
	for i, a := range args {
		if i > 0 {
			text += ", "
		}
		switch a := a.(type) {
		case time.Duration:
			text += fmt.Sprintf("%d", int64(a))
		default:
			text += fmt.Sprint(a)
		}
	}
	return text + ")"
}

// durations draws from all of them, and the ends and the round ones often.
func durations() *rapid.Generator[time.Duration] {
	return rapid.OneOf(
		rapid.SampledFrom([]time.Duration{0, 1, 2, 3, time.Millisecond, time.Second, time.Hour, backoff.NoLimit / 3, backoff.NoLimit/2 + 1, backoff.NoLimit - 1, backoff.NoLimit}),
		rapid.Map(rapid.Int64Range(0, int64(time.Minute)), func(d int64) time.Duration { return time.Duration(d) }),
		rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(d int64) time.Duration { return time.Duration(d) }),
	)
}

func factors() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{1, math.Nextafter(1, 2), 1.1, 1.5, 2, math.E, 3, 10, 1 << 62, 1e300, math.MaxFloat64}),
		rapid.Float64Range(1, 4),
	)
}

func powers() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 0.5, 1, 2, 3, 62, 63, 1e308, math.MaxFloat64}),
		rapid.Float64Range(0, 6),
	)
}

func fractions() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 0.01, 0.1, 0.25, 0.5, 1}),
		rapid.Float64Range(0, 1),
	)
}

func scales() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 0x1p-64, 0.5, 1, 2, 1 << 62, 1 << 63, math.MaxFloat64}),
		rapid.Float64Range(0, 10),
	)
}

// counts draws how many delays to take or drop.
func counts() *rapid.Generator[int] { return rapid.IntRange(0, 12) }

// draw is the short of Draw for a value whose label the expression prints anyway.
func draw[T any](t *rapid.T, g *rapid.Generator[T]) T { return g.Draw(t, "argument") }

// lists draws a finite schedule of any delays.
func lists() *rapid.Generator[expression] {
	return rapid.Custom(func(t *rapid.T) expression {
		delays := draw(t, rapid.SliceOfN(durations(), 0, 8))
		args := make([]any, len(delays))
		for i, d := range delays {
			args[i] = d
		}
		return expression{format("list", args...), list(delays...), false}
	})
}

// seeded draws a seed, and its text.
func seeded(t *rapid.T) (backoff.Option, string) {
	seed := draw(t, rapid.Uint64())
	return backoff.WithSeed(seed), fmt.Sprintf("WithSeed(%d)", seed)
}

// monotones draws a generator that is not random and never falls, with a limit on
// how slowly it grows to saturation: reaches counts the delays that this takes.
func monotones() *rapid.Generator[expression] {
	return rapid.Custom(func(t *rapid.T) expression {
		base := draw(t, durations())
		switch draw(t, rapid.IntRange(0, 4)) {
		case 0:
			return expression{format("Constant", base), backoff.Constant(base), false}
		case 1:
			step := draw(t, durations())
			return expression{format("Linear", base, step), backoff.Linear(base, step), false}
		case 2:
			factor := draw(t, factors())
			return expression{format("Exponential", base, factor), backoff.Exponential(base, factor), false}
		case 3:
			power := draw(t, powers())
			return expression{format("Polynomial", base, power), backoff.Polynomial(base, power), false}
		default:
			return expression{format("Fibonacci", base), backoff.Fibonacci(base), false}
		}
	})
}

// jitters draws a random generator, seeded.
func jitters() *rapid.Generator[expression] {
	return rapid.Custom(func(t *rapid.T) expression {
		base, limit := draw(t, durations()), draw(t, durations())
		seed, text := seeded(t)
		switch draw(t, rapid.IntRange(0, 6)) {
		case 0:
			lo, hi := min(base, limit), max(base, limit)
			return expression{format("Uniform", lo, hi, text), backoff.Uniform(lo, hi, seed), true}
		case 1:
			return expression{format("FullJitter", base, limit, text), backoff.FullJitter(base, limit, seed), true}
		case 2:
			return expression{format("EqualJitter", base, limit, text), backoff.EqualJitter(base, limit, seed), true}
		case 3:
			fraction := draw(t, fractions())
			return expression{format("TopJitter", base, limit, fraction, text), backoff.TopJitter(base, limit, fraction, seed), true}
		case 4:
			return expression{format("DecorrelatedJitter", base, limit, text), backoff.DecorrelatedJitter(base, limit, seed), true}
		case 5:
			return expression{format("SmoothJitter", base, limit, text), backoff.SmoothJitter(base, limit, seed), true}
		default:
			factor, deviation := draw(t, factors()), draw(t, powers())
			return expression{
				format("NormalJitter", base, limit, factor, deviation, text),
				backoff.NormalJitter(base, limit, factor, deviation, seed), true,
			}
		}
	})
}

// generators draws what starts a schedule.
func generators() *rapid.Generator[expression] {
	return rapid.OneOf(monotones(), jitters(), lists(), rapid.Just(expression{
		"Func(n => n ms)",
		backoff.Func(func(n int) time.Duration { return time.Duration(n) * time.Millisecond }),
		false,
	}))
}

// A stage is a randomly drawn function from schedule to schedule.
type stage struct {
	text  string // with %s for the schedule
	apply func(iter.Seq[time.Duration]) iter.Seq[time.Duration]
}

func (st stage) String() string { return st.text }

func (st stage) on(e expression) expression {
	return expression{fmt.Sprintf(st.text, e.text), st.apply(e.seq), e.random}
}

// pointwise draws a stage that makes each delay from one delay.
func pointwise() *rapid.Generator[stage] {
	return rapid.Custom(func(t *rapid.T) stage {
		switch draw(t, rapid.IntRange(0, 3)) {
		case 0:
			limit := draw(t, durations())
			return stage{format("Cap", "%s", limit), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Cap(seq, limit)
			}}
		case 1:
			limit := draw(t, durations())
			return stage{format("Floor", "%s", limit), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Floor(seq, limit)
			}}
		case 2:
			factor := draw(t, scales())
			return stage{format("Scale", "%s", factor), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Scale(seq, factor)
			}}
		default:
			sub := draw(t, durations())
			return stage{fmt.Sprintf("Map(%%s, d => d - %d)", sub), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Map(seq, func(d time.Duration) time.Duration { return d - sub })
			}}
		}
	})
}

// seededStages draws a stage that makes delays random.
func seededStages() *rapid.Generator[stage] {
	return rapid.Custom(func(t *rapid.T) stage {
		fraction := draw(t, fractions())
		seed, text := seeded(t)
		if draw(t, rapid.Bool()) {
			return stage{format("Jitter", "%s", fraction, text), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Jitter(seq, fraction, seed)
			}}
		}
		return stage{format("Spread", "%s", fraction, text), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
			return backoff.Spread(seq, fraction, seed)
		}}
	})
}

// cuts draws a stage that shortens.
func cuts() *rapid.Generator[stage] {
	return rapid.Custom(func(t *rapid.T) stage {
		switch draw(t, rapid.IntRange(0, 2)) {
		case 0:
			n := draw(t, counts())
			return stage{format("Take", "%s", n), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Take(seq, n)
			}}
		case 1:
			n := draw(t, counts())
			return stage{format("Drop", "%s", n), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Drop(seq, n)
			}}
		default:
			total := draw(t, durations())
			return stage{format("Within", "%s", total), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Within(seq, total)
			}}
		}
	})
}

// pairs draws a stage that adds a second schedule.
func pairs() *rapid.Generator[stage] {
	return rapid.Custom(func(t *rapid.T) stage {
		other := draw(t, generators())
		switch draw(t, rapid.IntRange(0, 2)) {
		case 0:
			return stage{format("Concat", "%s", other), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Concat(seq, other.seq)
			}}
		case 1:
			return stage{format("Max", "%s", other), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Max(seq, other.seq)
			}}
		default:
			return stage{format("Min", "%s", other), func(seq iter.Seq[time.Duration]) iter.Seq[time.Duration] {
				return backoff.Min(seq, other.seq)
			}}
		}
	})
}

// stages draws any stage.
func stages() *rapid.Generator[stage] {
	return rapid.OneOf(pointwise(), seededStages(), cuts(), pairs())
}

// expressions draws a generator and up to three stages. All that is random in it
// is seeded, so it replays.
func expressions() *rapid.Generator[expression] {
	return rapid.Custom(func(t *rapid.T) expression {
		e := draw(t, generators())
		for range draw(t, rapid.IntRange(0, 3)) {
			e = draw(t, stages()).on(e)
		}
		return e
	})
}
