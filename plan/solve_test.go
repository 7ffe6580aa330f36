package plan_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
	"pgregory.net/rapid"
)

// bigs are numbers of 400 bits, for formulas as a textbook has them.
func bigs(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

func bigTime(d time.Duration) *big.Float { return new(big.Float).SetPrec(400).SetInt64(int64(d)) }

func bigPower(x *big.Float, n int) *big.Float {
	p := bigs(1)
	for square := new(big.Float).Copy(x); n > 0; n >>= 1 {
		if n&1 == 1 {
			p.Mul(p, square)
		}
		square.Mul(square, square)
	}
	return p
}

// between returns the number half-way between two neighbouring float64 numbers.
func between(a, b float64) *big.Float {
	sum := bigs(a)
	return sum.Add(sum, bigs(b)).Quo(sum, bigs(2))
}

// isNearest checks that the root of a function that grows is nearest to got of all
// float64 numbers >= 1; sign is that of the function.
func isNearest(t *rapid.T, what string, got float64, sign func(r *big.Float) int) {
	t.Helper()
	if above := between(got, math.Nextafter(got, math.Inf(1))); sign(above) < 0 {
		t.Errorf("%s = %.17g, want more", what, got)
	}
	if got > 1 && sign(between(math.Nextafter(got, 0), got)) > 0 {
		t.Errorf("%s = %.17g, want less", what, got)
	}
}

// delays draws a delay, short more often than not.
func delays(t *rapid.T, name string, least time.Duration) time.Duration {
	g := rapid.Int64Range(int64(least), max(int64(least), 1e15))
	if least < math.MaxInt64-1 {
		g = rapid.OneOf(g, rapid.Int64Range(int64(least), math.MaxInt64-1))
	}
	return time.Duration(g.Draw(t, name))
}

func TestFactorForDelayIsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{Base: delays(t, "base", 1), Limit: backoff.NoLimit}
		d := delays(t, "delay", min(g.Base, backoff.NoLimit-1))
		n := counts().Draw(t, "n") + 1
		got, err := g.FactorForDelay(n, d)
		if err != nil {
			if d >= g.Base {
				t.Fatal(err)
			}
			return
		}
		isNearest(t, fmt.Sprintf("FactorForDelay(%d, %d)", n, d), got, func(r *big.Float) int {
			p := bigPower(r, n)
			return p.Mul(p, bigTime(g.Base)).Cmp(bigTime(d))
		})
	})
}

// A factor with which the delay is whole is found to the last bit.
func TestFactorForDelayInvertsDelayAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.IntRange(0, 3).Draw(t, "shift") // factors in eighths
		n := rapid.IntRange(1, 12).Draw(t, "n")
		m := rapid.Int64Range(1<<shift, 40).Draw(t, "m")
		g := plan.Geometric{
			Base:   time.Duration(rapid.Int64Range(1, 1000).Draw(t, "base") << (shift * n)),
			Factor: float64(m) / float64(int(1)<<shift), Limit: backoff.NoLimit,
		}
		d := g.DelayAfter(n)
		if d == backoff.NoLimit {
			t.Skip("saturated")
		}
		known := plan.Geometric{Base: g.Base, Limit: g.Limit}
		if got, err := known.FactorForDelay(n, d); got != g.Factor || err != nil {
			t.Errorf("FactorForDelay(%d, %d) = %.17g, %v, want %v", n, d, got, err, g.Factor)
		}
	})
}

func TestFactorForDelayAtIsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{Base: delays(t, "base", 1), Limit: backoff.NoLimit}
		d, elapsed := delays(t, "delay", min(g.Base, backoff.NoLimit-1)), delays(t, "elapsed", 1)
		got, err := g.FactorForDelayAt(elapsed, d)
		if err != nil {
			t.Fatal(err)
		}
		isNearest(t, fmt.Sprintf("FactorForDelayAt(%d, %d)", elapsed, d), got, func(r *big.Float) int {
			r.Sub(r, bigs(1)).Mul(r, bigTime(elapsed)).Add(r, bigTime(g.Base))
			return r.Cmp(bigTime(d))
		})
	})
}

func TestBaseForDelayIsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{Factor: factor(t), Limit: backoff.NoLimit}
		d, n := delays(t, "delay", 1), counts().Draw(t, "n")
		power := bigPower(bigs(g.Factor), n)
		quotient := bigTime(d)
		if power.IsInf() {
			quotient = bigs(0)
		} else {
			quotient.Quo(quotient, power)
		}
		want := nearest(quotient)
		got, err := g.BaseForDelay(n, d)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("BaseForDelay(%d, %d) = %d, %v, want %d", n, d, got, err, want)
		}
	})
}

func TestBaseForDelayInvertsDelayAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), counts().Draw(t, "n")
		d := g.DelayAfter(n)
		known := plan.Geometric{Factor: g.Factor, Limit: g.Limit}
		got, err := known.BaseForDelay(n, d)
		if d >= g.Limit {
			if err == nil {
				t.Errorf("BaseForDelay(%d, %d) = %d, want an error: the limit is %d", n, d, got, g.Limit)
			}
			return
		}
		if got != g.Base || err != nil {
			t.Errorf("BaseForDelay(%d, %d) = %d, %v, want %d", n, d, got, err, g.Base)
		}
	})
}

func TestBaseForDelayAtInvertsDelayAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, elapsed := geometric(t), delays(t, "elapsed", 0)
		d := g.DelayAt(elapsed)
		known := plan.Geometric{Factor: g.Factor, Limit: g.Limit}
		got, err := known.BaseForDelayAt(elapsed, d)
		if (err == nil) != (d < g.Limit) || err == nil && got != g.Base {
			t.Errorf("BaseForDelayAt(%d, %d) = %d, %v, want %d under %d", elapsed, d, got, err, g.Base, g.Limit)
		}
	})
}

// Any delay under the limit is that of the base that is found, or leaves none.
func TestBaseForDelayAtReachesTheDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, elapsed, d := geometric(t), delays(t, "elapsed", 0), delays(t, "delay", 1)
		base, err := g.BaseForDelayAt(elapsed, d)
		if err != nil {
			g.Base = 1
			if least := g.DelayAt(elapsed); d >= least && d < g.Limit {
				t.Errorf("BaseForDelayAt(%d, %d): %v, but with 1 ns it is %d", elapsed, d, err, least)
			}
			return
		}
		if g.Base = base; g.DelayAt(elapsed) != d {
			t.Errorf("BaseForDelayAt(%d, %d) = %d, with which it is %d", elapsed, d, base, g.DelayAt(elapsed))
		}
	})
}

func TestElapsedAtDelayIsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		if g.Factor == 1 || g.Base >= g.Limit {
			t.Skip("no delay tells")
		}
		d := time.Duration(rapid.Int64Range(int64(g.Base), int64(g.Limit)-1).Draw(t, "delay"))
		r, _ := new(big.Float).SetFloat64(g.Factor).Rat(nil)
		q := new(big.Rat).SetInt64(int64(d - g.Base))
		q.Quo(q, r.Sub(r, big.NewRat(1, 1))).Add(q, big.NewRat(1, 2))
		whole := new(big.Int).Quo(q.Num(), q.Denom())
		want := backoff.NoLimit
		if whole.IsInt64() {
			want = time.Duration(whole.Int64())
		}
		got, err := g.ElapsedAtDelay(d)
		if got != want || err != nil {
			t.Errorf("ElapsedAtDelay(%d) = %d, %v, want %d", d, got, err, want)
		}
		if g.Factor <= 2 && got < backoff.NoLimit && g.DelayAt(got) != d {
			t.Errorf("DelayAt(ElapsedAtDelay(%d)) = %d", d, g.DelayAt(got))
		}
	})
}

func TestRetriesAtDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometric(t)
		if g.Factor == 1 || g.Base >= g.Limit {
			t.Skip("no delay tells")
		}
		d := time.Duration(rapid.Int64Range(int64(g.Base), int64(g.Limit)-1).Draw(t, "delay"))
		if rapid.Bool().Draw(t, "a delay that it has") {
			if d = g.DelayAfter(counts().Draw(t, "n")); d >= g.Limit {
				t.Skip("at the limit")
			}
		}
		got, err := g.RetriesAtDelay(d)
		if err != nil {
			t.Fatal(err)
		}
		if n := int(got); got < 1<<31-1 {
			if g.DelayAfter(n) > d || g.DelayAfter(n+1) <= d {
				t.Errorf("RetriesAtDelay(%d) = %.17g, but DelayAfter(%d) = %d and DelayAfter(%d) = %d",
					d, got, n, g.DelayAfter(n), n+1, g.DelayAfter(n+1))
			}
			if g.DelayAfter(n) == d && got != float64(n) {
				t.Errorf("RetriesAtDelay(DelayAfter(%d) = %d) = %.17g", n, d, got)
			}
			// A delay is rounded by half a nanosecond at most.
			least := math.Log(float64(d)-0.5) - math.Log(float64(g.Base))
			most := math.Log(float64(d)+0.5) - math.Log(float64(g.Base))
			log := math.Log1p(g.Factor - 1)
			if slack := 1e-13 * math.Log(float64(d)+1); !(got*log >= least-slack && got*log <= most+slack) {
				t.Errorf("RetriesAtDelay(%d) = %.17g, want in [%.17g, %.17g]", d, got, least/log, most/log)
			}
		}
	})
}

