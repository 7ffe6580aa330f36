// Package page rewrites the generated parts of a page of docs/.
package page

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/modfile"
)

// Versions returns the versions of the modules that a go.mod requires.
func Versions(goMod string) (map[string]string, error) {
	text, err := os.ReadFile(goMod)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(goMod, text, nil)
	if err != nil {
		return nil, err
	}
	of := map[string]string{}
	for _, r := range file.Require {
		of[r.Mod.Path] = r.Mod.Version
	}
	return of, nil
}

// A Part is a generated passage of a page. It stands between the lines
// <!-- NAME: generated --> and <!-- end -->.
type Part struct{ Name, Text string }

// Update returns the page with these parts, which are in the order of the page.
func Update(page []byte, parts ...Part) ([]byte, error) {
	rest := page
	var b bytes.Buffer
	for _, p := range parts {
		begin := fmt.Sprintf("<!-- %s: generated -->\n", p.Name)
		before, after, ok := bytes.Cut(rest, []byte(begin))
		if !ok {
			return nil, fmt.Errorf("the page has no line %q, or has it too early", strings.TrimSpace(begin))
		}
		_, after, ok = bytes.Cut(after, []byte("<!-- end -->\n"))
		if !ok {
			return nil, fmt.Errorf("the page has no line \"<!-- end -->\" after %q", strings.TrimSpace(begin))
		}
		fmt.Fprintf(&b, "%s%s\n%s\n<!-- end -->\n", before, begin, p.Text)
		rest = after
	}
	b.Write(rest)
	return b.Bytes(), nil
}

// UpdateFile updates the page in a file and reports whether it changed.
func UpdateFile(name string, parts ...Part) (changed bool, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	wanted, err := Update(text, parts...)
	if err != nil || bytes.Equal(text, wanted) {
		return false, err
	}
	return true, os.WriteFile(name, wanted, 0o666)
}
