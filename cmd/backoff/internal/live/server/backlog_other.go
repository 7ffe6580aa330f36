//go:build !linux

package server

import (
	"errors"
	"fmt"
	"net"
)

// setBacklog sets how many connections the accept queue of a listener holds.
func setBacklog(*net.TCPListener, int) error {
	return fmt.Errorf("--queue needs Linux: %w", errors.ErrUnsupported)
}
