package show

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/expr"
)

// The program compiles with the imports that it needs, and gofmt does not change it. Each of
// its functions returns the schedule of the expression in its comment.
func TestProgram(t *testing.T) {
	const seed, delays = "backoff.WithSeed(7)", 20
	every := []string{
		"list()",
		"constant(1s) | then(uniform(0, 9s)) | min(list(1s) | spread(1) | then(full-jitter(1s, 9s))) | jitter(1) | cap(none)",
	}
	for _, s := range expr.Stages() {
		every = append(every, s.Example)
	}
	for name, texts := range map[string][]string{
		"one":         {"full-jitter(100ms, 10s) | take(8)"},
		"list":        {"list(1s)"},
		"every stage": every,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var exprs []*expr.Expr
			var want, print strings.Builder
			for i, text := range texts {
				e := clitest.Parse(t, text)
				exprs = append(exprs, e)
				function := "delays"
				if len(texts) > 1 {
					function = fmt.Sprintf("delays%d", i+1)
				}
				fmt.Fprintf(&print, "\tfmt.Println(slices.Collect(backoff.Take(%s(), %d)))\n", function, delays)
				fmt.Fprintln(&want, slices.Collect(backoff.Take(e.Schedule(backoff.WithSeed(7)), delays)))
			}
			var program bytes.Buffer
			if err := writeProgram(&program, exprs, seed); err != nil {
				t.Fatal(err)
			}
			formatted, err := format.Source(program.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(formatted), program.String()); diff != "" {
				t.Errorf("gofmt changes the program (-want +got):\n%s", diff)
			}
			dir := t.TempDir()
			files := []string{filepath.Join(dir, "main.go"), filepath.Join(dir, "print.go")}
			for i, text := range []string{
				program.String(),
				"package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"slices\"\n\n\t\"example.com/backoff\"\n)\n\n" +
					"func init() {\n" + print.String() + "\tos.Exit(0)\n}\n",
			} {
				if err := os.WriteFile(files[i], []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.Command("go", append([]string{"run"}, files...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, program.String())
			}
			if diff := cmp.Diff(strings.Split(want.String(), "\n"), strings.Split(string(out), "\n")); diff != "" {
				t.Errorf("delays (-want +got):\n%s", diff)
			}
		})
	}
}
