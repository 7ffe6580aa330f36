// Package screen finds out how wide the place is that text for people goes to, and whether
// it shows colours, and breaks lines that are too long for it.
package screen

import (
	"io"
	"os"
	"strconv"

	"example.com/backoff/cmd/backoff/internal/process"
)

const (
	minWidth     = 40 // no chart is narrower
	defaultWidth = 80 // of a pipe and a file, so that their content is the same everywhere
	maxWidth     = 160
)

// A Screen is where text for people goes.
type Screen struct {
	Width   int  // in columns, in [40, 160]
	Wraps   bool // the width is known, and a longer line wraps; a table in a file is never too wide
	Colours bool
}

// Of returns the screen that w writes to. The width is that of the terminal, and 80 for
// pipes, files and anything else. COLUMNS in the environment has precedence if it is a
// number above 0, as for ls: "watch" sets it for the pipe that it reads.
//
// Only a terminal has colours, unless NO_COLOR is set and not empty, or TERM is dumb.
func Of(w io.Writer) Screen {
	if out, ok := w.(*Writer); ok {
		return out.Screen
	}
	s := Screen{Width: defaultWidth}
	if width := process.TerminalWidth(w); width != nil {
		s.Width, s.Wraps = width(), true
		s.Colours = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if _, ok := w.(*os.File); ok {
		if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
			s.Width, s.Wraps = columns, true
		}
	}
	s.Width = min(max(s.Width, minWidth), maxWidth)
	return s
}
