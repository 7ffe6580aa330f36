// Package present has the flags of how a result is written: --format and --log, and
// --picture, --png and --svg.
package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/figure"
)

// A Flags holds the values of these flags.
type Flags struct {
	Scale  figure.Scale
	Format string
	Pictures

	More []string // the formats of a command in addition to those of all
}

func (o *Flags) formats() []string { return append([]string{"table", "csv", "json"}, o.More...) }

// AddFlags adds all flags to a command.
func (o *Flags) AddFlags(cmd *cobra.Command) {
	o.AddScale(cmd)
	formats := o.formats()
	last := len(formats) - 1
	list := strings.Join(formats[:last], ", ") + " or " + formats[last]
	cmd.Flags().StringVar(&o.Format, "format", "table", "write as `format`: "+list)
	complete := cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic(err) // there is no such flag, or it has a completion already
	}
	o.Pictures.AddFlags(cmd)
}

// AddScale adds --log to a command.
func (o *Flags) AddScale(cmd *cobra.Command) {
	cmd.Flags().Var(&o.Scale, "log", "draw on a logarithmic axis, or with --log=false on a linear one (default: whichever shows all curves)")
	cmd.Flags().Lookup("log").NoOptDefVal = "true"
}

// CheckFormat checks the format, and that two pictures have two files.
func (o *Flags) CheckFormat(command string) error {
	if formats := o.formats(); !slices.Contains(formats, o.Format) {
		return fmt.Errorf("%s: --format is %q, want one of %s", command, o.Format, strings.Join(formats, ", "))
	}
	return o.checkNames(command)
}

// Check checks the flags of a command that runs for a while.
func (o *Flags) Check(command string) error {
	if err := o.CheckFormat(command); err != nil {
		return err
	}
	return o.CheckFiles(command)
}
