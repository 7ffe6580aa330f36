// Package solve finds the parameters of a geometric schedule from those that are known. It
// computes and writes what "backoff plan --base ..." prints.
package solve

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/plan"
)

// A solution has all parameters, those that are given and those that follow.
type solution struct {
	schedule plan.Geometric
	retries  float64 // how many come within elapsed; whole if they are given
	elapsed  time.Duration
	beyond   bool          // elapsed is found, and longer than a time.Duration
	delay    time.Duration // that follows a retry at elapsed
	partial  bool          // only the factor is known
	answers  []answer      // in the order in which one follows from another
}

// An answer is one quantity that follows.
type answer struct {
	name            string
	formula, filled string // in words, and with the numbers
	value           string // for reading
	number          string // to all digits, in seconds if it is a time; empty if that is too long
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

// inSeconds returns d for a formula.
func inSeconds(d time.Duration) string {
	if d == backoff.NoLimit {
		return "(" + digits.Exact(d) + ")"
	}
	return digits.Seconds(d) + "s"
}

// elapsedInSeconds returns the elapsed time for a formula. If it is given, the largest
// time.Duration means itself; if it is found, it stands for longer times.
func (s *solution) elapsedInSeconds() string {
	if s.beyond {
		return inSeconds(backoff.NoLimit)
	}
	return digits.Seconds(s.elapsed) + "s"
}

// number returns x to six digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// factorText returns a factor >= 1 to six digits of it and of factor − 1, which formulas
// use.
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

// realRetries returns a number of retries to three digits, at least one of them after the
// point, and to more if it would otherwise round up to a whole number.
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

// solve finds what follows from parameters that have passed their check.
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
		"base factor retries":         {(*solution).findElapsed, (*solution).findDelayOfRetry},
		"base factor elapsed":         {(*solution).findRetries, (*solution).findDelay},
		"base factor delay":           {(*solution).findWhenDelay},
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
		panic("unreachable: parameters that passed their check: " + known)
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

// n returns the number of retries, which must be whole.
func (s *solution) n() int { return int(s.retries) }

// findElapsed: the retries are whole, and all except the elapsed time is known.
func (s *solution) findElapsed() error {
	n := s.n()
	s.elapsed = s.schedule.Elapsed(n)
	s.beyond = s.elapsed == backoff.NoLimit
	formula, filled := s.sum(n)
	s.addTime("elapsed", s.elapsed, formula, filled)
	return nil
}

// sum returns the formula of the elapsed time of retry n, and its numbers.
func (s *solution) sum(n int) (formula, filled string) {
	g := s.schedule
	m := min(n, g.BelowLimit())
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

// findDelay: all except the delay is known, and the elapsed time is given.
func (s *solution) findDelay() error {
	g := s.schedule
	s.addDelay(g.DelayAt(s.elapsed), "base + (factor − 1)·elapsed",
		fmt.Sprintf("%s + (%s − 1)·%s", inSeconds(g.Base), factorText(g.Factor), s.elapsedInSeconds()))
	return nil
}

// findDelayOfRetry: all except the delay is known, and the elapsed time is that of a
// whole retry, rounded to a nanosecond. A large factor multiplies the rounding to more than
// a nanosecond, and nothing follows from a time that is too long; then the delay
// follows from the retries.
func (s *solution) findDelayOfRetry() error {
	g, n := s.schedule, s.n()
	delay := g.DelayAfter(n)
	if !s.beyond && delay == g.DelayAt(s.elapsed) {
		return s.findDelay()
	}
	s.addDelay(delay, "base·factor^retries", fmt.Sprintf("%s·%s^%d", inSeconds(g.Base), factorText(g.Factor), n))
	return nil
}

// addDelay adds the delay. The formula comes without the limit.
func (s *solution) addDelay(delay time.Duration, formula, filled string) {
	s.delay = delay
	if limit := s.schedule.Limit; limit != backoff.NoLimit {
		formula = "min(limit, " + formula + ")"
		filled = "min(" + inSeconds(limit) + ", " + filled + ")"
	}
	s.addTime("delay", delay, formula, filled)
}

// findRetries: base, factor and elapsed are known.
func (s *solution) findRetries() error {
	g := s.schedule
	if first := g.Delay(1); s.elapsed < first {
		return fmt.Errorf("--elapsed is %s, want at least the first delay, %s: no retry comes before it",
			digits.Exact(s.elapsed), digits.Exact(first))
	}
	s.retries = g.Retries(s.elapsed)
	m := g.BelowLimit()
	base, factor, limit, elapsed := inSeconds(g.Base), factorText(g.Factor), inSeconds(g.Limit), s.elapsedInSeconds()
	formula := "log(1 + (factor − 1)·elapsed/base)/log(factor)"
	filled := fmt.Sprintf("log(1 + (%s − 1)·%s/%s)/log(%s)", factor, elapsed, base, factor)
	switch {
	case m == 0:
		formula, filled = "elapsed/limit", elapsed+"/"+limit
	case m < math.MaxInt && float64(m) < s.retries:
		formula = "m + (elapsed − elapsed of retry m)/limit, where m delays are below the limit"
		filled = fmt.Sprintf("%d + (%s − %s)/%s", m, elapsed, inSeconds(g.Elapsed(m)), limit)
	case g.Factor == 1:
		formula, filled = "elapsed/base", elapsed+"/"+base
	}
	s.addNumber("retries", s.retries, realRetries(s.retries), formula, filled)
	return nil
}

// findWhenDelay: base, factor and the delay are known, and the limit is not reached.
func (s *solution) findWhenDelay() error {
	g := s.schedule
	switch {
	case g.Factor == 1:
		return fmt.Errorf("--factor is 1, want more: with 1 all delays are --base")
	case s.delay <= g.Base:
		return s.delayUnderBase()
	}
	retries, err := g.RetriesAtDelay(s.delay)
	if err != nil {
		return err
	}
	if retries < 1 {
		return fmt.Errorf("--delay is %s, want at least base·factor, %s, the delay that follows retry 1", digits.Exact(s.delay), digits.Exact(g.DelayAfter(1)))
	}
	if s.elapsed, err = g.ElapsedAtDelay(s.delay); err != nil {
		return err
	}
	s.beyond = s.elapsed == backoff.NoLimit
	// A delay of the schedule is rounded to a nanosecond. If it is rounded down, the elapsed
	// time that follows from it is shorter than that of its retry.
	n := int(min(retries, math.MaxInt32))
	if !s.beyond && g.DelayAfter(g.RetriesWithin(s.elapsed)) != s.delay && g.DelayAfter(n) == s.delay {
		s.addRetriesOfDelay(float64(n))
		return s.findElapsed()
	}
	s.addTime("elapsed", s.elapsed, "(delay − base)/(factor − 1)",
		fmt.Sprintf("(%s − %s)/(%s − 1)", inSeconds(s.delay), inSeconds(g.Base), factorText(g.Factor)))
	if s.beyond {
		s.addRetriesOfDelay(retries)
		return nil
	}
	return s.findRetries()
}

// addRetriesOfDelay adds the retries that come before the delay, from the delay alone.
func (s *solution) addRetriesOfDelay(retries float64) {
	g := s.schedule
	s.retries = retries
	s.addNumber("retries", retries, realRetries(retries), "log(delay/base)/log(factor)",
		fmt.Sprintf("log(%s/%s)/log(%s)", inSeconds(s.delay), inSeconds(g.Base), factorText(g.Factor)))
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
		fmt.Sprintf("%s = %s", s.elapsedInSeconds(), filled))
	return nil
}

// findFactorAsRoot: base, retries and the delay are known.
func (s *solution) findFactorAsRoot() error {
	base := s.schedule.Base
	if s.delay < base {
		return s.delayUnderBase()
	}
	factor, err := s.schedule.FactorForDelay(s.n(), s.delay)
	if err != nil {
		return err
	}
	s.schedule.Factor = factor
	s.addNumber("factor", factor, factorText(factor), "(delay/base)^(1/retries)",
		fmt.Sprintf("(%s/%s)^(1/%d)", inSeconds(s.delay), inSeconds(base), s.n()))
	return nil
}

// findFactorAsSlope: base, elapsed and the delay are known.
func (s *solution) findFactorAsSlope() error {
	base := s.schedule.Base
	if s.delay < base {
		return s.delayUnderBase()
	}
	factor, err := s.schedule.FactorForDelayAt(s.elapsed, s.delay)
	if err != nil {
		return err
	}
	s.schedule.Factor = factor
	s.addNumber("factor", factor, factorText(factor), "1 + (delay − base)/elapsed",
		fmt.Sprintf("1 + (%s − %s)/%s", inSeconds(s.delay), inSeconds(base), s.elapsedInSeconds()))
	return nil
}

// findBase: factor, retries and elapsed are known.
func (s *solution) findBase() error {
	base, err := s.schedule.BaseForRetries(s.n(), s.elapsed)
	if err != nil {
		return err
	}
	s.schedule.Base = base
	factor, n, elapsed := factorText(s.schedule.Factor), s.n(), s.elapsedInSeconds()
	formula, filled := "elapsed·(factor − 1)/(factor^retries − 1)", fmt.Sprintf("%s·(%s − 1)/(%s^%d − 1)", elapsed, factor, factor, n)
	switch {
	case s.schedule.Factor == 1:
		formula, filled = "elapsed/retries", fmt.Sprintf("%s/%d", elapsed, n)
	case s.schedule.BelowLimit() < n:
		formula, filled = s.sum(n)
		formula, filled = "the one for which elapsed = "+formula, elapsed+" = "+filled
	}
	s.addTime("base", base, formula, filled)
	return nil
}

// findBaseAsRoot: factor, retries and the delay are known.
func (s *solution) findBaseAsRoot() error {
	base, err := s.schedule.BaseForDelay(s.n(), s.delay)
	if err != nil {
		return fmt.Errorf("--delay is %s, want a longer one, or fewer --retries: the base would be under 1ns", digits.Exact(s.delay))
	}
	s.schedule.Base = base
	s.addTime("base", base, "delay/factor^retries", fmt.Sprintf("%s/%s^%d", inSeconds(s.delay), factorText(s.schedule.Factor), s.n()))
	return nil
}

// findBaseAsRest: factor, elapsed and the delay are known.
func (s *solution) findBaseAsRest() error {
	base, err := s.schedule.BaseForDelayAt(s.elapsed, s.delay)
	if err != nil {
		shortest := plan.Geometric{Base: 1, Factor: s.schedule.Factor, Limit: backoff.NoLimit}.DelayAt(s.elapsed)
		if shortest < backoff.NoLimit {
			shortest-- // the base of 1 ns
		}
		return fmt.Errorf("--delay is %s, want more than (factor − 1)·elapsed, %s: no base is left", digits.Exact(s.delay), digits.Exact(shortest))
	}
	s.schedule.Base = base
	s.addTime("base", base, "delay − (factor − 1)·elapsed",
		fmt.Sprintf("%s − (%s − 1)·%s", inSeconds(s.delay), factorText(s.schedule.Factor), s.elapsedInSeconds()))
	return nil
}

// findFactorAndBase: retries, elapsed and the delay are known.
func (s *solution) findFactorAndBase() error {
	n := s.n()
	factor, base, err := s.schedule.FactorAndBase(n, s.elapsed, s.delay)
	if err != nil {
		most := plan.Geometric{Base: s.delay, Factor: 1, Limit: backoff.NoLimit}.Elapsed(n)
		if s.elapsed > most {
			return fmt.Errorf("--elapsed is %s, want at most retries·delay, %s: the delay is the largest of them",
				digits.Exact(s.elapsed), digits.Exact(most))
		}
		return fmt.Errorf("--elapsed is %s, want a longer one, or fewer --retries: the base would be under 1ns", digits.Exact(s.elapsed))
	}
	s.schedule.Factor, s.schedule.Base = factor, base
	text := factorText(factor)
	s.addNumber("factor", factor, text, "the one for which elapsed = delay·(1 − factor^−retries)/(factor − 1)",
		fmt.Sprintf("%s = %s·(1 − %s^−%d)/(%s − 1)", s.elapsedInSeconds(), inSeconds(s.delay), text, n, text))
	s.addTime("base", base, "delay/factor^retries", fmt.Sprintf("%s/%s^%d", inSeconds(s.delay), text, n))
	return nil
}

// findLimit: base, factor, retries and elapsed are known.
func (s *solution) findLimit() error {
	g, n := s.schedule, s.n()
	limit, err := g.LimitForRetries(n, s.elapsed)
	if err != nil {
		g.Limit = backoff.NoLimit
		if most := g.Elapsed(n); s.elapsed > most {
			return fmt.Errorf("--elapsed is %s, want at most %s: without a limit %s take no more",
				digits.Exact(s.elapsed), digits.Exact(most), digits.Count(n, "retry"))
		}
		g.Limit = g.Base
		return fmt.Errorf("--elapsed is %s, want at least %s: %s with a limit of --base take that much",
			digits.Exact(s.elapsed), digits.Exact(g.Elapsed(n)), digits.Count(n, "retry"))
	}
	s.schedule.Limit = limit
	m := min(s.schedule.BelowLimit(), n-1) // the last delay is the limit, apart from rounding
	if m == 0 {
		s.addTime("limit", limit, "elapsed/retries", fmt.Sprintf("%s/%d", s.elapsedInSeconds(), n))
		return nil
	}
	factor := factorText(g.Factor)
	s.addTime("limit", limit, "(elapsed − base·(factor^m − 1)/(factor − 1))/(retries − m), where m delays are below it",
		fmt.Sprintf("(%s − %s·(%s^%d − 1)/(%s − 1))/(%d − %d)", s.elapsedInSeconds(), inSeconds(g.Base), factor, m, factor, n, m))
	return nil
}

// findCost finds by how much another factor multiplies the retries.
func (s *solution) findCost(factor float64) error {
	from, to := factorText(s.schedule.Factor), factorText(factor)
	if !s.partial {
		if s.beyond {
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
			return nil // in the long run all factors cost the same under a limit, and a factor of 1 has no bound
		}
	}
	cost, err := plan.RetryCost(s.schedule.Factor, factor)
	if err != nil {
		return err
	}
	s.addNumber("long-run cost", cost, number(cost), "log(factor)/log(compare-factor)", "log("+from+")/log("+to+")")
	return nil
}
