// Package serve is the command that runs an HTTP server which slows down under load.
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
	var rules serverflags.Flags
	serve := &cobra.Command{
		Use:        "serve",
		Short:      "Run a test server that slows down under load",
		SuggestFor: []string{"server"},
		Long: `Run a test server on a loopback address that slows down as more requests are
open: the server of "backoff sim overload", in real time, for "backoff load" to
overload.

Its latency depends on how many requests are open:

    base-latency    while at most latency-limit are open, and then
    base-latency · latency-factor^((open − latency-limit) / latency-scale)

or, with --capacity, which is the most requests a second that it can answer,

    base-latency + open / capacity

Every --poll it checks whether a request has been open for the latency of that
moment, and answers it if so. With --poll 0 the latency is fixed when the request
opens.

--abandoned is what happens to a request that its client has abandoned. With keep
the server goes on with it, as a handler does that ignores its request's context;
with cancel (or drop) it returns when that context is done. In both cases the
connection is closed at once.

--queue is how many connections wait in the system's accept queue while the server
is stopped or busy: 4096 on today's Linux, 128 on that of ten years ago. The
system may allow fewer (net.core.somaxconn). On other systems the server cannot
set it.

Every second it prints the open requests and the latency with that many. They are
also at http://` + server.DefaultStats + `/ as JSON, on a port that does not queue.`,
		Example: `  backoff serve
  backoff serve --abandoned cancel --queue 128
  backoff serve --capacity 500/s`,
		Args:              cli.WantNothing,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.QueueSet = cmd.Flags().Changed("queue")
			var err error
			if s.Rules, err = rules.Rules(cmd); err != nil {
				return fmt.Errorf("serve: %w", err)
			}
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
	flags.StringVar(&s.Address, "address", server.DefaultAddress, "loopback `address` to serve on; with port 0, any free port")
	flags.StringVar(&s.Stats, "stats", server.DefaultStats, "loopback `address` for statistics; with port 0, any free port")
	rules.Add(serve)
	return serve
}

// check checks the rules as the model does, and that a real server can keep them.
func check(cmd *cobra.Command, rules server.Rules) error {
	config, err := rules.Config()
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	// A real server can do less than the model: its timers are no finer than 1 ms, and its
	// accept queue holds at least one connection.
	switch {
	case rules.Poll != 0 && (rules.Poll < time.Millisecond || rules.Poll > time.Hour):
		return fmt.Errorf("serve: --poll is %v, want 0 or 1ms to 1h", rules.Poll)
	case rules.Queue < 1 || rules.Queue > 1_000_000_000:
		return fmt.Errorf("serve: --queue is %d, want 1 to 1000000000", rules.Queue)
	}
	config.Schedule = new(expr.Expr).Seeded // never called: the clients have the schedule
	if err := config.Validate(); err != nil {
		return experiment.FlagError(cmd, err, serverflags.Fields)
	}
	return nil
}
