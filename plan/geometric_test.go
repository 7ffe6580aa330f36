package plan_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func doubling() plan.Geometric {
	return plan.Geometric{Base: time.Second, Factor: 2, Limit: backoff.NoLimit}
}

func tenth() plan.Geometric {
	return plan.Geometric{Base: time.Second, Factor: 1.1, Limit: backoff.NoLimit}
}

// The source's tables, as it prints them.
func TestSourceTables(t *testing.T) {
	row := func(g plan.Geometric, n int) string {
		return fmt.Sprintf("%d %.3f %.3f", n, g.Delay(n).Seconds(), g.Elapsed(n).Seconds())
	}
	var got []string
	for _, n := range []int{1, 2, 3, 10, 11} {
		got = append(got, row(doubling(), n))
	}
	for _, n := range []int{1, 2, 3, 48, 49} {
		got = append(got, row(tenth(), n))
	}
	want := []string{
		"1 1.000 1.000", "2 2.000 3.000", "3 4.000 7.000", "10 512.000 1023.000", "11 1024.000 2047.000",
		"1 1.000 1.000", "2 1.100 2.100", "3 1.210 3.310", "48 88.197 960.172", "49 97.017 1057.190",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("retry, delay, elapsed (-want +got):\n%s", diff)
	}
}

// The source's sentences.
func TestSourceSentences(t *testing.T) {
	if got := doubling().DelayAt(1023 * time.Second); got != 1024*time.Second {
		t.Errorf("the delay after 1023 s is %v, want 1024 s", got)
	}
	if got := doubling().Retries(1023 * time.Second); got != 10 {
		t.Errorf("retries within 1023 s: %v, want 10", got)
	}
	if got, err := plan.FactorForRatio(0.1); got != 1.1 || err != nil {
		t.Errorf("FactorForRatio(0.1) = %v, %v, want 1.1", got, err)
	}
	if got := tenth().DelayAt(tenth().Elapsed(48)).Seconds(); fmt.Sprintf("%.3f", got) != "97.017" {
		t.Errorf("the delay after 960.172 s is %v s, want 97.017", got)
	}
	if got, err := plan.RetryCost(2, 1.1); fmt.Sprintf("%.2f", got) != "7.27" || err != nil {
		t.Errorf("RetryCost(2, 1.1) = %v, %v, want 7.27", got, err)
	}
	if got, err := plan.RetryCostAt(1000*time.Second, doubling(), tenth()); fmt.Sprintf("%.2f", got) != "4.86" || err != nil {
		t.Errorf("RetryCostAt(1000 s) = %v, %v, want 4.86", got, err)
	}
}

func TestGeometricEdges(t *testing.T) {
	const long = backoff.NoLimit
	tiny := math.Nextafter(1, 2)
	tests := []struct {
		g       plan.Geometric
		n       int
		delay   time.Duration
		elapsed time.Duration
	}{
		{plan.Geometric{7, 1, long}, 1_000_000_000, 7, 7_000_000_000},
		// Computed to 80 digits; the factors are the float64 numbers themselves.
		{plan.Geometric{time.Second, 1 + 1e-12, long}, 1_000_000_000, 1_001_000_589, 1_000_500_211_187_778_255},
		{plan.Geometric{time.Second, tiny, long}, 1_000_000_000, 1_000_000_222, 1_000_000_111_022_310_569},
		{plan.Geometric{time.Second, 2, 10 * time.Second}, 4, 8 * time.Second, 15 * time.Second},
		{plan.Geometric{time.Second, 2, 10 * time.Second}, 5, 10 * time.Second, 25 * time.Second},
		{plan.Geometric{time.Second, 2, 8 * time.Second}, 5, 8 * time.Second, 23 * time.Second},
		{plan.Geometric{time.Second, 2, 10 * time.Second}, 900_000_004, 10 * time.Second, 9_000_000_015 * time.Second},
		{plan.Geometric{time.Second, 2, 10 * time.Second}, 1_000_000_000, 10 * time.Second, long},
		{plan.Geometric{10 * time.Second, 2, 3 * time.Second}, 4, 3 * time.Second, 12 * time.Second},
		{plan.Geometric{1, 2, long}, 63, 1 << 62, long},
		{plan.Geometric{1, 2, long}, 64, long, long},
		{plan.Geometric{1, 2, long}, 1_000_000_000, long, long},
		{plan.Geometric{1, math.MaxFloat64, long}, 1, 1, 1},
		{plan.Geometric{1, math.MaxFloat64, long}, 2, long, long},
		{plan.Geometric{1, math.MaxFloat64, 9}, 1_000_000_000, 9, 8_999_999_992},
		{plan.Geometric{long, 1, long}, 1, long, long},
		{plan.Geometric{1 << 53, 3, long}, 3, 9 << 53, 13 << 53},
		{plan.Geometric{1<<53 + 1, 3, long}, 3, 9<<53 + 9, 13<<53 + 13},
	}
	for _, tt := range tests {
		if got := tt.g.Delay(tt.n); got != tt.delay {
			t.Errorf("%+v: Delay(%d) = %d, want %d", tt.g, tt.n, got, tt.delay)
		}
		if got := tt.g.Elapsed(tt.n); got != tt.elapsed {
			t.Errorf("%+v: Elapsed(%d) = %d, want %d", tt.g, tt.n, got, tt.elapsed)
		}
	}
}

