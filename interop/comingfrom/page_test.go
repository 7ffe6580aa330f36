package comingfrom

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/expr"
)

// read returns a page of docs.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section returns a part of coming-from.md, from its heading to the next one.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(read(t, "coming-from.md"), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("the page has no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// A row of a table, cell by cell, without the escapes.
type row []string

var pipe = regexp.MustCompile(`([^\\])\|`)

// tables returns the tables of a text. The first row of each is its heading.
func tables(text string) [][]row {
	var all [][]row
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		if !inside {
			all = append(all, nil)
		}
		inside = true
		var cells row
		for _, cell := range strings.Split(pipe.ReplaceAllString(strings.Trim(line, "|"), "$1\x00"), "\x00") {
			cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), `\|`, "|"))
		}
		if !strings.HasPrefix(cells[0], "---") {
			all[len(all)-1] = append(all[len(all)-1], cells)
		}
	}
	return all
}

var span = regexp.MustCompile("`([^`]+)`")

// spans returns the code in a text.
func spans(text string) []string {
	var all []string
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// parse returns the files of a package, without its tests, by their names.
func parse(t *testing.T, path string) map[string]*ast.File {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, path).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", path, err)
	}
	files := map[string]*ast.File{}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = file
	}
	return files
}

// TestBlocks: the page's Go is this package's, and all of it.
func TestBlocks(t *testing.T) {
	want := map[string]string{} // text of a body: the function
	for name, file := range parse(t, ".") {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			statements := f.Body.List[:len(f.Body.List)-1]
			body := string(source[statements[0].Pos()-file.FileStart : statements[len(statements)-1].End()-file.FileStart])
			want[strings.ReplaceAll(body, "\n\t", "\n")+"\n"] = f.Name.Name
		}
	}
	left := maps.Clone(want)
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, "coming-from.md"), -1) {
		if _, ok := want[m[1]]; !ok {
			t.Errorf("this block is no function's body:\n%s", m[1])
		}
		delete(left, m[1])
	}
	for body, name := range left {
		t.Errorf("the page has no block of %s:\n%s", name, body)
	}
}

