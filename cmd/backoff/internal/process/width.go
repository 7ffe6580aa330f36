package process

import (
	"io"

	"golang.org/x/term"
)

// TerminalWidth returns what tells how many characters wide the terminal is that w writes
// to, now and after it was made wider; and nil if w writes elsewhere.
func TerminalWidth(w io.Writer) func() int {
	file, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		if err != nil || width < 1 {
			return 80
		}
		return width
	}
}