func TestRetriesEdges(t *testing.T) {
	const long = backoff.NoLimit
	tests := []struct {
		g       plan.Geometric
		elapsed time.Duration
		retries float64
		whole   int
	}{
		{doubling(), 0, 0, 0},
		{doubling(), time.Second, 1, 1},
		{doubling(), 7*time.Second - 1, 2.9999999998196630, 2},
		{doubling(), 7 * time.Second, 3, 3},
		{plan.Geometric{time.Second, 1, long}, 2500 * time.Millisecond, 2.5, 2},
		{plan.Geometric{time.Second, 2, 4 * time.Second}, 9 * time.Second, 3.5, 3},
		{plan.Geometric{time.Second, 2, 3 * time.Second}, 9 * time.Second, 4, 4},
		{plan.Geometric{5 * time.Second, 2, time.Second}, 9500 * time.Millisecond, 9.5, 9},
		{plan.Geometric{time.Second, 1 + 1e-12, long}, 1e18, 999_500_288.692_944_869_9, 999_500_288},
		// float64 cannot tell 89,999 and 0.9999999999999 from 90,000.
		{plan.Geometric{1e13, 1, long}, 9e17 - 1, math.Nextafter(90_000, 0), 89_999},
		{plan.Geometric{1, 2, long}, long, 63, 63},
		// The second delay is NoLimit, which 1 ns does not reach.
		{plan.Geometric{1, math.MaxFloat64, long}, long, 2, 1},
		{plan.Geometric{1, 1, long}, 1 << 30, 1 << 30, 1 << 30},
		{plan.Geometric{1, 1, long}, long, 1 << 63, min(math.MaxInt, math.MaxInt64)},
	}
	for _, tt := range tests {
		if got := tt.g.Retries(tt.elapsed); !(math.Abs(got-tt.retries) <= 1e-12*tt.retries) {
			t.Errorf("%+v: Retries(%d) = %.17g, want %.17g", tt.g, tt.elapsed, got, tt.retries)
		}
		if got := tt.g.Retries(tt.elapsed); got < 1<<31 && math.Floor(got) != float64(tt.whole) {
			t.Errorf("%+v: Retries(%d) = %.17g, want a whole part of %d", tt.g, tt.elapsed, got, tt.whole)
		}
		if got := tt.g.RetriesWithin(tt.elapsed); got != tt.whole {
			t.Errorf("%+v: RetriesWithin(%d) = %d, want %d", tt.g, tt.elapsed, got, tt.whole)
		}
		if got := tt.g.RetriesWithin64(tt.elapsed); int(min(got, math.MaxInt)) != tt.whole {
			t.Errorf("%+v: RetriesWithin64(%d) = %d, want %d", tt.g, tt.elapsed, got, tt.whole)
		}
	}
}

// geometric draws a valid Geometric; half of them have a limit that matters.
func geometric(t *rapid.T) plan.Geometric {
	g := plan.Geometric{
		Base:   time.Duration(rapid.OneOf(rapid.Int64Range(1, 1e13), rapid.Int64Min(1)).Draw(t, "base")),
		Factor: factor(t),
		Limit:  backoff.NoLimit,
	}
	if rapid.Bool().Draw(t, "limited") {
		g.Limit = time.Duration(rapid.OneOf(rapid.Int64Range(1, 1e15), rapid.Int64Min(1)).Draw(t, "limit"))
	}
	return g
}

