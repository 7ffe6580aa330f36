//go:build unix

package server

import (
	"errors"
	"syscall"
)

// OpenFileLimit returns how many files this process may have open, connections among
// them, and false if there is no telling. When it starts, Go raises that to the most
// that may be had without a privilege.
func OpenFileLimit() (n uint64, known bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}

// Shortage says what this machine has too few of, if that is what err is about.
func Shortage(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "file descriptors"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "ports"
	}
	return ""
}
