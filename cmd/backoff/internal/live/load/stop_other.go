//go:build !unix

package load

import (
	"errors"
)

var errNoStop = errors.New("this system cannot stop a process and resume it")

func stopProcess(int) error   { return errNoStop }
func resumeProcess(int) error { return errNoStop }
func mayStop(int) error       { return errNoStop }
