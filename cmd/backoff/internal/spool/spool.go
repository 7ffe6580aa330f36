// Package spool gives every attempt of a command its standard input from the beginning,
// and holds back its standard output.
package spool

import (
	"errors"
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
