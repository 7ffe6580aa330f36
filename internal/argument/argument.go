// Package argument panics about bad arguments. Every package of this module uses the
// same sentence: it names the function and the argument, and says what the argument is
// and what is wanted instead.
package argument

import "fmt"

// Text returns a sentence such as
//
//	backoff: Exponential: factor is NaN, want a finite value >= 1
func Text(pkg, function, name string, got any, want string) string {
	return fmt.Sprintf("%s: %s: %s is %v, want %s", pkg, function, name, got, want)
}

// Reject panics with the [Text] about an argument.
func Reject(pkg, function, name string, got any, want string) {
	panic(Text(pkg, function, name, got, want))
}
