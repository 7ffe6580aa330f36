package solve

import (
	"io"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
)

// givenFlags are the parameters of a schedule, by the names of their flags.
func givenFlags(g plan.Geometric, retries int, elapsed, delay time.Duration) *Parameters {
	return &Parameters{
		Base: g.Base, Factor: g.Factor, Ratio: g.Factor - 1, Limit: g.Limit,
		Retries: retries, Elapsed: elapsed, Delay: delay, Set: map[string]bool{},
	}
}

// exactly returns when retry n of a schedule comes and which delay follows, to the
// nearest nanosecond, by adding up fractions: it shares nothing with package plan.
func exactly(g plan.Geometric, n int) (elapsed, delay time.Duration) {
	nearest := func(x *big.Rat) time.Duration {
		twice := new(big.Int).Lsh(x.Num(), 1)
		twice.Add(twice, x.Denom())
		if twice.Div(twice, new(big.Int).Lsh(x.Denom(), 1)); !twice.IsInt64() {
			return backoff.NoLimit
		}
		return time.Duration(twice.Int64())
	}
	sum, next := new(big.Rat), new(big.Rat).SetInt64(int64(g.Base))
	factor, limit := new(big.Rat).SetFloat64(g.Factor), new(big.Rat).SetInt64(int64(g.Limit))
	limited := func() *big.Rat {
		if next.Cmp(limit) > 0 {
			return limit
		}
		return next
	}
	for range n {
		sum.Add(sum, limited())
		next.Mul(next, factor)
	}
	return nearest(sum), nearest(limited())
}

// The others follow from any three parameters of a schedule.
func TestSolveAnyThree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{
			Base:   time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Minute)).Draw(t, "base")),
			Factor: 1 + math.Exp(rapid.Float64Range(-5, 1).Draw(t, "log(factor - 1)")),
			Limit:  backoff.NoLimit,
		}
		n := rapid.IntRange(2, 12).Draw(t, "retries")
		elapsed, delay := exactly(g, n)
		three := rapid.Permutation(fiveParameters).Draw(t, "order")[:3]
		p := givenFlags(g, n, elapsed, delay)
		for _, name := range three {
			if name == "factor" && rapid.Bool().Draw(t, "as ratio") {
				name = "ratio"
			}
			p.Set[name] = true
		}
		if err := p.check(); err != nil {
			t.Fatal(err)
		}
		// Parameters that are not given must have no effect.
		for _, name := range fiveParameters {
			if slices.Contains(three, name) {
				continue
			}
			switch name {
			case "base":
				p.Base = 0
			case "factor":
				p.Factor, p.Ratio = 0, 0
			case "retries":
				p.Retries = 0
			case "elapsed":
				p.Elapsed = 0
			case "delay":
				p.Delay = 0
			}
		}
		s, err := solve(p)
		if err != nil {
			t.Fatal(err)
		}
		// A nanosecond of a base of 1 ms is 10⁻⁶ of it, and the other quantities of
		// these schedules change by at most a few dozen times that.
		near := func(name string, got, want float64) {
			if !(math.Abs(got/want-1) < 1e-4) {
				t.Errorf("from %v %s is %v, want %v", three, name, got, want)
			}
		}
		near("base", s.schedule.Base.Seconds(), g.Base.Seconds())
		near("factor", s.schedule.Factor, g.Factor)
		near("retries", s.retries, float64(n))
		near("elapsed", s.elapsed.Seconds(), elapsed.Seconds())
		near("delay", s.delay.Seconds(), delay.Seconds())
		var names []string
		for _, a := range s.answers {
			names = append(names, a.name)
		}
		for _, name := range fiveParameters {
			given := p.Set[name]
			if slices.Contains(names, name) == given {
				t.Errorf("from %v: the answers are %v", three, names)
			}
		}
	})
}

