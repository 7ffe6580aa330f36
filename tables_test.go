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

// functions returns the names of the generators or of the combinators that have
// samples, in the order of the samples.
func functions(combinators bool) []string {
	var names []string
	for _, s := range samples.All() {
		if s.IsStage() == combinators && !slices.Contains(names, s.Name()) {
			names = append(names, s.Name())
		}
	}
	return names
}

// takingFunctions are the rows of the functions that package expr does not have,
// because text cannot express their arguments.
var takingFunctions = map[string]string{
	"Func": "| `Func(delay)` | delay(n) |",
	"Map":  "| `Map(s, f)` | f(d) |",
}

// row returns a function's row in the tables: the call and the formula. It is empty for
// a function that joins schedules, whose row is written by hand.
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

// TestTables verifies that the tables of functions in the README and in the page of the
// contract agree with package expr. Laws, in the third column, are written by hand.
func TestTables(t *testing.T) {
	const readme, contract = "README.md", "docs/contract.md"
	pages := map[string]string{}
	for _, page := range []string{readme, contract} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		pages[page] = string(text)
	}
	for _, table := range []struct {
		page, head        string
		combinators, laws bool
	}{
		{readme, "| function | delay n, counting from 0 |\n|---|---|\n", false, false},
		{readme, "| function | gives |\n|---|---|\n", true, false},
		{contract, "| function | gives | laws |\n|---|---|---|\n", true, true},
	} {
		before, rest, ok := strings.Cut(pages[table.page], table.head)
		if !ok {
			t.Fatalf("%s has no table with the head\n%s", table.page, table.head)
		}
		old, after, _ := strings.Cut(rest, "\n\n")
		rows := strings.Split(old, "\n")
		var wanted []string
		for _, name := range functions(table.combinators) {
			i := slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, "`"+name+"(") })
			r := row(t, name)
			switch {
			case r == "" && i < 0:
				t.Errorf("%s has no row for %s, which joins schedules: write it by hand", table.page, name)
				continue
			case r == "":
				r = rows[i]
			case table.laws && i < 0:
				r += " |"
			case table.laws:
				_, law, _ := strings.Cut(strings.TrimPrefix(rows[i], "| "), " | ")
				_, law, _ = strings.Cut(law, " | ")
				r += " " + law
			}
			if !slices.Contains(wanted, r) { // Max and Min share a row
				wanted = append(wanted, r)
			}
		}
		pages[table.page] = before + table.head + strings.Join(wanted, "\n") + "\n\n" + after
	}
	for page, text := range pages {
		golden(t, "tables of functions", page, text)
	}
}