func factor(t *rapid.T) float64 {
	return rapid.OneOf(
		rapid.Float64Range(1, 4),
		rapid.SampledFrom([]float64{1, math.Nextafter(1, 2), 1 + 1e-12, 1 + 1e-9, 1.1, 1.5, 2, 3, 1e300, math.MaxFloat64}),
		rapid.Map(rapid.Float64Range(-52, 0), func(x float64) float64 { return 1 + math.Exp2(x) }),
	).Draw(t, "factor")
}

// counts draws a number of retries, small more often than not.
func counts() *rapid.Generator[int] {
	return rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(0, 1_000_000_000))
}

// exact computes Tₙ and the delay before retry n from the definition, in 400 bits.
func exact(g plan.Geometric, n int) (delay, elapsed *big.Float) {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	whole := func(d time.Duration) *big.Float { return new(big.Float).SetPrec(400).SetInt64(int64(d)) }
	base, limit, r := whole(min(g.Base, g.Limit)), whole(g.Limit), num(g.Factor)
	power := func(n int) *big.Float {
		p, sq := num(1), num(g.Factor)
		for ; n > 0; n >>= 1 {
			if n&1 == 1 {
				p.Mul(p, sq)
			}
			sq.Mul(sq, sq)
		}
		return p
	}
	term := func(n int) *big.Float { return power(n).Mul(power(n), base) }
	// The number of terms below the limit, by halving.
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; term(mid).Cmp(limit) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if g.Factor == 1 {
		elapsed = base.Mul(base, whole(time.Duration(lo)))
	} else {
		elapsed = power(lo)
		elapsed.Sub(elapsed, num(1)).Mul(elapsed, base).Quo(elapsed, r.Sub(r, num(1)))
	}
	elapsed.Add(elapsed, limit.Mul(whole(g.Limit), whole(time.Duration(n-lo))))
	if n == 0 {
		return nil, elapsed
	}
	delay = whole(min(g.Base, g.Limit))
	delay.Mul(delay, power(n-1))
	if delay.Cmp(whole(g.Limit)) > 0 {
		delay = whole(g.Limit)
	}
	return delay, elapsed
}

// nearest rounds as the package does.
func nearest(x *big.Float) time.Duration {
	i, _ := x.Add(x, big.NewFloat(0.5)).Int(nil)
	if !i.IsInt64() {
		return backoff.NoLimit
	}
	return time.Duration(i.Int64())
}

// Every result is the definition's, evaluated in 400 bits and rounded once.
func TestGeometricIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), counts().Draw(t, "n")
		delay, elapsed := exact(g, n)
		if got, want := g.Elapsed(n), nearest(elapsed); got != want {
			t.Errorf("Elapsed(%d) = %d, want %d", n, got, want)
		}
		if n == 0 {
			return
		}
		if got, want := g.Delay(n), nearest(delay); got != want {
			t.Errorf("Delay(%d) = %d, want %d", n, got, want)
		}
	})
}

// The formulas against the sequence itself, element by element and summed.
func TestGeometricIsItsSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		sum, overflow := time.Duration(0), false
		n := 0
		for d := range backoff.Take(g.Schedule(), rapid.IntRange(0, 300).Draw(t, "n")) {
			n++
			if got := g.Delay(n); got != d {
				t.Fatalf("Delay(%d) = %d, want the schedule's %d", n, got, d)
			}
			overflow = overflow || d > backoff.NoLimit-sum
			if overflow {
				sum = backoff.NoLimit
			} else {
				sum += d
			}
			// Each delay is rounded by half a nanosecond at most.
			if got := g.Elapsed(n); got-sum > time.Duration(n+1)/2 || sum-got > time.Duration(n+1)/2 {
				t.Fatalf("Elapsed(%d) = %d, want the schedule's sum %d", n, got, sum)
			}
		}
	})
}

// DelayAt at a retry's time is the delay before the next, the linear law.
func TestDelayAtIsTheNextDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), counts().Draw(t, "n")
		elapsed := g.Elapsed(n)
		if elapsed == backoff.NoLimit {
			t.Skip("saturated")
		}
		// Half a nanosecond of elapsed counts for (r−1)/2, as far as the limit.
		got, want := g.DelayAt(elapsed), g.Delay(n+1)
		if slack := 1 + (g.Factor-1)/2; !(math.Abs(float64(got-want)) <= slack) {
			t.Errorf("DelayAt(Elapsed(%d) = %d) = %d, want Delay(%d) = %d", n, elapsed, got, n+1, want)
		}
	})
}

func TestDelayAtGrowsWithElapsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		a := time.Duration(rapid.Int64Min(0).Draw(t, "a"))
		b := time.Duration(rapid.Int64Range(int64(a), math.MaxInt64).Draw(t, "b"))
		if g.DelayAt(a) > g.DelayAt(b) {
			t.Errorf("DelayAt(%d) = %d > DelayAt(%d) = %d", a, g.DelayAt(a), b, g.DelayAt(b))
		}
		if least := min(g.Base, g.Limit); g.DelayAt(a) < least || g.DelayAt(b) > g.Limit {
			t.Errorf("DelayAt(%d) = %d or DelayAt(%d) = %d is not in [%d, %d]",
				a, g.DelayAt(a), b, g.DelayAt(b), least, g.Limit)
		}
	})
}

func TestRetriesInvertsElapsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), counts().Draw(t, "n")
		elapsed := g.Elapsed(n)
		if elapsed == backoff.NoLimit {
			t.Skip("saturated")
		}
		if got := g.RetriesWithin(elapsed); got != n {
			t.Errorf("RetriesWithin(Elapsed(%d) = %d) = %d", n, elapsed, got)
		}
		if got := g.Retries(elapsed); got != float64(n) {
			t.Errorf("Retries(Elapsed(%d) = %d) = %.17g", n, elapsed, got)
		}
	})
}

func TestRetriesWithinIsTheMostThatFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		elapsed := time.Duration(rapid.Int64Range(0, math.MaxInt64-1).Draw(t, "elapsed"))
		if rapid.Bool().Draw(t, "just before a retry") {
			elapsed = max(0, g.Elapsed(counts().Draw(t, "retry"))-1)
		}
		n := g.RetriesWithin(elapsed)
		if g.Elapsed(n) > elapsed {
			t.Errorf("RetriesWithin(%d) = %d, but Elapsed(%d) = %d", elapsed, n, n, g.Elapsed(n))
		}
		if n < math.MaxInt && g.Elapsed(n+1) <= elapsed {
			t.Errorf("RetriesWithin(%d) = %d, but Elapsed(%d) = %d", elapsed, n, n+1, g.Elapsed(n+1))
		}
		x := g.Retries(elapsed)
		if n < 1<<31-1 && math.Floor(x) != float64(n) {
			t.Errorf("Retries(%d) = %.17g, but RetriesWithin is %d", elapsed, x, n)
		}
	})
}

// Retries against its formula, where float64 can evaluate that: 10⁻⁹ is a
// hundred times what its cancellation leaves of the digits there.
func TestRetriesIsItsFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		g.Factor = rapid.Float64Range(1.01, 10).Draw(t, "factor")
		g.Base = time.Duration(rapid.Int64Range(1e6, 1e10).Draw(t, "base"))
		g.Limit = backoff.NoLimit
		elapsed := time.Duration(rapid.Int64Range(0, 1e17).Draw(t, "elapsed"))
		want := math.Log(1+(g.Factor-1)*float64(elapsed)/float64(g.Base)) / math.Log(g.Factor)
		if got := g.Retries(elapsed); !(math.Abs(got-want) <= 1e-9*(1+want)) {
			t.Errorf("Retries(%d) = %.17g, want %.17g", elapsed, got, want)
		}
	})
}

// Neither r = 1 nor the limit is a jump: Retries grows with elapsed by at most a
// retry per base, and not at all backwards.
func TestRetriesIsContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		n := rapid.IntRange(0, 1000).Draw(t, "n")
		at := g.Elapsed(n)
		if at < 2 || at > 1<<62 {
			t.Skip("too near an end")
		}
		step := time.Duration(rapid.Int64Range(1, 1+int64(at)/1e6).Draw(t, "step"))
		before, after := g.Retries(at-step), g.Retries(at+step)
		// A rate of 1 per base at the start and slower from then on; a nanosecond
		// more for the rounding of Elapsed.
		most := float64(2*step+2) / float64(min(g.Base, g.Limit))
		if g.Factor > 1 {
			most *= (g.Factor - 1) / math.Log1p(g.Factor-1) // the logarithm's slope at its start
		}
		if !(before <= after && after-before <= most+1e-12*after) {
			t.Errorf("Retries(%d ± %d) = %.17g, %.17g: more than %g apart", at, step, before, after, most)
		}
	})
}

func TestFactorNearOneIsNearConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		g.Limit = backoff.NoLimit
		g.Base = time.Duration(rapid.Int64Range(1e9, 1e12).Draw(t, "base"))
		elapsed := time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "elapsed"))
		g.Factor = 1
		constant := g.Retries(elapsed)
		g.Factor = 1 + 1e-12
		// The series log(1+x) = x·(1 − x/2 + x²/3), where x <= 10⁻⁶.
		x := (g.Factor - 1) * float64(elapsed) / float64(g.Base)
		if got := g.Retries(elapsed); !(math.Abs(got-constant*(1-x/2)) <= 2e-12*constant) {
			t.Errorf("Retries(%d) = %.17g with 1 + 1e-12, %.17g with 1", elapsed, got, constant)
		}
	})
}

func TestFactorForRetriesInvertsElapsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), rapid.OneOf(rapid.IntRange(2, 100), rapid.IntRange(2, 1_000_000)).Draw(t, "n")
		elapsed := g.Elapsed(n)
		if elapsed == backoff.NoLimit {
			t.Skip("saturated")
		}
		known := plan.Geometric{Base: g.Base, Limit: g.Limit}
		r, err := known.FactorForRetries(n, elapsed)
		if err != nil {
			// Elapsed was rounded by half a nanosecond, and so may lie that much
			// outside of what a factor reaches.
			least, most := plan.Geometric{g.Base, 1, g.Limit}, plan.Geometric{g.Base, math.MaxFloat64, g.Limit}
			if least.Elapsed(n) < elapsed && elapsed < most.Elapsed(n) {
				t.Errorf("FactorForRetries(%d, %d): %v", n, elapsed, err)
			}
			return
		}
		solved, above := g, g
		solved.Factor, above.Factor = r, math.Nextafter(r, math.Inf(1))
		if solved.Elapsed(n) > elapsed {
			t.Errorf("FactorForRetries(%d, %d) = %.17g, with which Elapsed is %d", n, elapsed, r, solved.Elapsed(n))
		}
		if above.Elapsed(n) < elapsed {
			t.Errorf("FactorForRetries(%d, %d) = %.17g, but the next factor's Elapsed is %d", n, elapsed, r, above.Elapsed(n))
		}
	})
}

// Where the limit over the base is no float64, the factor must still reach it, and be the
// smallest that does.
func TestFactorForRetriesReachesTheLimit(t *testing.T) {
	for base := range time.Duration(100) {
		g := plan.Geometric{Base: base + 1, Limit: 1e9 + 7}
		r, err := g.FactorForRetries(3, g.Base+2*g.Limit)
		g.Factor = r
		if err != nil || g.Delay(2) != g.Limit {
			t.Errorf("base %d: factor %v, %v: want one with which delay 2 is %d", g.Base, r, err, g.Limit)
		}
		second := func(factor float64) *big.Float { return new(big.Float).Mul(bigs(factor), bigTime(g.Base)) }
		if limit := bigTime(g.Limit); second(r).Cmp(limit) < 0 || second(math.Nextafter(r, 0)).Cmp(limit) >= 0 {
			t.Errorf("base %d: factor %.17g, want the smallest with which delay 2 is not below %d", g.Base, r, g.Limit)
		}
	}
}

func TestBaseForRetriesInvertsElapsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(1, 1_000_000)).Draw(t, "n")
		elapsed := g.Elapsed(n)
		if elapsed == backoff.NoLimit {
			t.Skip("saturated")
		}
		known := plan.Geometric{Factor: g.Factor, Limit: g.Limit}
		a, err := known.BaseForRetries(n, elapsed)
		least, most := plan.Geometric{1, g.Factor, g.Limit}, plan.Geometric{g.Limit, g.Factor, g.Limit}
		if err != nil {
			if least.Elapsed(n) < elapsed && elapsed <= most.Elapsed(n) {
				t.Errorf("BaseForRetries(%d, %d): %v", n, elapsed, err)
			}
			return
		}
		solved, above := g, g
		solved.Base, above.Base = a, a+1
		if solved.Elapsed(n) > elapsed {
			t.Errorf("BaseForRetries(%d, %d) = %d, with which Elapsed is %d", n, elapsed, a, solved.Elapsed(n))
		}
		if a < g.Limit && above.Elapsed(n) < elapsed {
			t.Errorf("BaseForRetries(%d, %d) = %d, but of 1 ns more Elapsed is %d", n, elapsed, a, above.Elapsed(n))
		}
		if want := min(g.Base, g.Limit); a > want || a < want-1 {
			t.Errorf("BaseForRetries(%d, Elapsed(%d)) = %d, want %d", n, n, a, want)
		}
	})
}

func TestFactorForRatioInvertsTheRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(1e-3, 1e3).Draw(t, "ratio")
		r, err := plan.FactorForRatio(ratio)
		if err != nil {
			t.Fatal(err)
		}
		g := plan.Geometric{Base: 1, Factor: r, Limit: backoff.NoLimit}
		const elapsed = 1e15 // beside which the base, and a rounding, are 10⁻¹²
		if got := g.DelayAt(elapsed).Seconds() / time.Duration(elapsed).Seconds(); !(math.Abs(got-ratio) <= 1e-11*ratio) {
			t.Errorf("the delay is %v of the elapsed time, want %v", got, ratio)
		}
	})
}

// RetryCost is what RetryCostAt tends to: at time T the two counts lack
// log_r(r−1) each, beside the logarithm of T/a.
func TestRetryCostIsTheLimitOfRetryCostAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := plan.Geometric{1, rapid.Float64Range(1.01, 10).Draw(t, "from"), backoff.NoLimit}
		to := plan.Geometric{1, rapid.Float64Range(1.01, 10).Draw(t, "to"), backoff.NoLimit}
		const elapsed = 1e18
		asymptotic, err := plan.RetryCost(from.Factor, to.Factor)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := plan.RetryCostAt(elapsed, from, to)
		if err != nil {
			t.Fatal(err)
		}
		correction := math.Log(1+(to.Factor-1)*elapsed) / math.Log(1+(from.Factor-1)*elapsed)
		if !(math.Abs(exact-asymptotic*correction) <= 1e-9*exact) {
			t.Errorf("RetryCostAt is %v, want RetryCost %v times %v", exact, asymptotic, correction)
		}
		back, err := plan.RetryCostAt(elapsed, to, from)
		if err != nil || !(math.Abs(exact*back-1) <= 1e-12) {
			t.Errorf("there and back costs %v, %v, want 1", exact*back, err)
		}
	})
}

