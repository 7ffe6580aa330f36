package server

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A queue of length n holds n connections that are not accepted, and the next has to wait.
func TestBacklog(t *testing.T) {
	for _, queue := range []int{1, 5, 128} {
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := setBacklog(l, queue); err != nil {
			t.Fatal(err)
		}
		for n := range queue {
			conn, err := net.DialTimeout("tcp", l.Addr().String(), 10*time.Second)
			if err != nil {
				t.Fatalf("a queue of %d, connection %d: %v", queue, n+1, err)
			}
			defer conn.Close()
		}
		awaitQueue(t, l, queue)
		if conn, err := net.DialTimeout("tcp", l.Addr().String(), 200*time.Millisecond); err == nil {
			conn.Close()
			t.Errorf("a queue of %d holds %d", queue, queue+1)
		}
	}
}

// awaitQueue waits until the accept queue holds n connections. A connection may be in it only
// after the client has been told that it is connected.
func awaitQueue(t *testing.T, l *net.TCPListener, n int) {
	t.Helper()
	conn, err := l.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	stuck := time.After(time.Minute)
	for queued := 0; queued != n; {
		var infoErr error
		err := conn.Control(func(fd uintptr) {
			var info *unix.TCPInfo
			if info, infoErr = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); infoErr == nil {
				queued = int(info.Unacked) // of a listener, the length of its accept queue
			}
		})
		if err := errors.Join(err, infoErr); err != nil {
			t.Fatal(err)
		}
		select {
		case <-stuck:
			t.Fatalf("the queue holds %d connections after a minute, want %d", queued, n)
		default:
			runtime.Gosched()
		}
	}
}

// A queue that the system does not allow is an error of serve.
func TestBacklogTooLong(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that a server that begins to serve ends
	serve := Config{Address: "127.0.0.1:0", Stats: "127.0.0.1:0", Rules: testRules()}
	serve.Rules.Queue = 1<<31 - 1
	for _, err := range []error{setBacklog(l, serve.Rules.Queue), serve.Run(ctx, io.Discard, io.Discard)} {
		if err == nil || !strings.Contains(err.Error(), "--queue is 2147483647, and this system's net.core.somaxconn allows ") {
			t.Errorf("error %v", err)
		}
	}
}
