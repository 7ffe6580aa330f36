// Package serverflags has the flags that say how a server slows down under load, for the
// simulated one as for the real one.
package serverflags

import (
	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/sim/overload"
)

// Add adds the flags to a command, with the published experiment as their defaults.
func Add(cmd *cobra.Command, rules *server.Rules) {
	model := overload.Default()
	latency := model.Latency.(overload.ExponentialLatency)
	flags := cmd.Flags()
	flags.DurationVar(&rules.Base, "base-latency", latency.Base, "the server's latency with few open requests")
	flags.IntVar(&rules.Limit, "limit", latency.Limit, "open requests up to which the latency is --base-latency")
	flags.Float64Var(&rules.Factor, "latency-factor", latency.Factor, "how many times as long the latency is for each --latency-scale more open requests")
	flags.Float64Var(&rules.Scale, "latency-scale", latency.Scale, "see --latency-factor")
	flags.DurationVar(&rules.Poll, "poll", model.Poll, "how often the server looks at a request again; 0 for never")
	flags.StringVar(&rules.Abandoned, "abandoned", model.Abandoned.String(), "`what` becomes of a request whose client has given up: keep or drop")
	flags.IntVar(&rules.Queue, "queue", model.Queue, "requests that the accept queue holds")
	complete := cobra.FixedCompletions([]cobra.Completion{"keep", "drop"}, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("abandoned", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
}

// Fields are the flags of the fields of overload.Config that Add has a flag for.
var Fields = map[string]string{
	"Latency.Base":   "--base-latency",
	"Latency.Limit":  "--limit",
	"Latency.Factor": "--latency-factor",
	"Latency.Scale":  "--latency-scale",
	"Poll":           "--poll",
	"Queue":          "--queue",
}
