// Package process starts a command in a process group of its own, passes signals on to it,
// lends it the terminal, and ends it with all that it has started.
package process
