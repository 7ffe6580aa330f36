//go:build !linux

package server

import (
	"errors"
	"fmt"
	"net"
)

// setBacklog has the accept queue of a listener hold so many connections.
func setBacklog(*net.TCPListener, int) error {
	return fmt.Errorf("--queue needs Linux: %w", errors.ErrUnsupported)
}
