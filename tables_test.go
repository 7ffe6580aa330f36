package backoff_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/backoff/expr"
	"example.com/backoff/internal/samples"
)

// functions returns the names of the functions that have samples, generators or
// combinators, in the order of the samples.
func functions(combinators bool) []string {
	var names []string
	for _, s := range samples.All() {
		if s.IsStage() == combinators && !slices.Contains(names, s.Name()) {
			names = append(names, s.Name())
		}
	}
	return names
}

// takingFunctions are the rows of the functions that package expr does not have: no
// text can give their arguments.
var takingFunctions = map[string]string{
	"Func": "| `Func(delay)` | delay(n) |",
	"Map":  "| `Map(s, f)` | f(d) |",
}

// row returns what the README's tables say of a function: the call and the formula.
// It is empty for a function that joins schedules, whose row is written by hand.
func row(t *testing.T, name string) string {
	if row := takingFunctions[name]; row != "" {
		return row
	}
	for _, s := range expr.Stages() {
		if s.Func != name {
			continue
		}
		var params []string
		if !s.Starts {
			params = append(params, "s")
		}
		for _, p := range s.Params {
			if p.Want == "a schedule" {
				return ""
			}
			params = append(params, p.Name)
		}
		return fmt.Sprintf("| `%s(%s)` | %s |", name, strings.Join(params, ", "), s.Formula)
	}
	t.Errorf("package expr has no stage for %s: add it to expr/stage.go", name)
	return ""
}

// TestREADMETables holds that the tables of functions in the README say what package
// expr says. Their laws, in the third column, are written by hand.
func TestREADMETables(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(readme)
	for _, table := range []struct {
		head        string
		combinators bool
	}{
		{"| function | delay n, counting from 0 |\n|---|---|\n", false},
		{"| function | gives | laws |\n|---|---|---|\n", true},
	} {
		before, rest, ok := strings.Cut(text, table.head)
		if !ok {
			t.Fatalf("README.md has no table with the head\n%s", table.head)
		}
		old, after, _ := strings.Cut(rest, "\n\n")
		rows := strings.Split(old, "\n")
		var wanted []string
		for _, name := range functions(table.combinators) {
			i := slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, "`"+name+"(") })
			r := row(t, name)
			switch {
			case r == "" && i < 0:
				t.Errorf("README.md has no row for %s, which joins schedules: write it by hand", name)
				continue
			case r == "":
				r = rows[i]
			case table.combinators && i < 0:
				r += " |"
			case table.combinators:
				_, law, _ := strings.Cut(strings.TrimPrefix(rows[i], "| "), " | ")
				_, law, _ = strings.Cut(law, " | ")
				r += " " + law
			}
			if !slices.Contains(wanted, r) { // Max and Min share a row
				wanted = append(wanted, r)
			}
		}
		text = before + table.head + strings.Join(wanted, "\n") + "\n\n" + after
	}
	golden(t, "tables of functions", "README.md", text)
}
