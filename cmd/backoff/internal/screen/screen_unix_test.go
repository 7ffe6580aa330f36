//go:build unix && !aix && !solaris

package screen

import (
	"bytes"
	"os"
	"testing"

	"github.com/creack/pty"
)

// A terminal has its own width and colours, within bounds; the environment says otherwise
// where the user does.
func TestScreen(t *testing.T) {
	outside, terminal, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer outside.Close() // The garbage collector closes a file that nobody has, which hangs up.
	defer terminal.Close()
	read, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer pipe.Close()

	for _, test := range []struct {
		name                    string
		file                    *os.File
		columns                 uint16 // of the terminal
		COLUMNS, NO_COLOR, TERM string
		want                    Screen
	}{
		{"terminal", terminal, 100, "", "", "xterm", Screen{100, true, true}},
		{"narrow", terminal, 20, "", "", "xterm", Screen{40, true, true}},
		{"wide", terminal, 500, "", "", "xterm", Screen{160, true, true}},
		{"size unknown", terminal, 0, "", "", "xterm", Screen{80, true, true}},
		{"NO_COLOR", terminal, 100, "", "1", "xterm", Screen{100, true, false}},
		{"dumb", terminal, 100, "", "", "dumb", Screen{100, true, false}},
		{"COLUMNS", terminal, 100, "60", "", "xterm", Screen{60, true, true}},
		{"COLUMNS is no number", terminal, 100, "all", "", "xterm", Screen{100, true, true}},
		{"COLUMNS is 0", terminal, 100, "0", "", "xterm", Screen{100, true, true}},
		{"pipe", pipe, 0, "", "", "xterm", Screen{80, false, false}},
		{"pipe with COLUMNS", pipe, 0, "120", "", "xterm", Screen{120, true, false}},
	} {
		t.Setenv("COLUMNS", test.COLUMNS)
		t.Setenv("NO_COLOR", test.NO_COLOR)
		t.Setenv("TERM", test.TERM)
		if err := pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: test.columns}); err != nil {
			t.Fatal(err)
		}
		if got := Of(test.file); got != test.want {
			t.Errorf("%s: the screen is %+v, want %+v", test.name, got, test.want)
		}
		if got := Of(NewWriter(test.file)); got != test.want {
			t.Errorf("%s: the screen of a Writer is %+v, want %+v", test.name, got, test.want)
		}
	}

	t.Setenv("COLUMNS", "120")
	if got, want := Of(&bytes.Buffer{}), (Screen{Width: 80}); got != want {
		t.Errorf("the screen of a buffer is %+v, want %+v", got, want)
	}
}
