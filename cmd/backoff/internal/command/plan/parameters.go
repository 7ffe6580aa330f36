package plan

import (
	"time"

	"github.com/spf13/pflag"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/solve"
)

// onlyParameters are the flags that exclude an expression.
var onlyParameters = []string{"base", "factor", "ratio", "elapsed", "delay", "limit", "compare-factor"}

func addParameterFlags(p *solve.Parameters, flags *pflag.FlagSet) {
	flags.DurationVar(&p.Base, "base", 0, "the first delay (initial delay)")
	flags.Float64Var(&p.Factor, "factor", 0, "the ratio of each delay to the one before (multiplier)")
	flags.Float64Var(&p.Ratio, "ratio", 0, "each delay as a share of the elapsed time: factor - 1")
	flags.DurationVar(&p.Elapsed, "elapsed", 0, "the time from the first attempt to the last retry")
	flags.DurationVar(&p.Delay, "delay", 0, "the delay after the last retry")
	flags.Var((*limitFlag)(&p.Limit), "limit", "the max delay, a `duration` or none")
	flags.Float64Var(&p.CompareFactor, "compare-factor", 0, "by how much would this factor multiply the retries?")
}

// A limitFlag is a limit as a flag takes it: 10s, or none.
type limitFlag time.Duration

func (l *limitFlag) Set(text string) error {
	if text == "none" {
		*l = limitFlag(backoff.NoLimit)
		return nil
	}
	d, err := cli.ParseDuration(text)
	if err == nil {
		*l = limitFlag(d)
	}
	return err
}

func (l *limitFlag) String() string {
	return solve.LimitText(time.Duration(*l))
}

func (*limitFlag) Type() string { return "limit" }

// Want describes what the flag takes.
func (*limitFlag) Want() string { return "a duration such as 90s or 1m30s, or none" }
