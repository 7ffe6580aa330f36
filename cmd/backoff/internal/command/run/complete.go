package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// complete offers the commands of PATH for the first word, and leaves the arguments of a
// command, and a word with a slash, to the shell, which offers files.
func complete(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || prefix == "" || strings.ContainsAny(prefix, "/~$") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []cobra.Completion
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		files, _ := os.ReadDir(dir) // PATH often has folders that do not exist
		for _, file := range files {
			if !strings.HasPrefix(file.Name(), prefix) {
				continue
			}
			if info, err := os.Stat(filepath.Join(dir, file.Name())); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				names = append(names, file.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveDefault
}
