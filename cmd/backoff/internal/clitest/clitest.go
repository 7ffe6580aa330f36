// Package clitest runs commands in tests as main does, and compares their output.
package clitest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/expr"
)

var update = flag.Bool("update", false, "write the golden files")

// Runs runs backoff with one command, which new makes, in this process.
func Runs(t *testing.T, new func() *cobra.Command, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Execute(t.Context(), cli.NewRoot(new()), args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

// Under returns a function that makes a command below another one, such as "backoff sim
// overload".
func Under(name string, new func() *cobra.Command) func() *cobra.Command {
	return func() *cobra.Command {
		parent := &cobra.Command{Use: name}
		parent.AddCommand(new())
		return parent
	}
}

// Succeeds runs a command that must not fail or write to standard error.
func Succeeds(t *testing.T, new func() *cobra.Command, args ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := Runs(t, new, args...)
	if status != 0 || stderr != "" {
		t.Fatalf("%q: status %d, standard error %q", args, status, stderr)
	}
	return stdout
}

// Refuses runs a command on bad input. It checks for status 2, nothing on standard output,
// and one line on standard error, which is want.
func Refuses(t *testing.T, new func() *cobra.Command, want string, args ...string) {
	t.Helper()
	status, stdout, stderr := Runs(t, new, args...)
	if status != 2 || stdout != "" {
		t.Errorf("%q: status %d, want 2; standard output %q, want nothing", args, status, stdout)
	}
	if diff := cmp.Diff("backoff: "+want+"\n", stderr); diff != "" {
		t.Errorf("%q: standard error (-want +got):\n%s", args, diff)
	}
}

// BadInput is a command line and its error message.
type BadInput struct {
	Args []string
	Want string
}

// RefusesAll calls Refuses for each input.
func RefusesAll(t *testing.T, new func() *cobra.Command, inputs []BadInput) {
	t.Helper()
	for _, input := range inputs {
		Refuses(t, new, input.Want, input.Args...)
	}
}

// processors matches the default of --workers in help texts, which depends on the machine.
var processors = regexp.MustCompile(`run at a time \(default \d+\)`)

// Goldens runs a command with each of these arguments, and compares its output with the
// golden file of that name.
func Goldens(t *testing.T, new func() *cobra.Command, all map[string][]string) {
	t.Helper()
	for name, args := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Golden(t, name, processors.ReplaceAllString(Succeeds(t, new, args...), "run at a time (default N)"))
		})
	}
}

// Golden compares got with testdata/name.golden. The flag -update writes the file.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// Drawn returns the picture that a command makes, as png or svg.
func Drawn(t *testing.T, new func() *cobra.Command, format string, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "drawn."+format)
	Succeeds(t, new, slices.Concat(args, []string{"--" + format, file})...)
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// Parse returns a text as an expression.
func Parse(t *testing.T, text string) *expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// FullDisk checks that write returns the error of a full disk, early and late in its
// output.
func FullDisk(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	full := errors.New("no space left")
	for _, left := range []int{0, 20} {
		if err := write(&cutOff{left, full}); !errors.Is(err, full) {
			t.Errorf("%s with room for %d bytes: the error is %v, want %v", name, left, err, full)
		}
	}
}

// A cutOff is a writer with room for left bytes.
type cutOff struct {
	left int
	err  error
}

func (c *cutOff) Write(b []byte) (int, error) {
	if len(b) > c.left {
		return c.left, c.err
	}
	c.left -= len(b)
	return len(b), nil
}

// With returns args and more.
func With(args []string, more ...string) []string {
	return append(args[:len(args):len(args)], more...)
}

// Lines parses CSV, checks its head, and returns the other lines.
func Lines(t *testing.T, text string, head string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(all[0], ","); got != head {
		t.Errorf("the columns are %s, want %s", got, head)
	}
	return all[1:]
}

// Float returns a text as a number.
func Float(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Error(err)
	}
	return x
}

// FieldsHaveFlags checks that every field of a configuration has a flag to name in an
// error, except those that no flag can set wrongly. For a field that is an interface it
// checks the fields of each type that kinds has for it.
func FieldsHaveFlags(t *testing.T, config any, flags map[string]string, cmd *cobra.Command, but string, kinds map[string][]reflect.Type) {
	t.Helper()
	var names func(prefix string, fields reflect.Type) []string
	names = func(prefix string, fields reflect.Type) []string {
		var all []string
		for i := range fields.NumField() {
			f := fields.Field(i)
			inner := []reflect.Type{f.Type}
			if of, ok := kinds[f.Name]; ok {
				inner = of
			}
			for _, t := range inner {
				if t.Kind() == reflect.Struct {
					all = append(all, names(f.Name+".", t)...)
				} else {
					all = append(all, prefix+f.Name)
				}
			}
		}
		return all
	}
	for _, name := range names("", reflect.TypeOf(config)) {
		if strings.Contains(" "+but+" ", " "+name+" ") {
			continue
		}
		flag, ok := strings.CutPrefix(flags[name], "--")
		if !ok || cmd.Flag(flag) == nil {
			t.Errorf("%s of %T has the flag %q", name, config, flag)
		}
	}
}
