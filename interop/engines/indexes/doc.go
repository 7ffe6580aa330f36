// Package indexes holds the test of the numbers that other libraries and engines give
// their hooks: the functions that they ask how long to wait before a retry.
//
// A hook that counts its first retry as 1 and gets a function that counts from 0 skips
// the first delay of a schedule, and nobody notices. So each row of the test runs the
// engine until it has called the hook four times, and compares the numbers that came
// with those that package adapt is told.
package indexes
