// Package solve finds the parameters of a geometric schedule from those that are known:
// "backoff plan --base ..." without its flags.
package solve

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/plan"
)

// A solution is what follows from what is given.
type solution struct {
	schedule plan.Geometric
	retries  float64 // how many come within elapsed; whole where they are given
	elapsed  time.Duration
	delay    time.Duration // that follows a retry at elapsed
	partial  bool          // only the factor is known
	answers  []answer      // in the order in which one follows from another
}

// An answer is one quantity that follows.
type answer struct {
	name            string
	formula, filled string // in words, and with the numbers in them
	value           string // for reading
	number          string // to all digits, in seconds where it is a time; empty where that is too long
}

func (s *solution) addTime(name string, d time.Duration, formula, filled string) {
	value, text, number := inSeconds(d), digits.Exact(d), digits.Seconds(d)
	if d == backoff.NoLimit {
		value, number = text, ""
	} else if text != value {
		value += ", which is " + text
	}
	s.answers = append(s.answers, answer{name, formula, filled, value, number})
}

func (s *solution) addNumber(name string, x float64, text, formula, filled string) {
	s.answers = append(s.answers, answer{name, formula, filled, text, digits.Shortest(x)})
}

// inSeconds returns d as formulas have it.
func inSeconds(d time.Duration) string {
	if d == backoff.NoLimit {
		return "(" + digits.Exact(d) + ")"
	}
	return digits.Seconds(d) + "s"
}

