// Command backoff shows what a schedule of delays does, and waits by it.
//
//	backoff show 'full-jitter(100ms, 10s) | take(8)'
//	backoff list
package main

import (
	"context"
	"os"

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
	os.Exit(cli.Execute(context.Background(), cli.NewRoot(commands()...), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func commands() []*cobra.Command {
	return []*cobra.Command{show.New(), plan.New(), list.New(), run.New(), sim.New(), serve.New(), load.New()}
}
