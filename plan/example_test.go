package plan_test

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
)

// How often is a job retried within a quarter of an hour, and how late does it notice that
// it can go on?
func ExampleGeometric() {
	g := plan.Geometric{Base: time.Second, Factor: 1.1, Limit: time.Minute}
	outage := 15 * time.Minute
	fmt.Println(g.RetriesWithin(outage), "retries, then a delay of", g.DelayAt(outage))
	// Output: 48 retries, then a delay of 1m0s
}

func ExampleGeometric_Validate() {
	err := plan.Geometric{Base: time.Second, Factor: 2}.Validate()
	fmt.Println(err)
	// Output: plan: Geometric: Limit is 0s, want > 0 (backoff.NoLimit is none)
}

func ExampleGeometric_Schedule() {
	g := plan.Geometric{Base: time.Second, Factor: 2, Limit: 5 * time.Second}
	for d := range backoff.Take(g.Schedule(), 5) {
		fmt.Print(d, " ")
	}
	// Output: 1s 2s 4s 5s 5s
}

// The second table of the source.
func ExampleGeometric_Elapsed() {
	g := plan.Geometric{Base: time.Second, Factor: 1.1, Limit: backoff.NoLimit}
	for _, n := range []int{1, 2, 3, 48, 49} {
		fmt.Printf("%2d  %6.3f  %8.3f\n", n, g.Delay(n).Seconds(), g.Elapsed(n).Seconds())
	}
	// Output:
	//  1   1.000     1.000
	//  2   1.100     2.100
	//  3   1.210     3.310
	// 48  88.197   960.172
	// 49  97.017  1057.190
}

func ExampleGeometric_Delay() {
	g := plan.Geometric{Base: 100 * time.Millisecond, Factor: 2, Limit: 10 * time.Second}
	fmt.Println(g.Delay(1), g.Delay(7), g.Delay(8), g.Delay(1_000_000_000))
	// Output: 100ms 6.4s 10s 10s
}

// The delay of a geometric schedule is a line in the elapsed time.
func ExampleGeometric_DelayAt() {
	g := plan.Geometric{Base: time.Second, Factor: 2, Limit: backoff.NoLimit}
	fmt.Println(g.Delay(11), "=", g.DelayAt(g.Elapsed(10)))
	// Output: 17m4s = 17m4s
}

func ExampleGeometric_Retries() {
	g := plan.Geometric{Base: time.Second, Factor: 2, Limit: backoff.NoLimit}
	fmt.Println(g.Retries(1023 * time.Second))
	fmt.Printf("%.2f\n", g.Retries(1030*time.Second))
	// Output:
	// 10
	// 10.01
}

func ExampleGeometric_RetriesWithin() {
	g := plan.Geometric{Base: time.Second, Factor: 2, Limit: backoff.NoLimit}
	fmt.Println(g.RetriesWithin(2046 * time.Second))
	fmt.Println(g.RetriesWithin(2047 * time.Second))
	// Output:
	// 10
	// 11
}

func ExampleGeometric_RetriesWithin64() {
	g := plan.Geometric{Base: time.Nanosecond, Factor: 1, Limit: backoff.NoLimit}
	fmt.Println(g.RetriesWithin64(time.Minute))
	fmt.Println(g.RetriesWithin64(backoff.NoLimit))
	// Output:
	// 60000000000
	// 9223372036854775807
}

// Delays of about 100 s at 1000 s.
func ExampleFactorForRatio() {
	fmt.Println(plan.FactorForRatio(0.1))
	_, err := plan.FactorForRatio(0)
	fmt.Println(err)
	// Output:
	// 1.1 <nil>
	// plan: FactorForRatio: ratio is 0, want a finite value > 0
}

func ExampleRetryCost() {
	cost, err := plan.RetryCost(2, 1.1)
	fmt.Printf("%.2f times the retries, %v\n", cost, err)
	// Output: 7.27 times the retries, <nil>
}

func ExampleRetryCostAt() {
	from := plan.Geometric{Base: time.Second, Factor: 2, Limit: backoff.NoLimit}
	to := plan.Geometric{Base: time.Second, Factor: 1.1, Limit: backoff.NoLimit}
	cost, err := plan.RetryCostAt(1000*time.Second, from, to)
	fmt.Printf("%.2f times the retries, %v\n", cost, err)
	// Output: 4.86 times the retries, <nil>
}

