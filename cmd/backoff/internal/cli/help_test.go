package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/screen"
)

// Paragraphs become lines, to be broken elsewhere; examples and tables keep their lines.
func TestJoin(t *testing.T) {
	const text = "One sentence\nof two lines.\n\n    key    value\n           more\n\nThe end\n"
	const want = "One sentence of two lines.\n\n    key    value\n           more\n\nThe end"
	if diff := cmp.Diff(want, join(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The descriptions of flags are beside them, and nothing is lost.
func TestHelpText(t *testing.T) {
	cmd := &cobra.Command{Use: "wait", Long: "Wait for a while\nand no longer.", Run: func(*cobra.Command, []string) {}}
	cmd.Flags().String("delay", "", "how long to wait before the first attempt, and before no other one")
	root := &cobra.Command{Use: "backoff"}
	root.AddCommand(cmd)
	narrow, wide := helpText(cmd, 40), helpText(cmd, 160)
	if diff := cmp.Diff(strings.Fields(wide), strings.Fields(narrow)); diff != "" {
		t.Errorf("another width has other words (-160 +40):\n%s", diff)
	}
	for line := range strings.Lines(narrow) {
		if strings.Contains(line, "before the") && screen.Columns(line) > 41 {
			t.Errorf("%q is too long", line)
		}
	}
	if !strings.HasPrefix(narrow, "Wait for a while and no longer.\n\nUsage:") || !strings.HasPrefix(wide, "Wait for a while\nand no longer.\n\nUsage:") {
		t.Errorf("the help begins\n%s\nand\n%s", narrow, wide)
	}
}