// The smallest limit with which the retry comes no sooner.
func TestLimitForRetriesIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := geometric(t), counts().Draw(t, "n")+1
		elapsed := g.Elapsed(n)
		if rapid.Bool().Draw(t, "any") {
			elapsed = delays(t, "elapsed", 1)
		}
		at := func(limit time.Duration) time.Duration {
			_, sum := exact(plan.Geometric{Base: g.Base, Factor: g.Factor, Limit: limit}, n)
			return nearest(sum)
		}
		got, err := g.LimitForRetries(n, elapsed)
		if err != nil {
			if elapsed >= at(g.Base) && elapsed <= at(backoff.NoLimit) {
				t.Errorf("LimitForRetries(%d, %d): %v", n, elapsed, err)
			}
			return
		}
		if got < g.Base || at(got) < elapsed || got > g.Base && at(got-1) >= elapsed {
			t.Errorf("LimitForRetries(%d, %d) = %d, with which it comes at %d, and at %d with 1 ns less",
				n, elapsed, got, at(got), at(max(1, got-1)))
		}
		if elapsed == g.Elapsed(n) && g.Limit >= g.Base && got > g.Limit {
			t.Errorf("LimitForRetries(%d, Elapsed(%d)) = %d, more than the limit %d", n, n, got, g.Limit)
		}
	})
}

func TestFactorAndBaseIsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g plan.Geometric
		g.Limit = backoff.NoLimit
		n := counts().Draw(t, "n") + 1
		d, elapsed := delays(t, "delay", 1), delays(t, "elapsed", 1)
		if rapid.Bool().Draw(t, "of a schedule") {
			h := geometric(t)
			n = rapid.IntRange(1, 200).Draw(t, "its n")
			if d, elapsed = h.DelayAfter(n), h.Elapsed(n); max(d, elapsed) == backoff.NoLimit {
				t.Skip("saturated")
			}
		}
		// d·(1 − r⁻ⁿ)/(r − 1) − T, which falls, of r > 1.
		sign := func(r *big.Float) int {
			one := bigs(1)
			sum := new(big.Float).Quo(one, bigPower(r, n))
			sum.Sub(one, sum).Mul(sum, bigTime(d)).Quo(sum, new(big.Float).Sub(r, one))
			return -sum.Cmp(bigTime(elapsed))
		}
		factor, base, err := g.FactorAndBase(n, elapsed, d)
		if err != nil {
			// The sum is too small at r = 1, or the base at the factor where it is 1 ns.
			if most := new(big.Float).Mul(bigTime(d), bigTime(time.Duration(n))); most.Cmp(bigTime(elapsed)) < 0 {
				return
			}
			edge, err := plan.Geometric{Base: 1, Limit: backoff.NoLimit}.FactorForDelay(n, d)
			if err != nil {
				t.Fatal(err)
			}
			if r := edge * (1 - 1e-9); r > 1 && sign(bigs(r)) > 0 {
				t.Errorf("FactorAndBase(%d, %d, %d): no answer, but a factor below %v", n, elapsed, d, r)
			}
			return
		}
		isNearest(t, fmt.Sprintf("FactorAndBase(%d, %d, %d)", n, elapsed, d), factor, sign)
		quotient := bigTime(d)
		if want := nearest(quotient.Quo(quotient, bigPower(bigs(factor), n))); base != want {
			t.Errorf("FactorAndBase(%d, %d, %d): base %d, want %d", n, elapsed, d, base, want)
		}
	})
}

