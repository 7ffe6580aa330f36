package spool

import (
	"errors"
	"io"
	"os"
)

// An Output is the destination of the command's standard output.
type Output struct {
	To   *os.File
	Hold bool
	held *held // of the last attempt
}

// Open returns the file to which the next attempt writes, and discards the output of the
// attempt before if it was held back. The caller calls started when the command has started
// or failed to start, and ended when the attempt is over. Output that comes after that, from
// a process that the command left behind, is discarded. If output cannot be held back, Open
// calls failed during the attempt, and ended returns the error.
func (o *Output) Open(failed func(error)) (file *os.File, started func(), ended func() error, err error) {
	if !o.Hold {
		return o.To, func() {}, func() error { return nil }, nil
	}
	if err := o.discard(); err != nil {
		return nil, nil, nil, err
	}
	kept, err := newTempFile()
	if err != nil {
		return nil, nil, nil, err
	}
	o.held = &held{kept: kept}
	if file, err = o.held.open(failed); err != nil {
		return nil, nil, nil, errors.Join(err, o.discard())
	}
	return file, o.held.started, o.held.ended, nil
}

// Finish writes the output of the last attempt if it was held back.
func (o *Output) Finish() error {
	if o.held == nil {
		return nil
	}
	_, err := o.held.kept.Seek(0, io.SeekStart)
	if err == nil {
		// Hide the other methods of os.File: only its Write ends the process by SIGPIPE
		// when the reader is gone.
		_, err = io.Copy(struct{ io.Writer }{o.To}, o.held.kept.File)
	}
	return errors.Join(err, o.discard())
}

func (o *Output) discard() error {
	if o.held == nil {
		return nil
	}
	err := o.held.kept.Close()
	o.held = nil
	return err
}
