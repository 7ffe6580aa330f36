package backoff_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// packages are what a snippet of the README may import, by the name that it uses.
var packages = map[string]string{
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
	"iter":        "iter",
	"sql":         "database/sql",
	"testing":     "testing",
	"time":        "time",
}

// surroundings declare what the README's snippets take for granted.
const surroundings = `
var (
	ctx  context.Context
	err  error
	db   *sql.DB
	call func() error
	send func(context.Context) error
)
`

// TestREADME compiles every Go snippet of the README: a file as it stands,
// declarations with their imports, statements inside a function.
func TestREADME(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("js/wasm cannot start a compiler")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(snippets) == 0 {
		t.Fatal("no Go snippet found")
	}

	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for i, s := range snippets {
		file := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(file, program(string(s[1])), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][filepath.Join(root, "readme", fmt.Sprint(i), "snippet.go")] = file
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", file, "./readme/...").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// program makes a file of a snippet.
func program(snippet string) []byte {
	if strings.HasPrefix(snippet, "package ") {
		return []byte(snippet)
	}
	var b bytes.Buffer
	b.WriteString("package readme\n\n")
	body := surroundings + snippet
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+snippet, 0); err != nil {
		body = surroundings + "func _() {\n" + snippet + "}\n"
	}
	for name, path := range packages {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(body) {
			fmt.Fprintf(&b, "import %s %q\n", name, path)
		}
	}
	b.WriteString(body)
	return b.Bytes()
}
