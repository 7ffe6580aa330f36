package solve

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/plan"
)

// Parameters are what flags give of a schedule base, base·factor, base·factor², ... under a
// limit.
type Parameters struct {
	Base, Elapsed, Delay         time.Duration
	Factor, Ratio, CompareFactor float64
	Retries                      int
	Limit                        time.Duration   // NoLimit: none
	Set                          map[string]bool // the flags that are set
}

// fiveParameters are those of which any three determine the others.
var fiveParameters = []string{"base", "factor", "retries", "elapsed", "delay"}

// LimitText returns a limit as a flag takes it.
func LimitText(limit time.Duration) string {
	if limit == backoff.NoLimit {
		return "none"
	}
	return digits.Exact(limit)
}

// known returns the parameters that are given. A ratio counts as a factor.
func (p *Parameters) known() []string {
	var known []string
	for _, name := range fiveParameters {
		if p.Set[name] || name == "factor" && p.Set["ratio"] {
			known = append(known, name)
		}
	}
	return known
}

// check checks each parameter that is given, and that there are neither too few nor too many.
func (p *Parameters) check() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"base", p.Base}, {"elapsed", p.Elapsed}, {"delay", p.Delay}, {"limit", p.Limit}} {
		if p.Set[d.name] && d.value <= 0 {
			return fmt.Errorf("plan: --%s is %s, want more than 0", d.name, digits.Exact(d.value))
		}
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"factor", p.Factor}, {"compare-factor", p.CompareFactor}} {
		if p.Set[f.name] && !(f.value >= 1 && f.value <= math.MaxFloat64) {
			return fmt.Errorf("plan: --%s is %v, want a finite number >= 1", f.name, f.value)
		}
	}
	if p.Set["ratio"] {
		if _, err := plan.FactorForRatio(p.Ratio); err != nil {
			return inFlags(err)
		}
	}
	switch {
	case p.Set["retries"] && (p.Retries < 1 || int64(p.Retries) > math.MaxInt32):
		return fmt.Errorf("plan: --retries is %d, want a whole number in [1, %d]", p.Retries, math.MaxInt32)
	case p.Set["factor"] && p.Set["ratio"]:
		return fmt.Errorf("plan: --factor and --ratio, want one or the other: factor = 1 + ratio")
	case p.Set["delay"] && p.Delay >= p.Limit:
		return fmt.Errorf("plan: --delay is %s, want less than --limit, %s: from there on all delays are the limit",
			digits.Exact(p.Delay), LimitText(p.Limit))
	}
	return p.checkCount()
}

func (p *Parameters) checkCount() error {
	known := p.known()
	flags := make([]string, len(known))
	for i, name := range known {
		flags[i] = "--" + name
		if name == "factor" && p.Set["ratio"] {
			flags[i] = "--ratio"
		}
	}
	switch n := len(known); {
	case n == 1 && known[0] == "factor" && p.Set["compare-factor"]:
		return nil
	case n == 1 && p.Set["ratio"] && !p.Set["limit"]: // it is a factor
		return nil
	case n < 3:
		var open []string
		for _, name := range fiveParameters {
			if !slices.Contains(known, name) {
				open = append(open, "--"+name)
			}
		}
		what := strings.Join(flags, " and ") + " alone"
		if n == 0 {
			what = "nothing to start from"
		}
		return fmt.Errorf("plan: %s, want %d more of %s", what, 3-n, strings.Join(open, ", "))
	case p.forLimit():
		return nil
	case n > 3:
		return fmt.Errorf("plan: %s are %d, want 3: the others follow from these", strings.Join(flags, ", "), n)
	}
	return nil
}

// forLimit reports whether the limit is the unknown.
func (p *Parameters) forLimit() bool {
	return !p.Set["limit"] && slices.Equal(p.known(), []string{"base", "factor", "retries", "elapsed"})
}

// Write writes the parameters that follow from those that are given.
func (p *Parameters) Write(w io.Writer, format string) error {
	if err := p.check(); err != nil {
		return err
	}
	s, err := solve(p)
	if err != nil {
		return inFlags(err)
	}
	switch format {
	case "csv":
		return writeSolutionCSV(w, s)
	case "json":
		return writeSolutionJSON(w, p, s)
	}
	return writeSolution(w, p, s)
}

// inFlags rewords an error of package plan, or of solve, with the names of flags.
func inFlags(err error) error {
	impossible, ok := errors.AsType[*plan.Error](err)
	if !ok {
		return fmt.Errorf("plan: %w", err)
	}
	name := strings.ToLower(impossible.Name)
	switch name {
	case "n":
		name = "retries"
	case "to":
		name = "compare-factor"
	case "from":
		name = "factor"
	}
	return fmt.Errorf("plan: --%s is %s, want %s", name, impossible.Got, impossible.Want)
}
