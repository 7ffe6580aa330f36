package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Execute runs a root command and returns the exit status. Whatever a command
// returns as an error is one line on stderr and status 2, unless the error is an
// ExitError.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	refuseUnknown(root)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[ExitError](err); ok {
		return int(exit)
	}
	fmt.Fprintf(stderr, "backoff: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
	return 2
}

// An ExitError ends the command with its status and without a word, for a
// command that has said what there is to say.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// NewRoot returns the command that has these below it.
func NewRoot(commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "backoff",
		Short: "Schedules of delays to wait between attempts",
		Long: `Schedules of delays to wait between attempts.

A schedule is written as an expression: a stage that starts it, and others that
change it, with | between them. "backoff list" has all stages.

    exponential(100ms, 2) | cap(10s) | jitter(1) | take(8)`,
		Example:       "  backoff show 'full-jitter(100ms, 10s) | take(8)'\n  backoff list",
		SilenceUsage:  true,
		SilenceErrors: true,

		SuggestionsMinimumDistance: 2,

		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return UnknownCommand(cmd, args[0])
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(commands...)
	return root
}

// refuseUnknown has help and completion, which are cobra's own and take any word, say
// that there is no such command. They write to where the root does when they are made.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE = nil, help
		case "completion":
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return cmd.Help()
				}
				return UnknownCommand(cmd, args[0])
			}
		}
	}
}

// help is the command of this name.
func help(cmd *cobra.Command, args []string) error {
	about, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return UnknownCommand(about, rest[0])
	}
	about.InitDefaultHelpFlag() // for it to be listed
	return about.Help()
}

// A wanting is the value of a flag that says what it takes.
type wanting interface{ Want() string }

// flagError says of a value that its flag cannot take what the flag wants.
func flagError(_ *cobra.Command, err error) error {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	value := bad.GetFlag().Value
	if w, ok := value.(wanting); ok {
		return fmt.Errorf("--%s is %q, want %s", bad.GetFlag().Name, bad.GetValue(), w.Want())
	}
	want := map[string]string{
		"bool":         "true or false",
		"int":          "a whole number",
		"uint64":       "a whole number in [0, 2^64)",
		"float64":      "a number",
		"float64Slice": "numbers such as 0.5,0.99",
		"duration":     "a duration such as 90s or 1m30s",
	}[value.Type()]
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s is %q, want %s", bad.GetFlag().Name, bad.GetValue(), want)
}

// UnknownCommand is the error about a word that names no command.
func UnknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return fmt.Errorf("unknown command %q, did you mean %s?", name, near[0])
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q, want one of %s", name, strings.Join(names, ", "))
}