// The command once got these wrong.
func TestSeenWrong(t *testing.T) {
	const long = backoff.NoLimit
	constant := plan.Geometric{Base: 1, Factor: 1, Limit: long}
	if got := constant.RetriesWithin(long); got != math.MaxInt || constant.DelayAfter(got) != 1 {
		t.Errorf("%d retries fit into 292 years and are followed by %d, want %d and 1", got, constant.DelayAfter(got), math.MaxInt)
	}
	if got := constant.Elapsed(math.MaxInt); got != math.MaxInt {
		t.Errorf("retry MaxInt comes at %d", got)
	}
	if got := constant.BelowLimit(); got != math.MaxInt {
		t.Errorf("%d delays are below NoLimit, want all", got)
	}

	steep := plan.Geometric{Base: 3, Factor: 1234567.3, Limit: long}
	if got := steep.DelayAfter(2); got != 4572469254688 || got != steep.Delay(3) {
		t.Errorf("retry 2 is followed by %d, want 3·1234567.3² = 4572469254688", got)
	}

	ten, err := plan.Geometric{Base: 30 * time.Second, Limit: long}.FactorForDelay(8, 3_000_000_000*time.Second)
	if ten != 10 || err != nil {
		t.Errorf("FactorForDelay is %.17g, %v, want 10", ten, err)
	}

	flat := plan.Geometric{Base: 200 * time.Millisecond, Factor: 1.0146988914330468, Limit: long}
	if got, err := flat.RetriesAtDelay(202939778); got != 1 || err != nil {
		t.Errorf("202.939778ms follows retry %v, %v, want 1", got, err)
	}
	// The half nanosecond by which the delay is rounded is 19 ns of the time.
	if got, err := flat.ElapsedAtDelay(202939778); got != 199999981 || err != nil {
		t.Errorf("202.939778ms is the delay at %v, %v, want 199.999981ms", got, err)
	}
}

func TestBelowLimit(t *testing.T) {
	for _, tt := range []struct {
		g    plan.Geometric
		want int
	}{
		{plan.Geometric{time.Second, 2, 5 * time.Second}, 3},
		{plan.Geometric{time.Second, 2, 4 * time.Second}, 2},
		{plan.Geometric{time.Second, 2, time.Second}, 0},
		{plan.Geometric{5 * time.Second, 2, time.Second}, 0},
		{plan.Geometric{time.Second, 1, 5 * time.Second}, math.MaxInt},
		{plan.Geometric{time.Second, 2, backoff.NoLimit}, math.MaxInt},
		{plan.Geometric{1, math.MaxFloat64, 5 * time.Second}, 1},
	} {
		if got := tt.g.BelowLimit(); got != tt.want {
			t.Errorf("%+v: %d delays are below the limit, want %d", tt.g, got, tt.want)
		}
	}
}

// A factor beyond what products hold: log of 10³⁰⁰/1000 to base 10³⁰⁰ is 0.99.
func TestRetriesOfHugeFactor(t *testing.T) {
	g := plan.Geometric{Base: 1000, Factor: 1e300, Limit: backoff.NoLimit}
	if got, want := g.Retries(1), 297./300; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v retries, want %v", got, want)
	}
}

