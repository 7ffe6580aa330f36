package backoff_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// packages are what a snippet of a page may import, by the name that it uses.
var packages = map[string]string{
	"adapt":       "example.com/backoff/adapt",
	"backoff":     "example.com/backoff",
	"backofftest": "example.com/backoff/backofftest",
	"expr":        "example.com/backoff/expr",
	"plan":        "example.com/backoff/plan",
	"retry":       "example.com/backoff/retry",
	"retryhttp":   "example.com/backoff/retry/retryhttp",
	"retrysql":    "example.com/backoff/retry/retrysql",
	"contention":  "example.com/backoff/sim/contention",
	"overload":    "example.com/backoff/sim/overload",
	"context":     "context",
	"errors":      "errors",
	"flag":        "flag",
	"fmt":         "fmt",
	"http":        "net/http",
	"io":          "io",
	"iter":        "iter",
	"json":        "encoding/json",
	"log":         "log",
	"net":         "net",
	"os":          "os",
	"slog":        "log/slog",
	"sql":         "database/sql",
	"strings":     "strings",
	"sync":        "sync",
	"synctest":    "testing/synctest",
	"testing":     "testing",
	"time":        "time",
}

// surroundings declare what the snippets take for granted.
const surroundings = `
var (
	ctx    context.Context
	err    error
	db     *sql.DB
	delays iter.Seq[time.Duration]
	call   func() error
	send   func(context.Context) error
)
`

// A snippet is a block of Go in a page. The comment in the line before it, if there is
// one, says why it is not compiled here, or which folder compiles it:
//
//	<!-- not compiled: pseudocode -->
//	<!-- compiled in interop/cookbook -->
type snippet struct {
	page, comment, text string
}

// snippets returns those of all pages.
func snippets(t *testing.T) []snippet {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []snippet
	for _, page := range append(pages, more...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		block := regexp.MustCompile("(?s)(?:<!-- ([^\n]*) -->\n+)?```go\n(.*?)```")
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			all = append(all, snippet{page, m[1], m[2]})
		}
	}
	return all
}

// TestDocuments compiles every Go snippet of the pages: a file as it stands,
// declarations with their imports, statements inside a function.
func TestDocuments(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("js/wasm cannot start a compiler")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	compiled := map[string]int{}
	for i, s := range snippets(t) {
		if elsewhere, ok := strings.CutPrefix(s.comment, "compiled in "); ok {
			if _, err := os.Stat(elsewhere); err != nil {
				t.Errorf("%s: a snippet is compiled in %s: %v", s.page, elsewhere, err)
			}
			continue
		}
		if strings.HasPrefix(s.comment, "not compiled: ") {
			continue
		}
		compiled[s.page]++
		file := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(file, program(s), 0o666); err != nil {
			t.Fatal(err)
		}
		// A folder of its own, whose name says in an error which page it is.
		folder := fmt.Sprintf("%s-%d", strings.TrimSuffix(filepath.Base(s.page), ".md"), i)
		overlay["Replace"][filepath.Join(root, "pages", folder, "snippet.go")] = file
	}
	if compiled["README.md"] == 0 || len(compiled) < 2 {
		t.Fatalf("snippets by page: %v, want some of README.md and of docs/", compiled)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", file, "./pages/...").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// used returns statements that use the variables which a snippet's statements declare at
// their outermost level: a page shows how to make a value, and not what becomes of it.
func used(statements string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+statements+"}\n", 0)
	if err != nil {
		return "" // the compiler says why
	}
	var b strings.Builder
	for _, statement := range f.Decls[0].(*ast.FuncDecl).Body.List {
		assignment, ok := statement.(*ast.AssignStmt)
		if !ok || assignment.Tok != token.DEFINE {
			continue
		}
		for _, left := range assignment.Lhs {
			if name := left.(*ast.Ident).Name; name != "_" {
				fmt.Fprintf(&b, "_ = %s\n", name)
			}
		}
	}
	return b.String()
}

// program makes a file of a snippet.
func program(s snippet) []byte {
	if strings.HasPrefix(s.text, "package ") {
		return []byte(s.text)
	}
	var b bytes.Buffer
	b.WriteString("package snippet\n\n")
	body := surroundings + s.text
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+s.text, 0); err != nil {
		body = surroundings + "func _() {\n" + s.text + used(s.text) + "}\n"
	}
	for name, path := range packages {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(body) {
			fmt.Fprintf(&b, "import %s %q\n", name, path)
		}
	}
	b.WriteString(body)
	return b.Bytes()
}
