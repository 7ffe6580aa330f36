// Package spool gives every attempt of a command its standard input from the beginning,
// and holds back its standard output.
package spool

import (
	"errors"
	"os"
)

// A tempFile is a temporary file. It has no name where the system can remove an open file,
// so that a process that is killed leaves nothing behind.
type tempFile struct {
	*os.File
	named bool // it could not be removed while it is open
}

func newTempFile() (tempFile, error) {
	f, err := os.CreateTemp("", "backoff-run-")
	if err != nil {
		return tempFile{}, err
	}
	return tempFile{f, os.Remove(f.Name()) != nil}, nil
}

func (s tempFile) Close() error {
	err := s.File.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.Name()))
	}
	return err
}
