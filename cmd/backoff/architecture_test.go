package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// floors are the packages below internal/, from the ground up. Each imports only packages of
// a lower floor.
var floors = []string{
	"digits process spool",
	"screen",
	"cli table figure sampling",
	"command/list chart picture seconds live/server solve",
	"present clitest picturetest forecast live/load supervise serverflags advice",
	"experiment command/show command/plan command/load command/run",
	"command/contention command/overload command/serve",
	"command/sim",
}

// libraries are the modules that the command requires, each with the packages that may
// import it.
var libraries = map[string]string{
	"github.com/spf13/":          ". cli clitest present sampling serverflags experiment command/*",
	"gonum.org/v1/plot":          "picture",
	"github.com/vbauerster/mpb/": "experiment",
	"golang.org/x/sys":           "process",
	"golang.org/x/term":          "process",
	"github.com/google/go-cmp":   "clitest",
}

// No package imports one of its own floor or a higher one, and only the packages listed for
// a library import it.
func TestArchitecture(t *testing.T) {
	const module = "example.com/backoff/cmd/backoff"
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	floorOf := func(name string) int {
		return slices.IndexFunc(floors, func(names string) bool { return slices.Contains(strings.Fields(names), name) })
	}
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name, floor := ".", len(floors)
		if p.ImportPath != module {
			name = strings.TrimPrefix(p.ImportPath, module+"/internal/")
			if floor = floorOf(name); floor < 0 {
				t.Errorf("%s stands on no floor", name)
			}
		}
		for _, imported := range p.Imports {
			if below, ok := strings.CutPrefix(imported, module+"/internal/"); ok && floorOf(below) >= floor {
				t.Errorf("%s imports %s, which stands no lower", name, below)
			}
			if strings.HasPrefix(imported, "example.com/backoff") || !strings.Contains(strings.Split(imported, "/")[0], ".") {
				continue // our own, or of the standard library
			}
			may := false
			for library, packages := range libraries {
				may = may || strings.HasPrefix(imported, library) && slices.ContainsFunc(strings.Fields(packages), func(pattern string) bool {
					match, _ := path.Match(pattern, name)
					return match
				})
			}
			if !may {
				t.Errorf("%s imports %s, which is not for it", name, imported)
			}
		}
	}
}
