package spool

import (
	"os"
	"testing"
)

// An endless source reports each read after the first.
type endless struct {
	reads int
	again chan struct{}
}

func (e *endless) Read(b []byte) (int, error) {
	if e.reads++; e.reads == 2 {
		close(e.again)
	}
	return len(b), nil
}

// Nothing more is read, and written to the disk, for a command that has closed its input.
func TestFeedStopsReading(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from.Close()
	source := &endless{again: make(chan struct{})}
	in := &Input{recording: newRecording(source)}
	p := &player{recording: in.recording}
	over := make(chan struct{})
	go func() {
		defer close(over)
		p.feed(to, func(err error) { t.Error(err) })
	}()
	select {
	case <-over:
	case <-source.again:
		t.Error("the source is read again")
		p.stop(to)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}
