package screen

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// A Writer buffers text for people, and breaks lines that are longer than its screen is
// wide. Use it in place of a bufio.Writer wherever sentences are written.
type Writer struct {
	Screen
	out  *bufio.Writer
	line []byte // what Write got of a line that has not ended yet
}

// NewWriter returns a Writer to w, with the screen that w writes to.
func NewWriter(w io.Writer) *Writer { return &Writer{Screen: Of(w), out: bufio.NewWriter(w)} }

// Write writes the lines that end in p. An error of the writer below is that of Flush.
func (w *Writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		w.line = append(w.line, line...)
		if ended {
			w.out.WriteString(Break(string(w.line), w.Width))
			w.out.WriteByte('\n')
			w.line = w.line[:0]
		}
		rest = after
	}
	return len(p), nil
}

// Whole returns the writer that does not break lines, for those that must stay whole.
func (w *Writer) Whole() io.Writer {
	w.end()
	return w.out
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	w.end()
	return w.out.Flush()
}

// end writes a line that has no end.
func (w *Writer) end() {
	w.out.WriteString(Break(string(w.line), w.Width))
	w.line = w.line[:0]
}

// Break returns line, broken at spaces into lines of at most width columns, as far as its
// words allow. The further lines of an indented one are indented by four more.
func Break(line string, width int) string {
	line = strings.TrimRight(line, " ")
	indent := len(line) - len(strings.TrimLeft(line, " "))
	hang := ""
	if indent > 0 {
		hang = strings.Repeat(" ", min(indent+4, width/2))
	}
	var broken strings.Builder
	for Columns(line) > width {
		at := lastSpace(line, width)
		if at < 0 {
			break
		}
		broken.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = hang + strings.TrimLeft(line[at:], " ")
	}
	return broken.String() + line
}

// lastSpace returns the last space, after the indentation of line, that leaves at most
// width columns before it, or else the first one; -1 if there is none.
func lastSpace(line string, width int) int {
	last := -1
	for i := len(line) - len(strings.TrimLeft(line, " ")); i < len(line); i++ {
		if line[i] != ' ' {
			continue
		}
		if last >= 0 && Columns(line[:i]) > width {
			return last
		}
		last = i
	}
	return last
}

// Columns returns how many columns a text takes on a terminal, where escape sequences of
// colours take none.
func Columns(text string) int {
	n := 0
	for {
		before, after, escape := strings.Cut(text, "\x1b[")
		n += utf8.RuneCountInString(before)
		if !escape {
			return n
		}
		_, text, _ = strings.Cut(after, "m")
	}
}
