//go:build unix

package server

import (
	"errors"
	"syscall"
)

// OpenFileLimit returns how many files this process may have open, connections included, and
// false if that is unknown. Go raises it to the hard limit when a program starts.
func OpenFileLimit() (n uint64, known bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}

// Shortage returns what this machine has too few of, if err is about that.
func Shortage(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "file descriptors"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "ports"
	}
	return ""
}
