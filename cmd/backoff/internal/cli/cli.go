package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Execute runs a root command and returns the exit status. An error of a command is one
// line on stderr and status 2, unless it is an ExitError or one that Written returned.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	addOwn(root)
	readDurations(root)
	helpError := foldHelp(root)
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		unquoteFlags(root)
	}
	err := cmp.Or(root.ExecuteContext(ctx), *helpError)
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[ExitError](err); ok {
		return int(exit)
	}
	fmt.Fprintf(stderr, "backoff: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
	if unwritten, ok := errors.AsType[writeError](err); ok {
		return unwritten.status
	}
	return 2
}

// WriteErrorStatus is the annotation of a command that ends with this status, instead of 2,
// if its output or its help cannot be written.
const WriteErrorStatus = "status of a write error"

// A writeError is one of a command with a WriteErrorStatus.
type writeError struct {
	error
	status int
}

// Written returns err, the error of writing the output of cmd, for Execute.
func Written(cmd *cobra.Command, err error) error {
	if status, ok := cmd.Annotations[WriteErrorStatus]; ok && err != nil {
		n, bad := strconv.Atoi(status)
		if bad != nil {
			panic(bad)
		}
		return writeError{err, n}
	}
	return err
}

// An ExitError ends the command with its status, without a message. Use it if the command
// has written its own.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Group puts commands below a heading of the root's help.
func Group(heading string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = heading
	}
	return commands
}

// Help lists commands in the order in which a newcomer needs them.
func init() { cobra.EnableCommandSorting = false }

// NewRoot returns the command backoff with these below it, in this order.
func NewRoot(commands ...*cobra.Command) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "backoff",
		Short: "Show, plan, simulate and use retry schedules",
		Long: `Backoff shows what a retry schedule does, predicts what it will do to a server,
and runs a command with retries.

A schedule is the list of delays between attempts. It is written as an
expression, a generator and stages that change it, with | between them:

    exponential(100ms, 2) | cap(10s) | jitter(1) | take(8)

"backoff list" explains each of them.`,
		Example: `  backoff show 'full-jitter(100ms, 10s) | take(8)'
  backoff plan 'full-jitter(100ms, 10s)' --deadline 30s --clients 10000
  backoff run -n 5 --delay 1s -- curl -fsS https://example.com/
  backoff sim overload 'full-jitter(100ms, 10s)'`,
		SilenceUsage:  true,
		SilenceErrors: true,

		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return UnknownCommand(cmd, args[0])
			case showVersion:
				return writeVersion(cmd)
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	root.SetFlagErrorFunc(flagError)
	for _, c := range commands {
		if c.GroupID != "" && !root.ContainsGroup(c.GroupID) {
			root.AddGroup(&cobra.Group{ID: c.GroupID, Title: c.GroupID + ":"})
		}
	}
	root.AddCommand(commands...)
	return root
}

// addOwn adds the commands version, help and completion. The last two are cobra's, which
// take any word: here they refuse a command that does not exist. They write to where the
// root does when they are made.
func addOwn(root *cobra.Command) {
	root.AddCommand(newVersion())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE = nil, help
		case "completion":
			for _, shell := range c.Commands() {
				shell.Args = WantNothing
				switch shell.Name() {
				case "bash":
					quoteInBash(shell)
					addAfterRun(shell)
				case "zsh":
					quoteInZsh(shell)
				}
			}
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

// help runs the command help.
func help(cmd *cobra.Command, args []string) error {
	about, rest, err := cmd.Root().Find(args)
	switch {
	case err == nil && len(rest) == 0:
	case about.HasAvailableSubCommands():
		return UnknownCommand(about, rest[0])
	default:
		return WantNothing(about, rest)
	}
	about.InitDefaultHelpFlag() // so that it is listed
	return about.Help()
}

// flagError returns what to say about a flag that is unknown, or has no value, or one that
// it does not take.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return unknownFlag(cmd, dashes, unknown.GetSpecifiedName())
	}
	if without, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s has no value, want %s", without.GetFlag().Name, wanted(cmd, without.GetFlag()))
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		want := wanted(cmd, bad.GetFlag())
		switch bad.GetFlag().Value.Type() {
		case "int", "int64", "float64": // whose text has no range
			if errors.Is(bad, strconv.ErrRange) {
				want += " that is nearer to 0"
			}
		}
		return fmt.Errorf("--%s is %q, want %s", bad.GetFlag().Name, bad.GetValue(), want)
	}
	return err
}

// wanted says what a flag of a command takes.
func wanted(cmd *cobra.Command, flag *pflag.Flag) string {
	if w, ok := flag.Value.(interface{ Want() string }); ok {
		return w.Want()
	}
	if want, ok := map[string]string{
		"bool":         "true or false",
		"int":          "a whole number",
		"int64":        "a whole number",
		"uint64":       "a whole number in [0, 2^64)",
		"float64":      "a number",
		"float64Slice": "numbers such as 0.5,0.99",
		"duration":     "a duration such as 90s or 1m30s",
	}[flag.Value.Type()]; ok {
		return want
	}
	name, _ := pflag.UnquoteUsage(flag)
	switch name {
	case "delay":
		return "a duration such as 90s or 1m30s, or an expression such as 'full-jitter(100ms, 10s)'"
	case "EXPR":
		return "an expression such as 'full-jitter(100ms, 10s)'"
	case "file":
		return "a file's name"
	}
	// Texts that the shell is offered are all that there are.
	if complete, ok := cmd.GetFlagCompletionFunc(flag.Name); ok {
		all, _ := complete(cmd, nil, "")
		return "one of " + strings.Join(all, ", ")
	}
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
