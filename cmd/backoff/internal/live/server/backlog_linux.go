package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The file with the maximum length of an accept queue.
const somaxconn = "/proc/sys/net/core/somaxconn"

// setBacklog sets how many connections the accept queue of a listener holds, at least 1.
// Go listens with the maximum of the system; Linux takes another length when a program
// listens again. A queue of backlog n holds n+1.
func setBacklog(l *net.TCPListener, queue int) error {
	text, err := os.ReadFile(somaxconn)
	if err != nil {
		return err
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("%s: %w", somaxconn, err)
	}
	if queue-1 > most {
		return fmt.Errorf("--queue is %d, and this system's net.core.somaxconn allows %d", queue, most+1)
	}
	conn, err := l.SyscallConn()
	if err != nil {
		return err
	}
	var listenErr error
	err = conn.Control(func(fd uintptr) { listenErr = syscall.Listen(int(fd), queue-1) })
	return errors.Join(err, os.NewSyscallError("listen", listenErr))
}
