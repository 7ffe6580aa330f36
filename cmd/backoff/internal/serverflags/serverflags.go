// Package serverflags has the flags that describe how a server slows down under load, the
// simulated one and the real one.
package serverflags

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/sim/overload"
)

// Flags are what the flags say of a server. Use Rules once they are parsed.
type Flags struct {
	rules    server.Rules
	capacity capacity
}

// Add adds the flags to a command, with the published experiment as their defaults.
func (f *Flags) Add(cmd *cobra.Command) {
	model := overload.Default()
	latency := model.Latency.(overload.ExponentialLatency)
	r := &f.rules
	flags := cmd.Flags()
	flags.DurationVar(&r.Base, "base-latency", latency.Base, "the server's latency with few open requests")
	flags.IntVar(&r.Limit, "latency-limit", latency.Limit, "open requests up to which the latency is --base-latency")
	flags.Float64Var(&r.Factor, "latency-factor", latency.Factor, "growth of the latency for every --latency-scale open requests above --latency-limit")
	flags.Float64Var(&r.Scale, "latency-scale", latency.Scale, "open requests for which the latency grows by --latency-factor")
	flags.Var(&f.capacity, "capacity", "requests a second that the server can answer, such as 500/s, instead of --latency-limit, --latency-factor and --latency-scale")
	flags.DurationVar(&r.PerOpen, "latency-per-open", 0, "1 / capacity, instead of --capacity: 2ms for 500/s")
	flags.DurationVar(&r.Poll, "poll", model.Poll, "how often the server checks whether a request is due; 0: the latency is fixed when the request opens")
	flags.StringVar(&r.Abandoned, "abandoned", model.Abandoned.String(), "what the server does with requests that their clients have abandoned, the `policy` keep or cancel")
	flags.IntVar(&r.Queue, "queue", model.Queue, "requests that the accept queue holds")
	complete := cobra.FixedCompletions([]cobra.Completion{"keep", "cancel"}, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("abandoned", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
}

// Rules returns the rules of the server, and an error if the flags contradict each other.
func (f *Flags) Rules(cmd *cobra.Command) (server.Rules, error) {
	given := cmd.Flags().Changed
	for _, pair := range [][]string{
		{"capacity", "latency-per-open"},
		{"capacity", "latency-limit"},
		{"capacity", "latency-factor"},
		{"capacity", "latency-scale"},
		{"latency-per-open", "latency-limit"},
		{"latency-per-open", "latency-factor"},
		{"latency-per-open", "latency-scale"},
	} {
		if given(pair[0]) && given(pair[1]) {
			return f.rules, fmt.Errorf("--%s is given, and so is --%s, want one kind of latency", pair[0], pair[1])
		}
	}
	r := f.rules
	r.Linear = given("capacity") || given("latency-per-open")
	if given("capacity") {
		r.PerOpen = f.capacity.perOpen()
	}
	return r, nil
}

// Fields are the flags of the fields of overload.Config that Add has a flag for.
var Fields = map[string]string{
	"Latency.Base":    "--base-latency",
	"Latency.Limit":   "--latency-limit",
	"Latency.Factor":  "--latency-factor",
	"Latency.Scale":   "--latency-scale",
	"Latency.PerOpen": "--latency-per-open",
	"Poll":            "--poll",
	"Queue":           "--queue",
}
