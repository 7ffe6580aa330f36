package screen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBreak(t *testing.T) {
	for _, test := range []struct {
		line  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"short", 10, "short"},
		{"exactly 10", 10, "exactly 10"},
		{"one more than ten", 10, "one more\nthan ten"},
		{"averyveryverylongword", 10, "averyveryverylongword"},
		{"a averyveryverylongword b", 10, "a\naveryveryverylongword\nb"},
		{"    ● p50 and the rest", 16, "    ● p50 and\n        the rest"},
		{"\x1b[38;5;25m●\x1b[0m 345 7890", 10, "\x1b[38;5;25m●\x1b[0m 345 7890"},
		{"three  spaces   in  it", 9, "three\nspaces\nin  it"},
		{"trailing   ", 8, "trailing"},
	} {
		if diff := cmp.Diff(test.want, Break(test.line, test.width)); diff != "" {
			t.Errorf("Break(%q, %d) (-want +got):\n%s", test.line, test.width, diff)
		}
	}
}

// Breaking keeps the words, and no line that has a space to break at is too long.
func TestBreakKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z●]{1,12}`), 0, 20).Draw(t, "words")
		line := strings.Repeat(" ", rapid.IntRange(0, 6).Draw(t, "indent")) + strings.Join(words, " ")
		width := rapid.IntRange(24, 60).Draw(t, "width")
		got := Break(line, width)
		if diff := cmp.Diff(strings.Fields(line), strings.Fields(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		for part := range strings.Lines(got) {
			if n := Columns(strings.TrimSuffix(part, "\n")); n > width {
				t.Fatalf("%d columns in %q", n, part)
			}
		}
	})
}

// Lines are broken however they are written, those of Whole are not, and their order stays.
func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Width = 10
	for _, r := range "some words\nmore words than one\nno " {
		fmt.Fprintf(w, "%c", r)
	}
	fmt.Fprint(w.Whole(), "table that is wide\n")
	fmt.Fprint(w, "the end of it all")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "some words\nmore words\nthan one\nnotable that is wide\nthe end of\nit all"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Flush returns the error of the writer below.
func TestWriteError(t *testing.T) {
	w := NewWriter(failing{})
	fmt.Fprintln(w, "a line")
	if err := w.Flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
