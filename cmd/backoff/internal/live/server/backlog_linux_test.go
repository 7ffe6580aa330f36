package server

import (
	"net"
	"strings"
	"testing"
	"time"
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
		if conn, err := net.DialTimeout("tcp", l.Addr().String(), 200*time.Millisecond); err == nil {
			conn.Close()
			t.Errorf("a queue of %d holds %d", queue, queue+1)
		}
	}
}

func TestBacklogTooLong(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := setBacklog(l, 1<<31-1); err == nil || !strings.Contains(err.Error(), "--queue is 2147483647, and this system's net.core.somaxconn allows ") {
		t.Errorf("error %v", err)
	}
}
