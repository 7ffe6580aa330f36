package plan

import (
	"time"

	"github.com/spf13/pflag"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/solve"
)

// onlyParameters are the flags that go with no expression.
var onlyParameters = []string{"base", "factor", "ratio", "elapsed", "delay", "limit", "compare-factor"}

func addParameterFlags(p *solve.Parameters, flags *pflag.FlagSet) {
	flags.DurationVar(&p.Base, "base", 0, "the first delay")
	flags.Float64Var(&p.Factor, "factor", 0, "how many times the one before it a delay is")
	flags.Float64Var(&p.Ratio, "ratio", 0, "what share of the time gone by a delay is: factor - 1")
	flags.DurationVar(&p.Elapsed, "elapsed", 0, "the time from the first attempt to the last retry")
	flags.DurationVar(&p.Delay, "delay", 0, "the delay that would follow then")
	flags.Var((*limitFlag)(&p.Limit), "limit", "the largest delay, a `duration` or none")
	flags.Float64Var(&p.CompareFactor, "compare-factor", 0, "what does it cost to change to this factor?")
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
	return solve.LimitText(time.Duration(*l))
}

func (*limitFlag) Type() string { return "limit" }

// Want says what the flag takes.
func (*limitFlag) Want() string { return "a duration such as 90s or 1m30s, or none" }