func TestImpossibleQuestions(t *testing.T) {
	known := plan.Geometric{Base: time.Second, Factor: 2, Limit: time.Minute}
	nan, inf := math.NaN(), math.Inf(1)
	fails := func(_ any, err error) error { return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{plan.Geometric{}.Validate(), "plan: Geometric: Base is 0s, want > 0"},
		{plan.Geometric{-1, 2, 1}.Validate(), "plan: Geometric: Base is -1ns, want > 0"},
		{plan.Geometric{1, 0.5, 1}.Validate(), "plan: Geometric: Factor is 0.5, want a finite value >= 1"},
		{plan.Geometric{1, nan, 1}.Validate(), "plan: Geometric: Factor is NaN, want a finite value >= 1"},
		{plan.Geometric{1, inf, 1}.Validate(), "plan: Geometric: Factor is +Inf, want a finite value >= 1"},
		{plan.Geometric{1, 2, 0}.Validate(), "plan: Geometric: Limit is 0s, want > 0 (backoff.NoLimit is none)"},
		{fails(plan.FactorForRatio(0)), "plan: FactorForRatio: ratio is 0, want a finite value > 0"},
		{fails(plan.FactorForRatio(-0.1)), "plan: FactorForRatio: ratio is -0.1, want a finite value > 0"},
		{fails(plan.FactorForRatio(nan)), "plan: FactorForRatio: ratio is NaN, want a finite value > 0"},
		{fails(plan.RetryCost(2, 1)), "plan: RetryCost: to is 1, want a finite value > 1"},
		{fails(plan.RetryCost(inf, 2)), "plan: RetryCost: from is +Inf, want a finite value > 1"},
		{fails(plan.RetryCostAt(0, known, known)), "plan: RetryCostAt: elapsed is 0s, want > 0"},
		{fails(plan.RetryCostAt(1, plan.Geometric{}, known)), "plan: Geometric: Base is 0s, want > 0"},
		{fails(plan.RetryCostAt(1, known, plan.Geometric{})), "plan: Geometric: Base is 0s, want > 0"},
		{fails(plan.Geometric{}.FactorForRetries(2, 1)), "plan: Geometric: Base is 0s, want > 0"},
		{
			fails(known.FactorForRetries(1, time.Second)),
			"plan: FactorForRetries: n is 1, want >= 2: the first delay is Base with any factor",
		},
		{
			fails(known.FactorForRetries(10, 5*time.Second)),
			"plan: FactorForRetries: elapsed is 5s, want >= 10s: 10 retries with a Base of 1s take that much with a factor of 1",
		},
		{
			fails(known.FactorForRetries(10, -time.Second)),
			"plan: FactorForRetries: elapsed is -1s, want >= 10s: 10 retries with a Base of 1s take that much with a factor of 1",
		},
		{
			fails(known.FactorForRetries(10, time.Hour)),
			"plan: FactorForRetries: elapsed is 1h0m0s, want <= 9m1s: 10 retries from a Base of 1s under a Limit of 1m0s take no more",
		},
		{
			fails(plan.Geometric{Base: backoff.NoLimit, Limit: backoff.NoLimit}.FactorForRetries(2, backoff.NoLimit)),
			"plan: FactorForRetries: elapsed is 2562047h47m16.854775807s, want more than a time.Duration holds: 2 retries with a Base of 2562047h47m16.854775807s take that much with a factor of 1",
		},
		{fails(plan.Geometric{}.BaseForRetries(2, 1)), "plan: Geometric: Factor is 0, want a finite value >= 1"},
		{fails(known.BaseForRetries(0, time.Second)), "plan: BaseForRetries: n is 0, want >= 1"},
		{
			fails(known.BaseForRetries(10, 1000)),
			"plan: BaseForRetries: elapsed is 1µs, want >= 1.023µs: 10 retries with a Factor of 2 take that much with a base of 1ns",
		},
		{
			fails(known.BaseForRetries(10, time.Hour)),
			"plan: BaseForRetries: elapsed is 1h0m0s, want <= 10m0s: 10 retries under a Limit of 1m0s take no more",
		},
	} {
		if got := fmt.Sprint(tt.err); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// panicOf returns what f panics with.
func panicOf(f func()) (text any) {
	defer func() { text = recover() }()
	f()
	return nil
}

func TestGeometricPanics(t *testing.T) {
	g := doubling()
	for _, tt := range []struct {
		call func()
		want string
	}{
		{func() { g.Delay(0) }, "plan: Delay: n is 0, want >= 1"},
		{func() { g.Elapsed(-1) }, "plan: Elapsed: n is -1, want >= 0"},
		{func() { g.DelayAt(-1) }, "plan: DelayAt: elapsed is -1ns, want >= 0"},
		{func() { g.Retries(-1) }, "plan: Retries: elapsed is -1ns, want >= 0"},
		{func() { g.RetriesWithin(-1) }, "plan: RetriesWithin: elapsed is -1ns, want >= 0"},
		{func() { g.RetriesWithin64(-1) }, "plan: RetriesWithin64: elapsed is -1ns, want >= 0"},
	} {
		if got := panicOf(tt.call); got != tt.want {
			t.Errorf("got  %v\nwant %s", got, tt.want)
		}
	}
	var zero plan.Geometric
	for name, call := range map[string]func(){
		"Delay":           func() { zero.Delay(1) },
		"Elapsed":         func() { zero.Elapsed(1) },
		"DelayAt":         func() { zero.DelayAt(1) },
		"Retries":         func() { zero.Retries(1) },
		"RetriesWithin":   func() { zero.RetriesWithin(1) },
		"RetriesWithin64": func() { zero.RetriesWithin64(1) },
		"Schedule":        func() { zero.Schedule() },
		"DelayAfter":      func() { zero.DelayAfter(1) },
		"BelowLimit":      func() { zero.BelowLimit() },
	} {
		if got := panicOf(call); !strings.HasPrefix(fmt.Sprint(got), "plan: Geometric: Base is 0s") {
			t.Errorf("%s of the zero Geometric: got %v, want a panic that names Base", name, got)
		}
	}
}