// The error of a question without an answer tells what came and what is wanted.
func TestSolveErrors(t *testing.T) {
	second := func(_ any, err error) error { return err }
	pair := func(g plan.Geometric, n int, elapsed, delay time.Duration) error {
		_, _, err := g.FactorAndBase(n, elapsed, delay)
		return err
	}
	const sec = time.Second
	g := plan.Geometric{Base: 2 * sec, Factor: 2, Limit: time.Minute}
	free := plan.Geometric{Base: 2 * sec, Factor: 2, Limit: backoff.NoLimit}
	flat := plan.Geometric{Base: 2 * sec, Factor: 1, Limit: time.Minute}
	var zero plan.Geometric
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(g.FactorForDelay(0, 3*sec)), "plan: FactorForDelay: n is 0, want >= 1: the first delay is Base with any factor"},
		{second(g.FactorForDelay(1, sec)), "plan: FactorForDelay: delay is 1s, want >= Base, 2s"},
		{second(g.FactorForDelay(1, time.Minute)), "plan: FactorForDelay: delay is 1m0s, want < Limit, 1m0s: from there on all delays are Limit"},
		{second(free.FactorForDelay(1, backoff.NoLimit)), "plan: FactorForDelay: delay is 2562047h47m16.854775807s, want less than backoff.NoLimit, which stands for all that are longer"},
		{second(zero.FactorForDelay(1, sec)), "plan: Geometric: Base is 0s, want > 0"},
		{second(g.FactorForDelayAt(0, 3*sec)), "plan: FactorForDelayAt: elapsed is 0s, want > 0"},
		{second(g.FactorForDelayAt(sec, sec)), "plan: FactorForDelayAt: delay is 1s, want >= Base, 2s"},
		{second(zero.FactorForDelayAt(sec, sec)), "plan: Geometric: Base is 0s, want > 0"},
		{second(g.BaseForDelay(-1, sec)), "plan: BaseForDelay: n is -1, want >= 0"},
		{second(g.BaseForDelay(20, 1000)), "plan: BaseForDelay: delay is 1µs, want >= 524.288µs, or fewer retries: Base would be under 1ns"},
		{second(g.BaseForDelay(3, -1)), "plan: BaseForDelay: delay is -1ns, want >= 4ns, or fewer retries: Base would be under 1ns"},
		{second(g.BaseForDelay(100, sec)), "plan: BaseForDelay: delay is 1s, want more than a time.Duration holds, or fewer retries: Base would be under 1ns"},
		{second(g.BaseForDelay(1, 2*time.Minute)), "plan: BaseForDelay: delay is 2m0s, want < Limit, 1m0s: from there on all delays are Limit"},
		{second(zero.BaseForDelay(1, sec)), "plan: Geometric: Factor is 0, want a finite value >= 1"},
		{second(g.BaseForDelayAt(-1, sec)), "plan: BaseForDelayAt: elapsed is -1ns, want >= 0"},
		{second(g.BaseForDelayAt(5*sec, 5*sec)), "plan: BaseForDelayAt: delay is 5s, want > (Factor − 1)·elapsed, 5s: no base is left"},
		{second(g.BaseForDelayAt(5*sec, time.Hour)), "plan: BaseForDelayAt: delay is 1h0m0s, want < Limit, 1m0s: from there on all delays are Limit"},
		{second(g.ElapsedAtDelay(sec)), "plan: ElapsedAtDelay: delay is 1s, want >= Base, 2s"},
		{second(flat.ElapsedAtDelay(3 * sec)), "plan: ElapsedAtDelay: Factor is 1, want > 1: with 1 all delays are Base"},
		{second(zero.ElapsedAtDelay(3 * sec)), "plan: Geometric: Base is 0s, want > 0"},
		{second(g.RetriesAtDelay(sec)), "plan: RetriesAtDelay: delay is 1s, want >= Base, 2s"},
		{second(g.LimitForRetries(0, sec)), "plan: LimitForRetries: n is 0, want >= 1"},
		{second(g.LimitForRetries(3, sec)), "plan: LimitForRetries: elapsed is 1s, want >= 6s: 3 retries with a Limit of Base take that much"},
		{second(g.LimitForRetries(3, -sec)), "plan: LimitForRetries: elapsed is -1s, want >= 6s: 3 retries with a Limit of Base take that much"},
		{second(g.LimitForRetries(3, 15*sec)), "plan: LimitForRetries: elapsed is 15s, want <= 14s: without a limit 3 retries take no more"},
		{second(zero.LimitForRetries(3, 15*sec)), "plan: Geometric: Base is 0s, want > 0"},
		{pair(g, 0, sec, sec), "plan: FactorAndBase: n is 0, want >= 1"},
		{pair(g, 2, 0, sec), "plan: FactorAndBase: elapsed is 0s, want > 0"},
		{pair(g, 2, sec, 0), "plan: FactorAndBase: delay is 0s, want > 0"},
		{pair(g, 2, 3*sec, sec), "plan: FactorAndBase: elapsed is 3s, want <= 2s: 2 retries before a delay of 1s take no more"},
		{pair(g, 100, sec, 10*sec), "plan: FactorAndBase: elapsed is 1s, want a longer one, or fewer retries: Base would be under 1ns"},
		{pair(g, 100, sec, time.Hour), "plan: FactorAndBase: delay is 1h0m0s, want < Limit, 1m0s: from there on all delays are Limit"},
		{pair(zero, 2, sec, sec), "plan: Geometric: Limit is 0s, want > 0 (backoff.NoLimit is none)"},
	} {
		if got := fmt.Sprint(tt.err); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	if got := panicOf(func() { g.DelayAfter(-1) }); got != "plan: DelayAfter: n is -1, want >= 0" {
		t.Errorf("DelayAfter(-1): %v", got)
	}
}
