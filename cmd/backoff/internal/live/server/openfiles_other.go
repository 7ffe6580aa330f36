//go:build !unix

package server

// OpenFiles returns how many files this process may have open, and false if there is
// no telling.
func OpenFiles() (n uint64, known bool) { return 0, false }

// Lacking says what this machine has too few of, if that is what err is about. There
// is no telling here.
func Lacking(error) string { return "" }