// Eight retries in half a minute, the first after a second.
func ExampleGeometric_FactorForRetries() {
	known := plan.Geometric{Base: time.Second, Limit: backoff.NoLimit}
	factor, err := known.FactorForRetries(8, 30*time.Second)
	fmt.Printf("%.4f %v\n", factor, err)

	known.Factor = factor
	fmt.Println(known.Elapsed(8))
	// Output:
	// 1.3625 <nil>
	// 30s
}

// Eight retries in half a minute, with delays that double up to five seconds.
func ExampleGeometric_BaseForRetries() {
	known := plan.Geometric{Factor: 2, Limit: 5 * time.Second}
	fmt.Println(known.BaseForRetries(8, 30*time.Second))
	// Output: 714.285714ms <nil>
}

// The delay that follows retry 10.
func ExampleGeometric_DelayAfter() {
	g := plan.Geometric{Base: time.Second, Factor: 2, Limit: backoff.NoLimit}
	fmt.Println(g.DelayAfter(0), g.DelayAfter(1), g.DelayAfter(10))
	// Output: 1s 2s 17m4s
}

func ExampleGeometric_BelowLimit() {
	g := plan.Geometric{Base: time.Second, Factor: 2, Limit: 5 * time.Second}
	fmt.Println(g.BelowLimit())
	// Output: 3
}

// When does a client wait for a minute at a time?
func ExampleGeometric_ElapsedAtDelay() {
	g := plan.Geometric{Base: time.Second, Factor: 1.1, Limit: backoff.NoLimit}
	fmt.Println(g.ElapsedAtDelay(time.Minute))
	// Output: 9m50s <nil>
}

func ExampleGeometric_RetriesAtDelay() {
	g := plan.Geometric{Base: time.Second, Factor: 2, Limit: backoff.NoLimit}
	fmt.Println(g.RetriesAtDelay(1024 * time.Second))
	n, err := g.RetriesAtDelay(time.Minute)
	fmt.Printf("%.2f %v\n", n, err)
	// Output:
	// 10 <nil>
	// 5.91 <nil>
}

// From half a second to a minute in ten retries.
func ExampleGeometric_FactorForDelay() {
	known := plan.Geometric{Base: 500 * time.Millisecond, Limit: backoff.NoLimit}
	factor, err := known.FactorForDelay(10, time.Minute)
	fmt.Printf("%.4f %v\n", factor, err)
	fmt.Println(known.FactorForDelay(10, 512*time.Second))
	// Output:
	// 1.6141 <nil>
	// 2 <nil>
}

// A delay of a minute after a quarter of an hour.
func ExampleGeometric_FactorForDelayAt() {
	known := plan.Geometric{Base: 6 * time.Second, Limit: backoff.NoLimit}
	fmt.Println(known.FactorForDelayAt(15*time.Minute, time.Minute))
	// Output: 1.06 <nil>
}

func ExampleGeometric_BaseForDelay() {
	known := plan.Geometric{Factor: 2, Limit: backoff.NoLimit}
	fmt.Println(known.BaseForDelay(10, 1024*time.Second))
	// Output: 1s <nil>
}

func ExampleGeometric_BaseForDelayAt() {
	known := plan.Geometric{Factor: 1.0625, Limit: backoff.NoLimit}
	fmt.Println(known.BaseForDelayAt(15*time.Minute, time.Minute))
	_, err := known.BaseForDelayAt(time.Hour, time.Minute)
	fmt.Println(err)
	// Output:
	// 3.75s <nil>
	// plan: BaseForDelayAt: delay is 1m0s, want > (Factor − 1)·elapsed, 3m45s: no base is left
}

// Five retries in 17 s, with delays that double from 1 s on: 1 + 2 + 4 + 5 + 5.
func ExampleGeometric_LimitForRetries() {
	known := plan.Geometric{Base: time.Second, Factor: 2}
	fmt.Println(known.LimitForRetries(5, 17*time.Second))
	// Output: 5s <nil>
}

func ExampleGeometric_FactorAndBase() {
	known := plan.Geometric{Limit: backoff.NoLimit}
	fmt.Println(known.FactorAndBase(10, 1023*time.Second, 1024*time.Second))
	// Output: 2 1s <nil>
}

func ExampleError() {
	known := plan.Geometric{Base: time.Second, Limit: backoff.NoLimit}
	_, err := known.FactorForRetries(10, 5*time.Second)
	var impossible *plan.Error
	fmt.Println(errors.As(err, &impossible), impossible.Name, impossible.Got)
	fmt.Println(impossible.Want)
	// Output:
	// true elapsed 5s
	// >= 10s: 10 retries with a Base of 1s take that much with a factor of 1
}

