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

// The file that says how long an accept queue may be.
const somaxconn = "/proc/sys/net/core/somaxconn"

// setBacklog has the accept queue of a listener hold so many connections, 1 at least.
// Go listens with the most that the system allows; Linux takes another number when
// one listens again. A queue of backlog n holds n+1.
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
