package spool

import (
	"errors"
	"io"
	"os"
)

// An Output is where the command's standard output goes.
//
// What is held back goes to a file, from the first byte: the command writes into it
// itself, so there is nothing to copy while it runs, no bound on what fits, and
// nothing to wait for when a process that it left behind has the file open still.
type Output struct {
	To   *os.File
	Hold bool
	held *tempFile // of the last attempt
}

// Open returns the file that the next attempt writes to. What the attempt before
// wrote is gone, if it was held back. Each has a file of its own: what outlives an
// attempt may write on.
func (o *Output) Open() (*os.File, error) {
	if !o.Hold {
		return o.To, nil
	}
	if err := o.discard(); err != nil {
		return nil, err
	}
	s, err := newTempFile()
	if err != nil {
		return nil, err
	}
	o.held = &s
	return s.File, nil
}

// Finish writes what the last attempt wrote, if it was held back.
func (o *Output) Finish() error {
	if o.held == nil {
		return nil
	}
	_, err := o.held.Seek(0, io.SeekStart)
	if err == nil {
		// Without the writer's other methods: only Write ends the process, as is
		// right, when nobody reads any longer.
		_, err = io.Copy(struct{ io.Writer }{o.To}, o.held.File)
	}
	return errors.Join(err, o.discard())
}

func (o *Output) discard() error {
	if o.held == nil {
		return nil
	}
	err := o.held.Close()
	o.held = nil
	return err
}
