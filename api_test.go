package backoff_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sources returns the parsed files of the package, without its tests.
func sources(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return fset, files
}

// TestAPI shows each change of the exported API, against which callers compile:
// testdata/api.txt has the exported declarations, sorted.
func TestAPI(t *testing.T) {
	fset, files := sources(t)
	var declarations []string
	for _, file := range files {
		file.Comments = nil
		if !ast.FileExports(file) {
			continue
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				d.Doc, d.Body = nil, nil
			case *ast.GenDecl:
				d.Doc = nil
				if d.Tok == token.IMPORT {
					continue
				}
			}
			var text bytes.Buffer
			if err := printer.Fprint(&text, fset, d); err != nil {
				t.Fatal(err)
			}
			declarations = append(declarations, text.String()+"\n")
		}
	}
	slices.Sort(declarations)
	golden(t, "exported declarations", "testdata/api.txt", strings.Join(declarations, ""))
}
