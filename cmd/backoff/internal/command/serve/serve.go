// Package serve is the command that serves HTTP, the slower the more requests are open.
package serve

import (
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/sim/overload"
)

func New() *cobra.Command {
	var s server.Config
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Serve HTTP, the slower the more requests are open",
		Long: `Serve HTTP on a loopback address, the slower the more requests are open: it is
the server of "backoff sim overload", in real time, for "backoff load" to overload.

The latency is --base-latency until --limit requests are open, and then

    base-latency · latency-factor^((open − limit) / latency-scale)

A request is looked at every --poll, and answered when it has been open for as
long as the latency is then. With --poll 0 the latency when it opens decides.

--abandoned says what becomes of a request whose client has given up: keep goes
on serving it, as a handler does that does not look at its request's context;
drop ends it with that context. Either way its connection is closed at once.

--queue is how many connections the system keeps for the server to accept, while
it is stopped or busy: 4096 on today's Linux, 128 on that of ten years ago. The
system may allow less (net.core.somaxconn). Elsewhere the queue is the system's.

Every second it prints how many requests are open, and the latency of that. The
same is at http://` + server.DefaultStats + `/ as JSON, which never queues.`,
		Example: `  backoff serve
  backoff serve --abandoned drop --queue 128`,
		Args:              cli.WantNothing,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.QueueSet = cmd.Flags().Changed("queue")
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer cancel()
			if err := s.Run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("serve: %w", err)
			}
			return nil
		},
	}
	model := overload.Default()
	latency := model.Latency.(overload.ExponentialLatency)
	flags := serve.Flags()
	flags.StringVar(&s.Address, "address", server.DefaultAddress, "the loopback `address` to serve on; port 0 is any")
	flags.StringVar(&s.Stats, "stats", server.DefaultStats, "the loopback `address` for statistics; port 0 is any")
	flags.IntVar(&s.Rules.Limit, "limit", latency.Limit, "how many open requests do not slow it down")
	flags.DurationVar(&s.Rules.Base, "base-latency", latency.Base, "its latency with so many")
	flags.Float64Var(&s.Rules.Factor, "latency-factor", latency.Factor, "how that grows for every --latency-scale more")
	flags.Float64Var(&s.Rules.Scale, "latency-scale", latency.Scale, "see --latency-factor")
	flags.DurationVar(&s.Rules.Poll, "poll", model.Poll, "how often to look at a request; 0 for never again")
	flags.IntVar(&s.Rules.Queue, "queue", model.Queue, "how many connections its accept queue holds")
	flags.StringVar(&s.Rules.Abandoned, "abandoned", model.Abandoned.String(), "what to do with a request whose client has given up: keep or drop")
	complete := cobra.FixedCompletions([]string{"keep", "drop"}, cobra.ShellCompDirectiveNoFileComp)
	if err := serve.RegisterFlagCompletionFunc("abandoned", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
	return serve
}
