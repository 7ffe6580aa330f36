package process

import (
	"io"

	"golang.org/x/term"
)

// TerminalWidth returns what tells how many characters wide the terminal is that w writes
// to, now and after it was made wider; and nil if w writes elsewhere.
func TerminalWidth(w io.Writer) func() int {
	fd, ok := terminal(w)
	if !ok {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(fd)
		if err != nil || width < 1 {
			return 80
		}
		return width
	}
}

// InForeground reports whether w writes to a terminal on which backoff, or the pipeline that
// it belongs to, is the foreground job now. On any other it could write over the prompt of a
// shell.
func InForeground(w io.Writer) bool {
	fd, ok := terminal(w)
	return ok && hasForeground(fd)
}

// terminal returns the file descriptor of w, and false if it is no terminal.
func terminal(w io.Writer) (fd int, ok bool) {
	file, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	return int(file.Fd()), true
}
