package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// UnknownCommand is the error about a word that names no command.
func UnknownCommand(root *cobra.Command, name string) error {
	if near := nearest(root, name); near != "" {
		return fmt.Errorf("unknown command %q, did you mean %s?", name, near)
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q, want one of %s", name, strings.Join(names, ", "))
}

// unknownFlag is the error about a flag that the command does not have, and that was given
// with these dashes.
func unknownFlag(cmd *cobra.Command, dashes, name string) error {
	if dashes == "--" && len(name) == 1 && cmd.Flags().ShorthandLookup(name) != nil {
		return fmt.Errorf("unknown flag --%s, did you mean -%[1]s?", name)
	}
	switch near := likeFlag(cmd.Flags(), name); {
	case near == "" && slices.Contains(inSchedule, name) && cmd.Flags().Lookup("retry") != nil:
		return fmt.Errorf("unknown flag %s%s, want it in the schedule, such as --delay 'exponential(1s, 2) | cap(1m) | jitter(0.5)'", dashes, name)
	case near == "":
		return fmt.Errorf("unknown flag %s%s, see %q", dashes, name, cmd.CommandPath()+" --help")
	case near == "attempts" && strings.Contains(name, "retries"):
		return fmt.Errorf("unknown flag --%s, did you mean --attempts (retries + 1)?", name)
	case near == "retries" && !strings.Contains(name, "retr"):
		return fmt.Errorf("unknown flag --%s, did you mean --retries (attempts - 1)?", name)
	default:
		return fmt.Errorf("unknown flag %s%s, did you mean --%s?", dashes, name, near)
	}
}

// sameFlag are the names that other tools and libraries have for our flags: timeout, retry,
// parallel, curl and those of client libraries. If a command has several flags of a line, the
// first of them is meant.
var sameFlag = []string{
	"attempts retries tries times count max-attempts max-tries max-retries num-retries retry-count",
	"attempts t",
	"delay base d interval sleep wait pause period retry-delay initial-delay initial-interval min-delay",
	"limit cap max-delay max-interval max-wait max-backoff",
	"timeout deadline max-time max-elapsed max-duration retry-max-time total-timeout time-limit",
	"attempt-timeout attempt-time try-timeout connect-timeout request-timeout",
	"factor multiplier exponent growth",
	"kill-after k kill grace-period",
	"on retry-on retry-if retry-status while w",
	"stop-on abort-on fail-on halt halt-on",
	"until success-on success-codes u",
	"quiet silent",
	"dry-run dryrun just-print noop simulate",
	"report json joblog",
	"clients concurrency connections users jobs",
	"reps repetitions runs trials",
	"draws samples",
	"png image picture plot",
	"latency-limit limit",
	"trigger-factor factor",
	"capacity rps qps throughput",
}

// inSchedule are the names that other tools have for the parameters of a schedule. A command
// that takes its schedule as an expression needs no flags for them.
var inSchedule = strings.Fields(`
	factor multiplier exponent growth backoff-factor
	limit cap max-delay max-interval max-wait max-backoff retry-max-delay max-retry-delay
	jitter full-jitter randomization randomization-factor random-factor spread`)

// likeFlag returns the name of the flag that an unknown name is another word for, or a
// misspelling of, and the empty text if there is none.
func likeFlag(flags *pflag.FlagSet, name string) string {
	for _, line := range sameFlag {
		words := strings.Fields(line)
		if !slices.Contains(words, name) {
			continue
		}
		for _, word := range words {
			if f := flags.Lookup(word); f != nil {
				return word
			}
		}
	}
	if len(name) < 2 {
		return ""
	}
	// Only commands have suggestions in cobra.
	names := new(cobra.Command)
	flags.VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	return nearest(names, name)
}

// nearest returns the name of the command below parent that differs least from an unknown
// name, in a third of its letters at most, rounded up, and the empty text if there is none.
func nearest(parent *cobra.Command, name string) string {
	defer func(before int) { parent.SuggestionsMinimumDistance = before }(parent.SuggestionsMinimumDistance)
	for letters := range 1 + (len(name)+2)/3 {
		parent.SuggestionsMinimumDistance = letters
		if near := parent.SuggestionsFor(name); len(near) > 0 {
			return near[0]
		}
	}
	return ""
}