// With the limit that is found the last retry comes when it should, and with the one below
// it does not.
func TestSolveLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{Base: time.Second, Factor: rapid.Float64Range(1.01, 4).Draw(t, "factor"), Limit: backoff.NoLimit}
		n := rapid.IntRange(2, 40).Draw(t, "retries")
		most, _ := exactly(g, n)
		least, most := time.Duration(n)*time.Second, min(most, 1000*time.Hour)
		elapsed := time.Duration(rapid.Int64Range(int64(least), int64(most)).Draw(t, "elapsed"))
		p := givenFlags(g, n, elapsed, 0)
		for _, name := range []string{"base", "factor", "retries", "elapsed"} {
			p.Set[name] = true
		}
		s, err := solve(p)
		if err != nil {
			t.Fatal(err)
		}
		got := s.schedule
		if at, _ := exactly(got, n); at < elapsed {
			t.Errorf("with a limit of %v retry %d comes at %v, want %v", got.Limit, n, at, elapsed)
		}
		got.Limit--
		if at, _ := exactly(got, n); at >= elapsed && got.Limit >= got.Base {
			t.Errorf("a limit of %v is enough", got.Limit)
		}
	})
}

// All that follows from a known schedule is right to the nanosecond, with a factor of any
// size.
func TestSolveIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "retries")
		g := plan.Geometric{
			Base:   time.Duration(rapid.Int64Range(1, int64(time.Millisecond)).Draw(t, "base")),
			Factor: math.Exp(rapid.Float64Range(0, 27/float64(n)).Draw(t, "log(factor)")),
			Limit:  backoff.NoLimit,
		}
		elapsed, delay := exactly(g, n)
		p := givenFlags(g, n, 0, 0)
		p.Set = map[string]bool{"base": true, "factor": true, "retries": true}
		s, err := solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if s.elapsed != elapsed || s.delay != delay {
			t.Errorf("retry %d comes at %v and is followed by %v, want %v, %v", n, s.elapsed, s.delay, elapsed, delay)
		}
		if delay <= g.Base {
			return
		}
		// The delay of the schedule is found in it again.
		p = givenFlags(g, 0, 0, delay)
		p.Set = map[string]bool{"base": true, "factor": true, "delay": true}
		if s, err = solve(p); err != nil {
			t.Fatal(err)
		}
		if _, at := exactly(g, int(s.retries)); at != delay {
			t.Errorf("%v comes after %v retries, but there it is %v", delay, s.retries, at)
		}
	})
}

// A factor is shown with enough digits to compute the result from.
func TestFactorText(t *testing.T) {
	for factor, want := range map[float64]string{
		1: "1", 1.1: "1.1", 2: "2", 1 + 1e-7: "1.0000001", 1.00023043680146: "1.000230437", 1.0999999: "1.0999999", 1.5: "1.5",
		1 + 1e-12: "1.000000000001", 1 + 0x1p-52: "1.0000000000000002", 1.9999999: "2", 123.4567: "123.457", 1e300: "1e+300",
	} {
		if got := factorText(factor); got != want {
			t.Errorf("factorText(%v) = %s, want %s", factor, got, want)
		}
	}
}

// The expression of a solution is its schedule.
func TestSolutionExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{
			Base:   time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "base")),
			Factor: rapid.Float64Range(1, 10).Draw(t, "factor"),
			Limit:  rapid.SampledFrom([]time.Duration{backoff.NoLimit, time.Second, 90 * time.Minute}).Draw(t, "limit"),
		}
		n := rapid.IntRange(1, 50).Draw(t, "retries")
		e, err := expr.Parse((&solution{schedule: g, retries: float64(n) + 0.5}).expression())
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Collect(backoff.Take(g.Schedule(), n))
		if got := slices.Collect(e.Schedule()); !slices.Equal(got, want) {
			t.Fatalf("%s is %v, want %v", e, got, want)
		}
	})
}

func TestRealRetries(t *testing.T) {
	for n, want := range map[float64]string{
		3: "3", 9.967: "9.97", 48.4123: "48.4", 0.5: "0.500", 1234.56: "1234.6",
		48.99995: "48.9999", 0.99999: "0.99999", math.Nextafter(49, 0): "48.99999999999999",
	} {
		if got := realRetries(n); got != want {
			t.Errorf("realRetries(%v) = %s, want %s", n, got, want)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	for _, format := range []string{"table", "csv", "json"} {
		clitest.FullDisk(t, format, func(w io.Writer) error {
			p := Parameters{Base: time.Second, Factor: 2, Retries: 3, Limit: backoff.NoLimit}
			p.Set = map[string]bool{"base": true, "factor": true, "retries": true}
			return p.Write(w, format)
		})
	}
}
