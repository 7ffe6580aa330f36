//go:build !unix

package server

// OpenFileLimit returns how many files this process may have open, and false if that is
// unknown.
func OpenFileLimit() (n uint64, known bool) { return 0, false }

// Shortage returns what this machine has too few of, if err is about that. It is unknown
// here.
func Shortage(error) string { return "" }
