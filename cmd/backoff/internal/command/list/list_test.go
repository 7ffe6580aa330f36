package list

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/expr"
)

func TestList(t *testing.T) {
	got := clitest.Succeeds(t, New, "list")
	clitest.Golden(t, "list", got)
	for _, s := range expr.Stages() {
		if !strings.Contains(got, "\n  "+s.Usage()+"\n    Use it "+s.Use+".\n    "+s.Formula+"\n") {
			t.Errorf("%s is not in the list", s.Usage())
		}
	}
	for line := range strings.Lines(got) {
		if n := utf8.RuneCountInString(line); n > 81 {
			t.Errorf("%d characters are too wide for a terminal of 80: %s", n-1, line)
		}
	}
}

// On a narrow screen each line of a paragraph is as full as the next word allows.
func TestNarrow(t *testing.T) {
	var b strings.Builder
	narrow := screen.NewWriter(&b)
	narrow.Width = 40
	if err := errors.Join(writeList(narrow), narrow.Flush()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines[1:] {
		before := lines[i]
		if before == "" || line == "" || before[0] == ' ' || line[0] == ' ' {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		if screen.Columns(before+" "+word) <= 40 {
			t.Errorf("%q has room for the first word of %q", before, line)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	clitest.FullDisk(t, "list", writeList)
}