// number returns x to six digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// factorText returns a factor >= 1 to six digits of it and of factor − 1, which is
// what formulas take from it.
func factorText(factor float64) string {
	if factor >= 2 || factor == 1 {
		return number(factor)
	}
	decimals := 5 - int(math.Floor(math.Log10(factor-1)))
	if decimals > 15 { // as many as a float64 has
		decimals = -1
	}
	text := strconv.FormatFloat(factor, 'f', decimals, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// realRetries returns a number of retries with a fraction of a digit at least,
// three digits in all, and more where it would else be a whole number that is not
// reached.
func realRetries(n float64) string {
	if n == math.Trunc(n) {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	decimals := 1
	for ; decimals < 3 && n < math.Pow(10, float64(2-decimals)); decimals++ {
	}
	for whole := math.Floor(n) + 1; decimals < 17; decimals++ {
		text := strconv.FormatFloat(n, 'f', decimals, 64)
		if x, err := strconv.ParseFloat(text, 64); err == nil && x < whole {
			return text
		}
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// solve finds what follows from what has passed its check.
func solve(p *Parameters) (*solution, error) {
	s := &solution{
		schedule: plan.Geometric{Base: p.Base, Factor: p.Factor, Limit: p.Limit},
		retries:  float64(p.Retries),
		elapsed:  p.Elapsed,
		delay:    p.Delay,
	}
	if p.Set["ratio"] {
		factor, err := plan.FactorForRatio(p.Ratio)
		if err != nil {
			return nil, err
		}
		s.schedule.Factor = factor
		s.addNumber("factor", factor, factorText(factor), "1 + ratio", "1 + "+digits.Shortest(p.Ratio))
	}
	known := strings.Join(p.known(), " ")
	find, ok := map[string][]func(*solution) error{
		"base factor retries":         {(*solution).findElapsed, (*solution).findDelay},
		"base factor elapsed":         {(*solution).findRetries, (*solution).findDelay},
		"base factor delay":           {(*solution).findElapsedOfDelay, (*solution).findRetriesOfDelay},
		"base retries elapsed":        {(*solution).findFactor, (*solution).findDelay},
		"base retries delay":          {(*solution).findFactorAsRoot, (*solution).findElapsed},
		"base elapsed delay":          {(*solution).findFactorAsSlope, (*solution).findRetries},
		"factor retries elapsed":      {(*solution).findBase, (*solution).findDelay},
		"factor retries delay":        {(*solution).findBaseAsRoot, (*solution).findElapsed},
		"factor elapsed delay":        {(*solution).findBaseAsRest, (*solution).findRetries},
		"retries elapsed delay":       {(*solution).findFactorAndBase},
		"base factor retries elapsed": {(*solution).findLimit, (*solution).findDelay},
		"factor":                      {(*solution).findNothing},
	}[known]
	if !ok {
		panic("unreachable: a count that passed its check: " + known)
	}
	for _, f := range find {
		if err := f(s); err != nil {
			return nil, err
		}
	}
	if !p.Set["ratio"] && !s.partial {
		ratio := s.schedule.Factor - 1
		s.addNumber("ratio", ratio, number(ratio), "factor − 1", factorText(s.schedule.Factor)+" − 1")
	}
	if p.Set["compare-factor"] {
		if err := s.findCost(p.CompareFactor); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *solution) findNothing() error {
	s.partial = true
	return nil
}

// n is the number of retries where it is whole.
func (s *solution) n() int { return int(s.retries) }

// below returns how many of the first n delays are below the limit.
func (s *solution) below(n int) int {
	g := s.schedule
	return sort.Search(n, func(i int) bool { return g.Delay(i+1) >= g.Limit })
}

// findElapsed: the retries are whole, all but the elapsed time is known.
func (s *solution) findElapsed() error {
	g, n := s.schedule, s.n()
	s.elapsed = g.Elapsed(n)
	formula, filled := s.sum(n)
	s.addTime("elapsed", s.elapsed, formula, filled)
	return nil
}

// sum returns the formula of the elapsed time of retry n, and its numbers.
func (s *solution) sum(n int) (formula, filled string) {
	g := s.schedule
	m := s.below(n)
	if g.Limit == backoff.NoLimit {
		m = n // a delay too large for a time.Duration is no limit
	}
	base, factor, limit := inSeconds(g.Base), factorText(g.Factor), inSeconds(g.Limit)
	switch {
	case m == 0:
		return "retries·limit", fmt.Sprintf("%d·%s", n, limit)
	case g.Factor == 1:
		return "retries·base", fmt.Sprintf("%d·%s", n, base)
	case m == n:
		return "base·(factor^retries − 1)/(factor − 1)",
			fmt.Sprintf("%s·(%s^%d − 1)/(%s − 1)", base, factor, n, factor)
	}
	return "base·(factor^m − 1)/(factor − 1) + (retries − m)·limit, where m delays are below the limit",
		fmt.Sprintf("%s·(%s^%d − 1)/(%s − 1) + (%d − %d)·%s", base, factor, m, factor, n, m, limit)
}

// findDelay: all but the delay is known.
func (s *solution) findDelay() error {
	g := s.schedule
	if s.elapsed == backoff.NoLimit {
		return s.findDelayAfterRetries()
	}
	s.delay = g.DelayAt(s.elapsed)
	formula := "base + (factor − 1)·elapsed"
	filled := fmt.Sprintf("%s + (%s − 1)·%s", inSeconds(g.Base), factorText(g.Factor), inSeconds(s.elapsed))
	if g.Limit != backoff.NoLimit {
		formula = "min(limit, " + formula + ")"
		filled = "min(" + inSeconds(g.Limit) + ", " + filled + ")"
	}
	s.addTime("delay", s.delay, formula, filled)
	return nil
}

// findDelayAfterRetries: all but the delay is known, and the elapsed time is too
// long for the delay to follow from it.
func (s *solution) findDelayAfterRetries() error {
	g, n := s.schedule, s.n()
	s.delay = g.Delay(min(n, math.MaxInt-1) + 1) // --retries goes up to the largest int of 32 bits
	formula, filled := "base·factor^retries", fmt.Sprintf("%s·%s^%d", inSeconds(g.Base), factorText(g.Factor), n)
	if g.Limit != backoff.NoLimit {
		formula = "min(limit, " + formula + ")"
		filled = "min(" + inSeconds(g.Limit) + ", " + filled + ")"
	}
	s.addTime("delay", s.delay, formula, filled)
	return nil
}

// findRetries: base, factor and elapsed are known.
func (s *solution) findRetries() error {
	g := s.schedule
	if first := min(g.Base, g.Limit); s.elapsed < first {
		return fmt.Errorf("--elapsed is %s, want at least the first delay, %s: no retry comes before it",
			digits.Exact(s.elapsed), digits.Exact(first))
	}
	s.retries = g.Retries(s.elapsed)
	m := s.below(g.RetriesWithin(s.elapsed) + 1)
	base, factor, limit, elapsed := inSeconds(g.Base), factorText(g.Factor), inSeconds(g.Limit), inSeconds(s.elapsed)
	formula := "log(1 + (factor − 1)·elapsed/base)/log(factor)"
	filled := fmt.Sprintf("log(1 + (%s − 1)·%s/%s)/log(%s)", factor, elapsed, base, factor)
	switch {
	case g.Limit != backoff.NoLimit && m == 0:
		formula, filled = "elapsed/limit", elapsed+"/"+limit
	case g.Limit != backoff.NoLimit && float64(m) < s.retries:
		formula = "m + (elapsed − elapsed of retry m)/limit, where m delays are below the limit"
		filled = fmt.Sprintf("%d + (%s − %s)/%s", m, elapsed, inSeconds(g.Elapsed(m)), limit)
	case g.Factor == 1:
		formula, filled = "elapsed/base", elapsed+"/"+base
	}
	s.addNumber("retries", s.retries, realRetries(s.retries), formula, filled)
	return nil
}

// findElapsedOfDelay: base, factor and the delay are known.
func (s *solution) findElapsedOfDelay() error {
	g := s.schedule
	switch {
	case g.Factor == 1:
		return fmt.Errorf("--factor is 1, want more: else all delays are --base, and --delay does not tell when it is")
	case s.delay <= g.Base:
		return s.delayUnderBase()
	}
	s.elapsed = digits.FromSeconds((s.delay - g.Base).Seconds() / (g.Factor - 1))
	if s.elapsed < g.Base {
		return fmt.Errorf("--delay is %s, want at least base·factor, %s, the delay that follows retry 1", digits.Exact(s.delay), digits.Exact(g.Delay(2)))
	}
	s.addTime("elapsed", s.elapsed, "(delay − base)/(factor − 1)",
		fmt.Sprintf("(%s − %s)/(%s − 1)", inSeconds(s.delay), inSeconds(g.Base), factorText(g.Factor)))
	return nil
}

// findRetriesOfDelay: base, factor, the delay and when it is are known. Where that
// is too long ago, the retries follow from the delay.
func (s *solution) findRetriesOfDelay() error {
	if s.elapsed < backoff.NoLimit {
		return s.findRetries()
	}
	g := s.schedule
	s.retries = math.Log(s.delay.Seconds()/g.Base.Seconds()) / math.Log1p(g.Factor-1)
	// A whole number that is reached must not be missed by the last bit of a logarithm.
	n := sort.Search(math.MaxInt32-2, func(n int) bool { return g.Delay(n+2) > s.delay })
	if n < math.MaxInt32-2 {
		s.retries = min(max(s.retries, float64(n)), math.Nextafter(float64(n)+1, 0))
	}
	s.addNumber("retries", s.retries, realRetries(s.retries), "log(delay/base)/log(factor)",
		fmt.Sprintf("log(%s/%s)/log(%s)", inSeconds(s.delay), inSeconds(g.Base), factorText(g.Factor)))
	return nil
}

func (s *solution) delayUnderBase() error {
	return fmt.Errorf("--delay is %s, want more than --base, %s", digits.Exact(s.delay), digits.Exact(s.schedule.Base))
}

// findFactor: base, retries and elapsed are known.
func (s *solution) findFactor() error {
	factor, err := s.schedule.FactorForRetries(s.n(), s.elapsed)
	if err != nil {
		return err
	}
	s.schedule.Factor = factor
	formula, filled := s.sum(s.n())
	s.addNumber("factor", factor, factorText(factor), "the one for which elapsed = "+formula,
		fmt.Sprintf("%s = %s", inSeconds(s.elapsed), filled))
	return nil
}

// findFactorAsRoot: base, retries and the delay are known.
func (s *solution) findFactorAsRoot() error {
	base := s.schedule.Base
	if s.delay < base {
		return s.delayUnderBase()
	}
	s.schedule.Factor = math.Exp(math.Log(s.delay.Seconds()/base.Seconds()) / s.retries)
	s.addNumber("factor", s.schedule.Factor, factorText(s.schedule.Factor), "(delay/base)^(1/retries)",
		fmt.Sprintf("(%s/%s)^(1/%d)", inSeconds(s.delay), inSeconds(base), s.n()))
	return nil
}

// findFactorAsSlope: base, elapsed and the delay are known.
func (s *solution) findFactorAsSlope() error {
	base := s.schedule.Base
	if s.delay < base {
		return s.delayUnderBase()
	}
	s.schedule.Factor = 1 + (s.delay-base).Seconds()/s.elapsed.Seconds()
	s.addNumber("factor", s.schedule.Factor, factorText(s.schedule.Factor), "1 + (delay − base)/elapsed",
		fmt.Sprintf("1 + (%s − %s)/%s", inSeconds(s.delay), inSeconds(base), inSeconds(s.elapsed)))
	return nil
}

// findBase: factor, retries and elapsed are known.
func (s *solution) findBase() error {
	base, err := s.schedule.BaseForRetries(s.n(), s.elapsed)
	if err != nil {
		return err
	}
	s.schedule.Base = base
	factor, n := factorText(s.schedule.Factor), s.n()
	formula, filled := "elapsed·(factor − 1)/(factor^retries − 1)",
		fmt.Sprintf("%s·(%s − 1)/(%s^%d − 1)", inSeconds(s.elapsed), factor, factor, n)
	switch m := s.below(n); {
	case s.schedule.Factor == 1:
		formula, filled = "elapsed/retries", fmt.Sprintf("%s/%d", inSeconds(s.elapsed), n)
	case m < n && s.schedule.Limit != backoff.NoLimit:
		formula, filled = s.sum(n)
		formula, filled = "the one for which elapsed = "+formula, inSeconds(s.elapsed)+" = "+filled
	}
	s.addTime("base", base, formula, filled)
	return nil
}

// findBaseAsRoot: factor, retries and the delay are known.
func (s *solution) findBaseAsRoot() error {
	factor := s.schedule.Factor
	base := digits.FromSeconds(s.delay.Seconds() * math.Exp(-s.retries*math.Log(factor)))
	if base < 1 {
		return fmt.Errorf("--delay is %s, want a longer one, or less --retries: the base would be under 1ns", digits.Exact(s.delay))
	}
	s.schedule.Base = base
	s.addTime("base", base, "delay/factor^retries", fmt.Sprintf("%s/%s^%d", inSeconds(s.delay), factorText(factor), s.n()))
	return nil
}

// findBaseAsRest: factor, elapsed and the delay are known.
func (s *solution) findBaseAsRest() error {
	// What a base of 1 ns adds to elapsed, to the nanosecond.
	growth := plan.Geometric{Base: 1, Factor: s.schedule.Factor, Limit: backoff.NoLimit}.DelayAt(s.elapsed) - 1
	if s.delay <= growth {
		return fmt.Errorf("--delay is %s, want more than (factor − 1)·elapsed, %s: no base is left", digits.Exact(s.delay), digits.Exact(growth))
	}
	s.schedule.Base = s.delay - growth
	s.addTime("base", s.schedule.Base, "delay − (factor − 1)·elapsed",
		fmt.Sprintf("%s − (%s − 1)·%s", inSeconds(s.delay), factorText(s.schedule.Factor), inSeconds(s.elapsed)))
	return nil
}

// findFactorAndBase: retries, elapsed and the delay are known. The delays that
// come before a delay d are d/r, d/r², ..., d/rⁿ, and their sum (1 − r⁻ⁿ)/(r − 1)·d
// falls as r grows.
func (s *solution) findFactorAndBase() error {
	n, share := s.retries, s.elapsed.Seconds()/s.delay.Seconds()
	if share > n {
		return fmt.Errorf("--elapsed is %s, want at most retries·delay, %s: the delay is the largest of them",
			digits.Exact(s.elapsed), digits.Exact(digits.FromSeconds(n*s.delay.Seconds())))
	}
	lo, hi := 0.0, 1/share // of r − 1: the sum is below d/(r−1)
	for range 200 {
		mid := lo + (hi-lo)/2
		if -math.Expm1(-n*math.Log1p(mid))/mid >= share {
			lo = mid
		} else {
			hi = mid
		}
	}
	base := digits.FromSeconds(s.delay.Seconds() * math.Exp(-n*math.Log1p(lo)))
	if base < 1 {
		return fmt.Errorf("--elapsed is %s, want a longer one, or less --retries: the base would be under 1ns", digits.Exact(s.elapsed))
	}
	s.schedule.Factor, s.schedule.Base = 1+lo, base
	factor := factorText(s.schedule.Factor)
	s.addNumber("factor", s.schedule.Factor, factor, "the one for which elapsed = delay·(1 − factor^−retries)/(factor − 1)",
		fmt.Sprintf("%s = %s·(1 − %s^−%d)/(%s − 1)", inSeconds(s.elapsed), inSeconds(s.delay), factor, s.n(), factor))
	s.addTime("base", base, "delay/factor^retries", fmt.Sprintf("%s/%s^%d", inSeconds(s.delay), factor, s.n()))
	return nil
}

// findLimit: base, factor, retries and elapsed are known. It is the least limit of
// whole nanoseconds with which retry n comes no sooner.
func (s *solution) findLimit() error {
	g, n := s.schedule, s.n()
	g.Limit = backoff.NoLimit
	if most := g.Elapsed(n); s.elapsed > most {
		return fmt.Errorf("--elapsed is %s, want at most %s: without a limit %s take no more",
			digits.Exact(s.elapsed), digits.Exact(most), digits.Count(n, "retry"))
	}
	g.Limit = g.Base
	if least := g.Elapsed(n); s.elapsed < least {
		return fmt.Errorf("--elapsed is %s, want at least %s: %s with a limit of --base take that much",
			digits.Exact(s.elapsed), digits.Exact(least), digits.Count(n, "retry"))
	}
	lo, hi := int64(0), int64(backoff.NoLimit)
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if g.Limit = time.Duration(mid); g.Elapsed(n) >= s.elapsed {
			hi = mid
		} else {
			lo = mid
		}
	}
	g.Limit = time.Duration(hi)
	s.schedule = g
	m := s.below(n)
	if m == 0 {
		s.addTime("limit", g.Limit, "elapsed/retries", fmt.Sprintf("%s/%d", inSeconds(s.elapsed), n))
		return nil
	}
	factor := factorText(g.Factor)
	s.addTime("limit", g.Limit, "(elapsed − base·(factor^m − 1)/(factor − 1))/(retries − m), where m delays are below it",
		fmt.Sprintf("(%s − %s·(%s^%d − 1)/(%s − 1))/(%d − %d)", inSeconds(s.elapsed), inSeconds(g.Base), factor, m, factor, n, m))
	return nil
}

// findCost says how many times the retries another factor costs.
func (s *solution) findCost(factor float64) error {
	from, to := factorText(s.schedule.Factor), factorText(factor)
	if !s.partial {
		if s.elapsed == backoff.NoLimit {
			return fmt.Errorf("--compare-factor is %s and the retries take %s, want a shorter time to compare them in", to, digits.Exact(s.elapsed))
		}
		other := s.schedule
		other.Factor = factor
		cost, err := plan.RetryCostAt(s.elapsed, s.schedule, other)
		if err != nil {
			return err
		}
		s.addNumber("cost", cost, number(cost), "retries with compare-factor/retries with factor",
			realRetries(other.Retries(s.elapsed))+"/"+realRetries(s.schedule.Retries(s.elapsed)))
		if s.schedule.Limit != backoff.NoLimit || factor == 1 || s.schedule.Factor == 1 {
			return nil // in the long run a limit has all factors cost the same, and a factor of 1 any number of times as much
		}
	}
	cost, err := plan.RetryCost(s.schedule.Factor, factor)
	if err != nil {
		return err
	}
	s.addNumber("long-run cost", cost, number(cost), "log(factor)/log(compare-factor)", "log("+from+")/log("+to+")")
	return nil
}
