//go:build !unix

package main

// openFiles returns how many files this process may have open, and false if there is
// no telling.
func openFiles() (n uint64, known bool) { return 0, false }

// lacking says what this machine has too few of, if that is what err is about. There
// is no telling here.
func lacking(error) string { return "" }
