package backoff_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/backoff/expr"
	"example.com/backoff/internal/samples"
)

// TestNothingIsForgotten verifies that each function that returns a schedule is
// documented and tested in every place where all of them are. It finds the functions in
// the source. A test counts only if it calls the function; naming it in a comment does
// not count.
func TestNothingIsForgotten(t *testing.T) {
	if *update {
		t.Skip("-update writes the files that this test reads")
	}
	_, files := sources(t)
	r := newReport(t, files)
	var missing strings.Builder
	for _, f := range schedules(files) {
		var places []string
		for _, p := range r.places {
			if !p.has(f) {
				places = append(places, "\t"+strings.ReplaceAll(p.want, "NAME", f.Name.Name)+"\n")
			}
		}
		if places != nil {
			fmt.Fprintf(&missing, "%s is not in\n%s", f.Name.Name, strings.Join(places, ""))
		}
	}
	if missing.Len() > 0 {
		t.Errorf("forgotten, and HACKING.md says how each is added:\n%s", missing.String())
	}
}

// schedules returns the exported functions that return a schedule.
func schedules(files []*ast.File) (all []*ast.FuncDecl) {
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.IsExported() && f.Type.Results.NumFields() == 1 &&
				types.ExprString(f.Type.Results.List[0].Type) == "iter.Seq[time.Duration]" {
				all = append(all, f)
			}
		}
	}
	return all
}

// takesFunction reports whether f takes a Go function, which cannot be written as text.
func takesFunction(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		_, ok := p.Type.(*ast.FuncType)
		return ok
	})
}

// A place is one of the places where every function has to be.
type place struct {
	want string // with NAME for the function
	has  func(f *ast.FuncDecl) bool
}

type report struct{ places []place }

func newReport(t *testing.T, files []*ast.File) *report {
	r := new(report)
	named := func(want string, has func(name string) bool) {
		r.places = append(r.places, place{want, func(f *ast.FuncDecl) bool { return has(f.Name.Name) }})
	}
	sampled := func(name string) bool {
		return slices.ContainsFunc(samples.All(), func(s samples.Sample) bool { return s.Name() == name })
	}

	var comment string
	for _, file := range files {
		comment += file.Doc.Text()
	}
	named("the package comment, seq.go: [NAME]", func(name string) bool {
		return strings.Contains(comment, "["+name+"]")
	})
	r.places = append(r.places, place{
		"package expr: a stage in expr/stage.go; or its package comment, if text cannot express what NAME takes",
		func(f *ast.FuncDecl) bool {
			if takesFunction(f) {
				return regexp.MustCompile(`\b` + f.Name.Name + `\b`).MatchString(parse(t, "expr/expr.go").Doc.Text())
			}
			return slices.ContainsFunc(expr.Stages(), func(s expr.Stage) bool { return s.Func == f.Name.Name })
		},
	})
	named("the samples: a row in internal/samples/samples.go", sampled)
	named("the golden test: TestGolden ranges over the samples, and go test . -update writes testdata/golden.txt", func(name string) bool {
		return sampled(name) && draws(parse(t, "golden_test.go"), "TestGolden") &&
			regexp.MustCompile(`(?m)^[0-9a-f]{16}  `+name+`\(`).Match(read(t, "testdata/golden.txt"))
	})
	named("the benchmark: BenchmarkSamples in samples_test.go ranges over the samples", func(name string) bool {
		return sampled(name) && draws(parse(t, "samples_test.go"), "BenchmarkSamples")
	})
	named("the tests of package backofftest: TestSamples in backofftest/root_test.go ranges over the samples, and calls Run and RunStage", func(name string) bool {
		file := parse(t, "backofftest/root_test.go")
		return sampled(name) && draws(file, "TestSamples") &&
			calls(function(file, "TestSamples"), "backofftest", "Run") && calls(function(file, "TestSamples"), "backofftest", "RunStage")
	})
	named("the sequence test: a row in TestDelays, seq_test.go, whose schedule is a call of NAME", rows(parse(t, "seq_test.go"), "TestDelays"))
	named("the examples: ExampleNAME in example_test.go, which calls it and has an Output", func(name string) bool {
		file := parse(t, "example_test.go")
		return calls(function(file, "Example"+name), "backoff", name) && slices.ContainsFunc(doc.Examples(file), func(e *doc.Example) bool {
			return e.Name == name && e.Output != ""
		})
	})
	named("the API: go test . -update writes testdata/api.txt", func(name string) bool {
		return regexp.MustCompile(`(?m)^func ` + name + `\(`).Match(read(t, "testdata/api.txt"))
	})
	named("the tables of README.md: go test . -update writes them", func(name string) bool {
		return regexp.MustCompile("(?m)^\\| [^|]*`" + name + `\(`).Match(read(t, "README.md"))
	})
	return r
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parse(t *testing.T, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// function returns the function of file that has a name, or nil.
func function(file *ast.File, name string) ast.Node {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
			return f
		}
	}
	return nil
}

// calls reports whether a node calls pkg.name.
func calls(in ast.Node, pkg, name string) bool {
	if in == nil {
		return false
	}
	found := false
	ast.Inspect(in, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && called(e) == pkg+"."+name {
			found = true
		}
		return !found
	})
	return found
}

// called returns the function that an expression calls, as pkg.name, or the empty text.
func called(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok {
		return types.ExprString(call.Fun)
	}
	return ""
}

// draws reports whether the function of file that has a name ranges over all samples.
func draws(file *ast.File, name string) bool {
	found := false
	if f := function(file, name); f != nil {
		ast.Inspect(f, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok && called(r.X) == "samples.All" {
				found = true
			}
			return !found
		})
	}
	return found
}

// rows returns a function that reports whether a row of a table in a test calls a
// function of package backoff. The outermost call of the second column counts, because
// the calls inside it are not the row's subject.
func rows(file *ast.File, test string) func(name string) bool {
	found := map[string]bool{}
	if f := function(file, test); f != nil {
		ast.Inspect(f, func(n ast.Node) bool {
			if row, ok := n.(*ast.CompositeLit); ok && row.Type == nil && len(row.Elts) == 3 {
				found[called(row.Elts[1])] = true
			}
			return true
		})
	}
	return func(name string) bool { return found["backoff."+name] }
}
