// Command backoff shows what a retry schedule does, predicts what it will do to a server,
// and runs a command with retries.
//
//	backoff show 'full-jitter(100ms, 10s) | take(8)'
//	backoff run -n 5 --delay 1s -- curl -fsS https://example.com/
package main

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/command/list"
	"example.com/backoff/cmd/backoff/internal/command/load"
	"example.com/backoff/cmd/backoff/internal/command/plan"
	"example.com/backoff/cmd/backoff/internal/command/run"
	"example.com/backoff/cmd/backoff/internal/command/serve"
	"example.com/backoff/cmd/backoff/internal/command/show"
	"example.com/backoff/cmd/backoff/internal/command/sim"
)

func main() {
	os.Exit(cli.Execute(context.Background(), newRoot(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func newRoot() *cobra.Command {
	return cli.NewRoot(slices.Concat(
		cli.Group("Look", show.New(), plan.New(), list.New()),
		cli.Group("Run", run.New()),
		cli.Group("Experiment", sim.New(), serve.New(), load.New()),
	)...)
}
