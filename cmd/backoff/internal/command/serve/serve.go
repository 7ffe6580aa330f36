// Package serve is the command that serves HTTP, the slower the more requests are open.
package serve

import (
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/experiment"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/cmd/backoff/internal/serverflags"
	"example.com/backoff/expr"
)

// New returns the command.
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
			if err := check(cmd, s.Rules); err != nil {
				return err
			}
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer cancel()
			if err := s.Run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("serve: %w", err)
			}
			return nil
		},
	}
	flags := serve.Flags()
	flags.StringVar(&s.Address, "address", server.DefaultAddress, "the loopback `address` to serve on; port 0 is any")
	flags.StringVar(&s.Stats, "stats", server.DefaultStats, "the loopback `address` for statistics; port 0 is any")
	serverflags.Add(serve, &s.Rules)
	return serve
}

// check checks the rules as the model does, and what a real server can do.
func check(cmd *cobra.Command, rules server.Rules) error {
	config, err := rules.Config()
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	// A real server can do less than the model: timers are no finer than 1 ms, and every
	// accept queue holds one connection.
	switch {
	case rules.Poll != 0 && (rules.Poll < time.Millisecond || rules.Poll > time.Hour):
		return fmt.Errorf("serve: --poll is %v, want 0 or 1ms to 1h", rules.Poll)
	case rules.Queue < 1 || rules.Queue > 1_000_000_000:
		return fmt.Errorf("serve: --queue is %d, want 1 to 1000000000", rules.Queue)
	}
	config.Schedule = new(expr.Expr).Seeded // for the check alone: the clients have one
	if err := config.Validate(); err != nil {
		return experiment.FlagError(cmd, err, serverflags.Fields)
	}
	return nil
}