// TestDefaults: the table of defaults has the expressions of defaults.md, and their Go.
func TestDefaults(t *testing.T) {
	defaults := read(t, "defaults.md")
	rows := tables(section(t, "The defaults"))[0][1:]
	if len(rows) < 10 {
		t.Fatalf("%d rows, want at least 10", len(rows))
	}
	for _, r := range rows {
		name, _, ok := strings.Cut(strings.TrimPrefix(r[0], "["), "](defaults.md#")
		if !ok {
			if r[1] != "it has none" {
				t.Errorf("%s has no link to defaults.md", r[0])
			}
			continue
		}
		_, text, ok := strings.Cut(defaults, "\n### "+name+"\n")
		if !ok {
			t.Errorf("defaults.md has no section %q", name)
			continue
		}
		_, text, _ = strings.Cut(text, "```\n")
		text, _, _ = strings.Cut(text, "\n```")
		if d := cmp.Diff("`"+text+"`", r[1]); d != "" {
			t.Errorf("%s (-defaults.md +coming-from.md):\n%s", name, d)
		}
		e, err := expr.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff("`"+e.Go()+"`", r[2]); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestLinks: the headings that the page links to exist, on it and on defaults.md.
func TestLinks(t *testing.T) {
	anchors := func(page string) map[string]bool {
		all := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(read(t, page), -1) {
			anchor := regexp.MustCompile(`[^-_ a-z0-9]`).ReplaceAllString(strings.ToLower(m[1]), "")
			all[strings.ReplaceAll(anchor, " ", "-")] = true
		}
		return all
	}
	links := regexp.MustCompile(`\]\((defaults\.md)?#([^)]*)\)`).FindAllStringSubmatch(read(t, "coming-from.md"), -1)
	if len(links) < 20 {
		t.Errorf("%d links, want at least 20", len(links))
	}
	for _, m := range links {
		page := m[1]
		if page == "" {
			page = "coming-from.md"
		}
		if !anchors(page)[m[2]] {
			t.Errorf("%s has no heading %q", page, m[2])
		}
	}
}

// TestExpressions parses every expression of the page, and every call of the root
// package.
func TestExpressions(t *testing.T) {
	var names []string
	for _, s := range expr.Stages() {
		names = append(names, s.Name)
	}
	stage := regexp.MustCompile(`^(\| )?(` + strings.Join(names, "|") + `)\(`)
	anyCall := regexp.MustCompile(`^(\| )?[a-z][-a-z]*\(`)
	inQuotes := regexp.MustCompile(`'([^']+)'`)
	parsed, calls := 0, 0
	for line := range strings.Lines(read(t, "coming-from.md")) {
		isExpr := stage
		if strings.HasPrefix(line, "| ") { // the first cell is theirs, and a call in the others is ours
			_, line, _ = strings.Cut(line, " | ")
			isExpr = anyCall
		}
		line = strings.ReplaceAll(line, `\|`, "|")
		texts := spans(line)
		if strings.HasPrefix(line, "backoff ") || strings.Contains(line, "`--delay '") {
			for _, m := range inQuotes.FindAllStringSubmatch(line, -1) {
				texts = append(texts, m[1])
			}
		}
		for _, text := range texts {
			switch {
			case isExpr.MatchString(text):
				if strings.HasPrefix(text, "|") || strings.HasPrefix(text, "take(") {
					text = "constant(1s) | " + strings.TrimPrefix(text, "| ")
				}
				parsed++
				if e, err := expr.Parse(text); err != nil {
					t.Errorf("%q: %v", text, err)
				} else if e.String() != text {
					t.Errorf("%q is written %q", text, e)
				}
			case strings.HasPrefix(text, "backoff.") && strings.Contains(text, "("):
				calls++
				if _, err := parser.ParseExpr(text); err != nil {
					t.Errorf("%q: %v", text, err)
				} else if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
					t.Errorf("%q: gofmt writes %q (%v)", text, pretty, err)
				}
			}
		}
	}
	if parsed < 60 || calls < 40 {
		t.Errorf("%d expressions and %d calls, want at least 60 and 40", parsed, calls)
	}
}

// TestNames: our packages export the names that the page has of them.
func TestNames(t *testing.T) {
	text := read(t, "coming-from.md")
	// The blocks of theirs have packages of the same names.
	text = regexp.MustCompile("(?s)<!-- compiled in interop/comingfrom -->\n```go\n.*?```").ReplaceAllString(text, "")
	for name, path := range map[string]string{
		"backoff":   "example.com/backoff",
		"retry":     "example.com/backoff/retry",
		"retryhttp": "example.com/backoff/retry/retryhttp",
	} {
		have := exported(t, path)
		used := regexp.MustCompile(`\b`+name+`\.([A-Z]\w*)`).FindAllStringSubmatch(text, -1)
		if len(used) == 0 {
			t.Errorf("the page has no name of package %s", name)
		}
		for _, m := range used {
			if !slices.Contains(have, m[1]) {
				t.Errorf("package %s does not export %s", name, m[1])
			}
		}
	}
}

// exported returns what a Go package exports: names of functions, types, constants and
// variables, of the fields of structs, and of the methods of interfaces.
func exported(t *testing.T, path string) []string {
	t.Helper()
	names := map[string]bool{}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names[id.Name] = true
			}
		}
	}
	members := func(list *ast.FieldList) {
		for _, f := range list.List {
			add(f.Names...)
		}
	}
	for _, file := range parse(t, path) {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(d.Name)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						add(s.Names...)
					case *ast.TypeSpec:
						add(s.Name)
						switch u := s.Type.(type) {
						case *ast.StructType:
							members(u.Fields)
						case *ast.InterfaceType:
							members(u.Methods)
						}
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// TestOptions: the tables of the Go libraries name what the libraries export, and all
// that has to do with retrying.
func TestOptions(t *testing.T) {
	for _, test := range []struct {
		section  string
		table    int
		packages []string
		omitted  []string // exported and not in the table, as patterns
	}{
		{"cenkalti/backoff", 0, []string{"github.com/cenkalti/backoff/v5"}, []string{
			"RetryOption", "Error|Unwrap|Start", "C|Interval|Duration|Err", // the type of the options; methods; fields
			"MaxElapsedTime|MaxTries|Timer", // of an unexported struct
		}},
		{"cenkalti/backoff", 1, []string{"github.com/cenkalti/backoff/v4"}, []string{
			"Retry|Operation|Notify|Permanent|PermanentError|.*ExponentialBackOff|InitialInterval|Multiplier|MaxInterval|RandomizationFactor|Default.*|.*ConstantBackOff|ZeroBackOff|StopBackOff|Stop|NextBackOff|Reset|BackOff|NewTicker|Ticker", // as in v5
			"NewTickerWithTimer|Start|Now|Context", "ExponentialBackOffOpts", "Error|Unwrap|Is|C|Interval|Err",
		}},
		{"avast/retry-go", 0, []string{"github.com/avast/retry-go/v4", "github.com/avast/retry-go/v5"}, []string{
			"Option|Config|OnRetryFunc|RetryIfFunc|RetryableFunc|RetryableFuncWithData", // types of arguments
			"MaxBackOffN|After|AllowRetry|OnSuccess", "As|Is|Unwrap",
			"FixedTokenBucketThrottleManager|MaxCapacity|ThrottleCost|SuccessReleaseCost|FirstSuccessReleaseCost",
		}},
		{"sethvargo/go-retry", 0, []string{"github.com/sethvargo/go-retry"}, []string{"Error|Unwrap"}},
		{"failsafe-go", 0, []string{"github.com/failsafe-go/failsafe-go/retrypolicy"}, []string{
			"Error|Is|Unwrap|LastError|LastResult|ToExecutor", "Apply",
		}},
		{"hashicorp/go-retryablehttp", 0, []string{"github.com/hashicorp/go-retryablehttp"}, []string{
			"RoundTrip|Len|Printf|Debug|Error|Info|Warn",
		}},
		{"Kubernetes", 0, []string{"k8s.io/apimachinery/pkg/util/wait", "k8s.io/client-go/util/retry", "k8s.io/client-go/util/workqueue"}, []string{
			".*", // these packages have much beside retrying
		}},
	} {
		table := tables(section(t, test.section))[test.table]
		have := map[string]bool{}
		for _, path := range test.packages {
			for _, name := range exported(t, path) {
				have[name] = true
			}
		}
		// A method of an embedded interface comes from another package.
		if test.section == "failsafe-go" {
			for _, name := range exported(t, "github.com/failsafe-go/failsafe-go") {
				if strings.HasPrefix(name, "Handle") || slices.Contains([]string{"OnSuccess", "OnFailure", "WithDelay", "WithDelayFunc"}, name) {
					have[name] = true
				}
			}
		}
		named := map[string]bool{}
		for _, r := range table[1:] {
			for _, name := range spans(r[0]) {
				named[name] = true
				if !have[name] {
					t.Errorf("%s: %q does not export %s", test.section, test.packages, name)
				}
			}
		}
		omitted := regexp.MustCompile("^(" + strings.Join(test.omitted, "|") + ")$")
		for _, name := range slices.Sorted(maps.Keys(have)) {
			if !named[name] && !omitted.MatchString(name) {
				t.Errorf("%s: the table has no %s", test.section, name)
			}
		}
	}
}

// TestFlags: backoff run has the flags that the page names.
func TestFlags(t *testing.T) {
	help := exec.Command("go", "run", ".", "run", "--help")
	help.Dir = "../../cmd/backoff"
	out, err := help.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	flag := regexp.MustCompile(`(?:^|[ '])(--?[a-z][-a-z]*)`)
	n := 0
	for _, table := range tables(section(t, "Shell commands")) {
		for _, r := range table[1:] {
			for _, text := range spans(r[1]) {
				for _, m := range flag.FindAllStringSubmatch(text, -1) {
					n++
					if !regexp.MustCompile(`(?m)^ +.*` + m[1] + `\b`).Match(out) {
						t.Errorf("%q: backoff run has no flag %s", text, m[1])
					}
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d flags found, want at least 10", n)
	}
}
