//go:build !unix

package server

// OpenFileLimit returns how many files this process may have open, and false if there is
// no telling.
func OpenFileLimit() (n uint64, known bool) { return 0, false }

// Shortage says what this machine has too few of, if that is what err is about. There
// is no telling here.
func Shortage(error) string { return "" }
