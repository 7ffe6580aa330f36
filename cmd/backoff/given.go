package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.com/backoff"
	"example.com/backoff/plan"
)

// A given is what flags say of a schedule base, base·factor, base·factor², ...
// under a limit.
type given struct {
	base, elapsed, delay         time.Duration
	factor, ratio, compareFactor float64
	retries                      int
	limit                        time.Duration   // NoLimit: none
	names                        map[string]bool // of the flags that are set
}

// onlyParameters are the flags that go with no expression.
var onlyParameters = []string{"base", "factor", "ratio", "elapsed", "delay", "limit", "compare-factor"}

// parameters are those of which three have the others follow.
var parameters = []string{"base", "factor", "retries", "elapsed", "delay"}

func addParameterFlags(k *given, flags *pflag.FlagSet) {
	flags.DurationVar(&k.base, "base", 0, "the first delay")
	flags.Float64Var(&k.factor, "factor", 0, "how many times the one before it a delay is")
	flags.Float64Var(&k.ratio, "ratio", 0, "what share of the time gone by a delay is: factor - 1")
	flags.DurationVar(&k.elapsed, "elapsed", 0, "the time from the first attempt to the last retry")
	flags.DurationVar(&k.delay, "delay", 0, "the delay that would follow then")
	flags.Var((*limitFlag)(&k.limit), "limit", "the largest delay, a `duration` or none")
	flags.Float64Var(&k.compareFactor, "compare-factor", 0, "what does it cost to change to this factor?")
}

// A limitFlag is a limit as it is written: 10s, or none.
type limitFlag time.Duration

func (l *limitFlag) Set(text string) error {
	if text == "none" {
		*l = limitFlag(backoff.NoLimit)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err == nil {
		*l = limitFlag(d)
	}
	return err
}

func (l *limitFlag) String() string {
	return limitText(time.Duration(*l))
}

// limitText returns a limit as it is written.
func limitText(limit time.Duration) string {
	if limit == backoff.NoLimit {
		return "none"
	}
	return exact(limit)
}

func (*limitFlag) Type() string { return "limit" }

// Want says what the flag takes.
func (*limitFlag) Want() string { return "a duration such as 90s or 1m30s, or none" }

// known returns the parameters that are given, ratio as the factor that it is.
func (k *given) known() []string {
	var known []string
	for _, name := range parameters {
		if k.names[name] || name == "factor" && k.names["ratio"] {
			known = append(known, name)
		}
	}
	return known
}

// check checks each parameter that is given, and that they are neither too few
// nor too many.
func (k *given) check() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"base", k.base}, {"elapsed", k.elapsed}, {"delay", k.delay}, {"limit", k.limit}} {
		if k.names[d.name] && d.value <= 0 {
			return fmt.Errorf("plan: --%s is %s, want more than 0", d.name, exact(d.value))
		}
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"factor", k.factor}, {"compare-factor", k.compareFactor}} {
		if k.names[f.name] && !(f.value >= 1 && f.value <= math.MaxFloat64) {
			return fmt.Errorf("plan: --%s is %v, want a finite number >= 1", f.name, f.value)
		}
	}
	if k.names["ratio"] {
		if _, err := plan.FactorForRatio(k.ratio); err != nil {
			return inFlags(err)
		}
	}
	switch {
	case k.names["retries"] && (k.retries < 1 || int64(k.retries) > math.MaxInt32):
		return fmt.Errorf("plan: --retries is %d, want a whole number in [1, %d]", k.retries, math.MaxInt32)
	case k.names["factor"] && k.names["ratio"]:
		return fmt.Errorf("plan: --factor and --ratio, want one or the other: factor = 1 + ratio")
	case k.names["delay"] && k.delay >= k.limit:
		return fmt.Errorf("plan: --delay is %s, want less than --limit, %s: from there on all delays are the limit",
			exact(k.delay), limitText(k.limit))
	}
	return k.checkCount()
}

func (k *given) checkCount() error {
	known := k.known()
	flags := make([]string, len(known))
	for i, name := range known {
		flags[i] = "--" + name
		if name == "factor" && k.names["ratio"] {
			flags[i] = "--ratio"
		}
	}
	switch n := len(known); {
	case n == 1 && known[0] == "factor" && k.names["compare-factor"]:
		return nil
	case n == 1 && k.names["ratio"] && !k.names["limit"]: // it is a factor
		return nil
	case n < 3:
		var open []string
		for _, name := range parameters {
			if !slices.Contains(known, name) {
				open = append(open, "--"+name)
			}
		}
		what := strings.Join(flags, " and ") + " alone"
		if n == 0 {
			what = "nothing to start from"
		}
		return fmt.Errorf("plan: %s, want %d more of %s", what, 3-n, strings.Join(open, ", "))
	case k.forLimit():
		return nil
	case n > 3:
		return fmt.Errorf("plan: %s are %d, want 3: the others follow from them", strings.Join(flags, ", "), n)
	}
	return nil
}

// forLimit reports whether it is the limit that is to be found.
func (k *given) forLimit() bool {
	return !k.names["limit"] && slices.Equal(k.known(), []string{"base", "factor", "retries", "elapsed"})
}

// run writes what follows from what is given.
func (k *given) run(w io.Writer, format string) error {
	if err := k.check(); err != nil {
		return err
	}
	s, err := solve(k)
	if err != nil {
		return inFlags(err)
	}
	switch format {
	case "csv":
		return writeSolutionCSV(w, s)
	case "json":
		return writeSolutionJSON(w, k, s)
	}
	return writeSolution(w, k, s)
}

// inFlags returns an error of package plan, or of solve, in the words of the command
// line.
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