func ExampleError_Error() {
	_, err := plan.RetryCost(2, 1)
	fmt.Println(err)
	// Output: plan: RetryCost: to is 1, want a finite value > 1
}

func ExampleOf() {
	p := plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed))
	}, 20)
	for _, r := range p.Retries[4:7] {
		fmt.Printf("retry %d: after %v on average, at %v (in 19 of 20 cases by %v)\n", r.N,
			r.Delay.Mean.Round(10*time.Millisecond),
			r.Elapsed.Mean.Round(10*time.Millisecond),
			r.Elapsed.Quantiles[2].Round(10*time.Millisecond))
	}
	// Output:
	// retry 5: after 790ms on average, at 1.54s (in 19 of 20 cases by 2.42s)
	// retry 6: after 1.59s on average, at 3.13s (in 19 of 20 cases by 4.9s)
	// retry 7: after 3.18s on average, at 6.32s (in 19 of 20 cases by 9.82s)
}

// All options: a hundred clients of another seed, their quartiles, and attempts that last
// 50 ms.
func ExampleOption() {
	p := plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Spread(backoff.Constant(time.Second), 0.1, backoff.WithSeed(seed))
	}, 2, plan.Draws(100), plan.Seed(7), plan.Quantiles(0.25, 0.75), plan.AttemptTime(50*time.Millisecond))
	fmt.Println(p.Draws, p.Quantiles, p.Retries[1].Elapsed.Mean.Round(100*time.Millisecond))
	// Output: 100 [0.25 0.75] 2.1s
}

func ExampleDraws() {
	p := plan.Of(fullJitter, 1, plan.Draws(1000))
	fmt.Println(p.Draws)
	// Output: 1000
}

func ExampleSeed() {
	p, q := plan.Of(fullJitter, 1, plan.Seed(1)), plan.Of(fullJitter, 1, plan.Seed(2))
	fmt.Println(p.Retries[0].Delay.Mean, q.Retries[0].Delay.Mean)
	// Output: 50.217817ms 49.902512ms
}

func ExampleQuantiles() {
	p := plan.Of(fullJitter, 3, plan.Quantiles(0.5, 0.99))
	median, most := p.Retries[2].Delay.Quantiles[0], p.Retries[2].Delay.Quantiles[1]
	fmt.Println(median.Round(time.Millisecond), most.Round(time.Millisecond))
	// Output: 200ms 396ms
}

func ExampleAttemptTime() {
	p := plan.Of(func(uint64) iter.Seq[time.Duration] { return backoff.Constant(time.Second) }, 10,
		plan.AttemptTime(500*time.Millisecond))
	fmt.Println(p.Within(5 * time.Second).Min)
	// Output: 4
}

func ExampleStats_Exact() {
	p := plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.NormalJitter(time.Second, time.Minute, 2, 0.1, backoff.WithSeed(seed))
	}, 2)
	fmt.Println(p.Retries[0].Delay.Exact(), p.Retries[1].Delay.Exact())
	// Output: true false
}

// Jitter before the cap, which is the wrong order.
func ExamplePlan_Warnings() {
	p := plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		delays := backoff.Exponential(100*time.Millisecond, 2)
		delays = backoff.Jitter(delays, 1, backoff.WithSeed(seed))
		return backoff.Cap(delays, 10*time.Second)
	}, 10, plan.Draws(100_000))
	for _, w := range p.Warnings() {
		fmt.Println(w)
	}
	// Output:
	// retry 8: 22 % of clients wait exactly 10s: put the jitter after the cap
	// retry 9: 61 % of clients wait exactly 10s: put the jitter after the cap
	// retry 10: 80 % of clients wait exactly 10s: put the jitter after the cap
}

func ExamplePlan_Within() {
	p := plan.Of(fullJitter, 20)
	fit := p.Within(5 * time.Second)
	fmt.Printf("%d to %d attempts, %.1f on average\n", fit.Min, fit.Max, fit.Mean)
	fmt.Printf("at least 7 with a probability of %.2f\n", fit.AtLeast[7])
	// Output:
	// 6 to 11 attempts, 7.3 on average
	// at least 7 with a probability of 0.96
}

