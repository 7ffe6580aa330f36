package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version describes a binary in one line:
//
//	backoff v0.1.0 (go1.26.0)
//	backoff v0.1.1-0.20261122092756-05cff1393ab2+dirty (revision 05cff1393ab2…, go1.26.0)
//	backoff (devel) (go1.26.0)
//
// The first is from go install of a version, the second from go install or go run in a
// clone, where +dirty means that files were changed, and the third from the same with
// -buildvcs=false or without git.
func version(info *debug.BuildInfo) string {
	about := info.GoVersion
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			about = "revision " + s.Value + ", " + about
		}
	}
	return fmt.Sprintf("backoff %s (%s)", cmp.Or(info.Main.Version, "(devel)"), about)
}

// writeVersion writes the version of this binary.
func writeVersion(cmd *cobra.Command) error {
	info, ok := debug.ReadBuildInfo()
	if !ok { // built without modules
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), version(info))
	return err
}

// newVersion returns the command that does the same as --version.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Args:              WantNothing,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return writeVersion(cmd) },
	}
}
