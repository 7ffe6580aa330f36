//go:build unix && !aix && !solaris

package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

// inPath makes a folder the only one of PATH, with these files to execute and one that is
// not.
func inPath(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "zz-text"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "zz-folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+filepath.Join(dir, "nowhere")+":"+dir)
	return dir
}

// The word after run is a command of PATH. The shell offers files for others, which is 0.
func TestComplete(t *testing.T) {
	inPath(t, "zz-two", "zz-one", "y")
	for args, want := range map[string]string{
		"run zz":        "zz-one\nzz-two\n:0\n",
		"run -- zz":     "zz-one\nzz-two\n:0\n",
		"run -n 5 zz-t": "zz-two\n:0\n",
		"run ./zz":      ":0\n",
		"run ":          ":0\n",
		"run -- y zz":   ":0\n",
		"run y zz":      ":0\n",
		"run -- nope":   ":0\n",
	} {
		status, stdout, _ := clitest.Runs(t, New, append([]string{"__complete"}, strings.Split(args, " ")...)...)
		if diff := cmp.Diff(want, stdout); status != 0 || diff != "" {
			t.Errorf("%q: status %d (-want +got):\n%s", args, status, diff)
		}
	}
}

// In bash the words after "run --" are completed by what completes them on a line of their
// own. The functions of the package bash-completion are replaced here: one prints from
// which word on a line is another command.
func TestCompleteInBash(t *testing.T) {
	const script = `
source <(backoff completion bash)
[[ $(complete -p backoff) =~ -F\ ([^ ]*) ]] || exit
complete_line() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	compopt() { :; }
	"${BASH_REMATCH[1]}" backoff "${@: -1}" "${@: -2:1}"
	echo "$*: ${COMPREPLY[*]}"
}
_init_completion() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[-1]} prev=${COMP_WORDS[-2]}; }
lines() {
	complete_line backoff run -n 5 -- git ch
	complete_line backoff run -- zz
	complete_line backoff run -- git -- ch
	complete_line backoff run zz-t
	complete_line backoff run --rep
	complete_line backoff help ru
	complete_line backoff help -- ru
}
echo "without:"; lines
_command_offset() { COMPREPLY=("from $1"); }
echo "old:"; lines
_comp_command_offset() { COMPREPLY=("new from $1"); }
echo "new:"; complete_line backoff run -- git ch
`
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tools := os.Getenv("PATH")
	dir := inPath(t, "zz-two", "zz-one")
	if err := os.Symlink(self, filepath.Join(dir, "backoff")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c", script)
	cmd.Env = append(os.Environ(), asCommand+"=1", "PATH="+dir+":"+tools)
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := `without:
backoff run -n 5 -- git ch: 
backoff run -- zz: zz-one zz-two
backoff run -- git -- ch: 
backoff run zz-t: zz-two
backoff run --rep: --report
backoff help ru: run
backoff help -- ru: run
old:
backoff run -n 5 -- git ch: from 5
backoff run -- zz: from 3
backoff run -- git -- ch: from 3
backoff run zz-t: zz-two
backoff run --rep: --report
backoff help ru: run
backoff help -- ru: run
new:
backoff run -- git ch: new from 3
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
