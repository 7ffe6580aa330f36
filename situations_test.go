package backoff_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/expr"
)

// A situation is a row of the README's table, or a section of the page that explains it.
type situation struct{ Name, Expression string }

// situations returns what pattern matches between the marks of a page: a name and an
// expression.
func situations(t *testing.T, page, pattern string) []situation {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "<!-- situations: checked -->\n")
	marked, _, ok := strings.Cut(rest, "<!-- end -->\n")
	if !ok {
		t.Fatalf("%s has no situations between marks", page)
	}
	var all []situation
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(marked, -1) {
		all = append(all, situation{strings.ToLower(m[1]), strings.ReplaceAll(m[2], `\|`, "|")})
	}
	return all
}

// TestSituations holds that the README and docs/choosing.md advise the same in each
// situation, by an expression that parses and the Go that makes it.
func TestSituations(t *testing.T) {
	rows := situations(t, "README.md", "(?m)^\\| ([^|`]+) \\| `([^`]+)` \\|")
	sections := situations(t, "docs/choosing.md", "(?m)^### (.+)\n\n`([^`]+)`\n")
	if d := cmp.Diff(rows, sections); d != "" {
		t.Errorf("README.md, then docs/choosing.md (-want +got):\n%s", d)
	}
	if len(rows) < 10 {
		t.Errorf("%d situations, want 10", len(rows))
	}
	page, err := os.ReadFile("docs/choosing.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		e, err := expr.Parse(s.Expression)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		_, section, _ := strings.Cut(string(page), "`"+s.Expression+"`\n")
		section, _, _ = strings.Cut(section, "\n### ")
		if !strings.Contains(section, e.Go()) {
			t.Errorf("docs/choosing.md, %s: the Go of %s is %s, which is not in its section", s.Name, s.Expression, e.Go())
		}
	}
}
