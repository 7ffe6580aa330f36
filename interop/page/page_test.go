package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = "before\n<!-- a: generated -->\nold\n<!-- end -->\nbetween\n<!-- b: generated -->\n<!-- end -->\nafter\n"

var parts = []Part{{"a", "A"}, {"b", "B"}}

func TestUpdate(t *testing.T) {
	const want = "before\n<!-- a: generated -->\n\nA\n<!-- end -->\nbetween\n<!-- b: generated -->\n\nB\n<!-- end -->\nafter\n"
	got, err := Update([]byte(text), parts...)
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// TestUpdateNeedsItsMarks: a page without one of its marks is an error.
func TestUpdateNeedsItsMarks(t *testing.T) {
	for _, mark := range []string{"<!-- a: generated -->\n", "<!-- b: generated -->\n", "<!-- end -->\n"} {
		if _, err := Update([]byte(strings.ReplaceAll(text, mark, "")), parts...); err == nil {
			t.Errorf("a page without %q is taken", mark)
		}
	}
	if _, err := Update([]byte(text), parts[1], parts[0]); err == nil {
		t.Error("parts in another order than the page's are taken")
	}
}

func TestUpdateFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if changed, err := UpdateFile(name, parts...); err != nil || changed != want {
			t.Errorf("UpdateFile = %t, %v, want %t", changed, err, want)
		}
	}
	if _, err := UpdateFile(name+"x", parts...); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestVersions(t *testing.T) {
	v, err := Versions("../go.mod")
	if err != nil || v["example.com/backoff"] != "v0.0.0" {
		t.Errorf("Versions = %v, %v, want v0.0.0 of the root", v, err)
	}
	if _, err := Versions("page.go"); err == nil {
		t.Error("a file that is no go.mod is no error")
	}
}