// Ten thousand clients that fail together.
func ExamplePlan_Load() {
	load := plan.Of(fullJitter, 20).Load(10_000, 10*time.Second, time.Second)
	for i, rate := range load.PerSecond[:4] {
		fmt.Printf("from %v: %.0f retries a second\n", time.Duration(i)*load.Bin, rate)
	}
	// Output:
	// from 0s: 39899 retries a second
	// from 1s: 9737 retries a second
	// from 2s: 5608 retries a second
	// from 3s: 4187 retries a second
}

func ExampleLoad_Peak() {
	load := plan.Of(fullJitter, 20).Load(10_000, 10*time.Second, 50*time.Millisecond)
	at, rate := load.Peak()
	fmt.Printf("%.0f retries a second from %v on\n", rate, at)
	// Output: 141220 retries a second from 50ms on
}

// Ten thousand clients that fail together, and how well that is known.
func ExamplePlan_Peak() {
	p := plan.Of(fullJitter, 20, plan.Draws(100_000)).Peak(10_000, 10*time.Second, 25*time.Millisecond)
	fmt.Printf("%.0f retries a second, ±%.0f, in the %v from %v on\n", p.PerSecond, p.Error, p.Width, p.At)
	// Output: 148908 retries a second, ±661, in the 25ms from 75ms on
}

// The first few retries may not reach the deadline.
func ExamplePlan_Until() {
	p := plan.Of(fullJitter, 5)
	far := p.UntilDeadline(5 * time.Minute)
	fmt.Println(len(p.Retries), p.Within(5*time.Minute).Open)
	fmt.Println(len(far.Retries), far.Within(5*time.Minute).Open)
	// Output:
	// 5 1
	// 320 0
}

func ExamplePlan_First() {
	p := plan.Of(fullJitter, 20)
	fmt.Println(len(p.First(5).Retries), p.First(5).End(), p.Duration().Max > p.First(5).Duration().Max)
	// Output: 5 goes on true
}

// An operation whose attempts last 200 ms each.
func ExamplePlan_Duration() {
	p := plan.Of(func(uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.Exponential(time.Second, 2), 3)
	}, 10, plan.AttemptTime(200*time.Millisecond))
	fmt.Println(p.Random(), p.End(), p.Duration().Max)
	// Output: false ends 7.8s
}

func ExampleFit_AttemptsFor() {
	fit := plan.Of(fullJitter, 20).Within(5 * time.Second)
	fmt.Println(fit.AttemptsFor(0.5), fit.AttemptsFor(0.95))
	// Output: 7 7
}

// The cost of a schedule that goes on after the retries of a Plan lies between two bounds.
func ExamplePlan_Cost() {
	c := plan.Of(fullJitter, 7).Cost(0.5)
	fmt.Printf("%.4f to %.4f attempts, %.4f are cut off\n", c.Attempts, c.MostAttempts, c.CutOff)
	// Output: 1.9922 to 2.0000 attempts, 0.0039 are cut off
}

func ExampleWarning() {
	p := plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		delays := backoff.Exponential(100*time.Millisecond, 2)
		return backoff.Cap(backoff.Jitter(delays, 1, backoff.WithSeed(seed)), 10*time.Second)
	}, 8)
	for _, w := range p.Warnings() {
		fmt.Println(w.Retry, w.Atom.Delay, w.Advice == plan.JitterAfterCap)
	}
	// Output: 8 10s true
}

func ExampleAmplification() {
	fmt.Println(plan.Amplification(0.5, 3))
	fmt.Println(plan.Amplification(0.5, plan.Endless))
	// Output:
	// 1.875 0.9375
	// 2 1
}

func ExamplePlan_Amplification() {
	p := plan.Of(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Take(fullJitter(seed), 3)
	}, 20)
	attempts, success := p.Amplification(1)
	fmt.Println(attempts, success)
	// Output: 4 0
}

// A month of polling, by a hundred clients.
func ExampleSummarize() {
	s := plan.Summarize(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.Spread(backoff.Constant(time.Hour), 0.5, backoff.WithSeed(seed))
	}, 30*24, plan.Draws(100))
	last := s.Retries[len(s.Retries)-1]
	fmt.Printf("retry %d comes after %.0f to %.0f hours, and the schedule %v\n",
		last.N, last.Elapsed.Min.Hours(), last.Elapsed.Max.Hours(), s.End())
	// Output: retry 720 comes after 700 to 737 hours, and the schedule goes on
}
