package main

import (
	"errors"
	"io"
	"os"
)

// A spool is a temporary file. Whoever dies leaves none behind where the system lets
// an open file be removed.
type spool struct {
	*os.File
	named bool // it could not be removed while it is open
}

func newSpool() (spool, error) {
	f, err := os.CreateTemp("", "backoff-run-")
	if err != nil {
		return spool{}, err
	}
	return spool{f, os.Remove(f.Name()) != nil}, nil
}

func (s spool) Close() error {
	err := s.File.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.Name()))
	}
	return err
}

// An output is where the command's standard output goes.
//
// What is held back goes to a file, from the first byte: the command writes into it
// itself, so there is nothing to copy while it runs, no bound on what fits, and
// nothing to wait for when a process that it left behind has the file open still.
type output struct {
	to   *os.File
	hold bool
	held *spool // of the last attempt
}

// begin returns the file that the next attempt writes to. What the attempt before
// wrote is gone, if it was held back. Each has a file of its own: what outlives an
// attempt may write on.
func (o *output) begin() (*os.File, error) {
	if !o.hold {
		return o.to, nil
	}
	if err := o.discard(); err != nil {
		return nil, err
	}
	s, err := newSpool()
	if err != nil {
		return nil, err
	}
	o.held = &s
	return s.File, nil
}

// finish writes what the last attempt wrote, if it was held back.
func (o *output) finish() error {
	if o.held == nil {
		return nil
	}
	_, err := o.held.Seek(0, io.SeekStart)
	if err == nil {
		// Without the writer's other methods: only Write ends the process, as is
		// right, when nobody reads any longer.
		_, err = io.Copy(struct{ io.Writer }{o.to}, o.held.File)
	}
	return errors.Join(err, o.discard())
}

func (o *output) discard() error {
	if o.held == nil {
		return nil
	}
	err := o.held.Close()
	o.held = nil
	return err
}
