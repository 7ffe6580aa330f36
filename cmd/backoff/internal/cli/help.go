package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/backoff/cmd/backoff/internal/screen"
)

// narrow is the width below which a help text is not as it was written.
const narrow = 80

// foldHelp makes the help of a root command and of those below it as wide as the terminal.
// A pipe and a file get it as it was written. Cobra reports no error of help, so foldHelp
// returns where to find it afterwards.
func foldHelp(root *cobra.Command) *error {
	err := new(error)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { *err = Written(cmd, writeHelp(cmd, cmd.OutOrStdout())) })
	return err
}

func writeHelp(cmd *cobra.Command, w io.Writer) error {
	out := screen.NewWriter(w)
	if out.Wraps {
		fmt.Fprint(out, helpText(cmd, out.Width))
	} else {
		fmt.Fprint(out.Whole(), helpText(cmd, asWritten))
	}
	return out.Flush()
}

// asWritten is the width of a help text that keeps its lines.
const asWritten = 0

// durations says how to write the values of flags.
const durations = "\nA duration is written 90s or 1m30s; a number without a unit is in seconds.\n"

// flagUsages are the places in cobra's template that list flags, each on one line.
var flagUsages = regexp.MustCompile(`Flags\.FlagUsages\b`)

// helpText returns the help of a command with lists of flags of this width, and with
// paragraphs of this width if it is narrow. If a flag is a duration, the end says how to
// write one.
func helpText(cmd *cobra.Command, width int) string {
	template := cmd.UsageTemplate()
	defer cmd.SetUsageTemplate(template)
	cmd.SetUsageTemplate(flagUsages.ReplaceAllString(template, fmt.Sprintf("Flags.FlagUsagesWrapped %d", width)))
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	if width != asWritten && width < narrow {
		long = join(long)
	}
	text := strings.TrimSpace(long) + "\n\n" + cmd.UsageString()
	if hasDuration(cmd.Flags()) {
		text += durations
	}
	return text
}

// hasDuration reports whether help names the value of a flag a duration.
func hasDuration(flags *pflag.FlagSet) (has bool) {
	flags.VisitAll(func(f *pflag.Flag) {
		kind, _ := pflag.UnquoteUsage(f)
		has = has || kind == "duration" && !f.Hidden
	})
	return has
}

// join makes one line of each paragraph. Indented lines stay as they are.
func join(text string) string {
	var b strings.Builder
	inside := false // a paragraph
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		plain := line != "" && line[0] != ' '
		switch {
		case inside && plain:
			b.WriteString(" ")
		case b.Len() > 0:
			b.WriteString("\n")
		}
		b.WriteString(line)
		inside = plain
	}
	return b.String()
}
