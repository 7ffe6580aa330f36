package advice

import (
	"fmt"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
	"example.com/backoff/sim/overload"
)

// A variant is a change of an experiment, in words, as a flag or an expression, with a note
// on where it might not help, and as what it does to the configuration.
type variant struct {
	what       string
	flag, expr string
	note       string
	change     func(*overload.Config)
}

// changes returns what to try, the most sensible first. Variants of one change are tried in
// order until one is enough.
func changes(config overload.Config, e *expr.Expr) [][]variant {
	var all [][]variant
	add := func(variants ...variant) {
		if len(variants) > 0 {
			all = append(all, variants)
		}
	}
	if config.Abandoned == overload.Keep {
		add(variant{
			what: "cancel abandoned requests", flag: "--abandoned cancel",
			change: func(c *overload.Config) { c.Abandoned = overload.Cancel },
		})
	}
	add(longer(config, e)...)
	if config.Budget == nil {
		add(variant{
			what: "a retry budget", flag: "--budget 10,0.1",
			change: func(c *overload.Config) {
				c.Budget = func() overload.Budget { return retry.NewBudget(10, 0.1) }
			},
		})
	}
	var fewer []variant
	for _, n := range []int{2, 0} {
		if _, more := backoff.At(e.Seeded(config.Seed), n); more {
			what := fmt.Sprintf("at most %d retries", n)
			if n == 0 {
				what = "no retries"
			}
			fewer = append(fewer, schedule(what, e, fmt.Sprintf("take(%d)", n))...)
		}
	}
	add(fewer...)
	// The queue fills while the server is stopped. Without a stop, requests hardly wait in it.
	stops := config.Trigger.Kind == overload.Stop && config.Trigger.For > 0
	if queue := config.Queue / 32; stops && queue > 0 {
		add(variant{
			what: "a shorter accept queue", flag: fmt.Sprintf("--queue %d", queue),
			note:   "after this outage; try shorter ones", // before the delays have grown
			change: func(c *overload.Config) { c.Queue = queue },
		})
	}
	if delay, retries := backoff.At(e.Seeded(config.Seed), 0); retries && !e.Random() && delay > 0 {
		add(schedule("jitter", e, "jitter(1)")...)
	}
	return all
}

// longer returns variants of a longer first delay: as long as the trigger, or as the timeout
// if that is longer, and twice and four times as long. One that the schedule has already is
// left out. A random schedule is moved, so that its jitter stays.
func longer(config overload.Config, e *expr.Expr) (variants []variant) {
	first := backoff.NoLimit
	for seed := range uint64(16) { // A random schedule has a shorter first delay under one of them.
		delay, retries := backoff.At(e.Seeded(config.Seed+seed), 0)
		if !retries {
			return nil
		}
		first = min(first, delay)
	}
	for _, times := range []time.Duration{1, 2, 4} {
		delay := times * max(config.Trigger.For, config.Timeout)
		if delay <= first {
			continue
		}
		stage := fmt.Sprintf("floor(%s)", expr.FormatDuration(delay))
		if e.Random() {
			stage = fmt.Sprintf("add(constant(%s))", expr.FormatDuration(delay))
		}
		variants = append(variants, schedule("delays of at least "+expr.FormatDuration(delay), e, stage)...)
	}
	return variants
}

// schedule returns the variant of one more stage at the end of the schedule. It returns none if
// the schedule is as long as expr allows.
func schedule(what string, e *expr.Expr, stage string) []variant {
	text := e.String() + " | " + stage
	changed, err := expr.Parse(text)
	if err != nil {
		return nil
	}
	return []variant{{what: what, expr: text, change: func(c *overload.Config) { c.Schedule = changed.Seeded }}}
}
