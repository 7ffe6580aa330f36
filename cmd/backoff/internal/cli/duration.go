package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ParseDuration reads a duration as every flag of every command does: 90s, 1m30s, or a
// number of seconds, 90 or 0.5, as those of timeout and sleep are.
func ParseDuration(text string) (time.Duration, error) {
	if text != "" && strings.Trim(text, "+-.0123456789") == "" {
		text += "s"
	}
	return time.ParseDuration(text)
}

// readDurations has all flags that are durations read by ParseDuration.
func readDurations(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, done := f.Value.(durationFlag); done || f.Value.Type() != "duration" {
			return
		}
		f.Value = durationFlag{f.Value}
		if f.DefValue == "0s" {
			f.DefValue = "" // which help does not print
		}
	})
	for _, c := range cmd.Commands() {
		readDurations(c)
	}
}

// A durationFlag is pflag's own, which wants a unit.
type durationFlag struct{ pflag.Value }

// Set reads what ParseDuration does.
func (f durationFlag) Set(text string) error {
	d, err := ParseDuration(text)
	if err != nil {
		return err
	}
	return f.Value.Set(d.String())
}
