//go:build unix

package spool

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Output that nobody has read when the attempt is over is kept, and output that comes after
// that is not.
func TestHeldAtTheEnd(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	out := &Output{To: write, Hold: true}
	file, _, ended, err := out.Open(func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	say := func(text string) {
		t.Helper()
		if _, err := io.WriteString(file, text); err != nil {
			t.Error(err)
		}
	}
	say("early ")
	// Nobody reads from here on, as if the machine were busy.
	if err := out.held.from.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	out.held.copied <- <-out.held.copied
	say("late")
	if err := ended(); err != nil {
		t.Error(err)
	}
	say("too late")
	if err := out.Finish(); err != nil {
		t.Error(err)
	}
	write.Close()
	got, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("early late", string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
