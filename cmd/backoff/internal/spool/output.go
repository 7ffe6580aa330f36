package spool

import (
	"errors"
	"io"
	"os"
)

// An Output is the destination of the command's standard output.
//
// If output is held back, the command writes directly to a temporary file. So nothing is
// copied while the command runs, memory does not limit the output, and a process that the
// command leaves behind does not delay the end of the attempt.
type Output struct {
	To   *os.File
	Hold bool
	held *tempFile // of the last attempt
}

// Open returns the file to which the next attempt writes, and discards the output of the
// attempt before if it was held back. Each attempt has a file of its own, because a process
// that outlives its attempt may still write.
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

// Finish writes the output of the last attempt if it was held back.
func (o *Output) Finish() error {
	if o.held == nil {
		return nil
	}
	_, err := o.held.Seek(0, io.SeekStart)
	if err == nil {
		// Hide the other methods of os.File: only its Write ends the process by SIGPIPE
		// when the reader is gone.
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
