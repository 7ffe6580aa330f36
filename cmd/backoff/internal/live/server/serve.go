package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
)

// A Config is the values of the flags of serve.
type Config struct {
	Address, Stats string
	Rules          Rules
	QueueSet       bool
}

// Run serves until ctx is done.
func (s *Config) Run(ctx context.Context, stdout, stderr io.Writer) error {
	requests, err := s.listen("address", s.Address)
	if err != nil {
		return err
	}
	defer requests.Close()
	if err := s.setQueue(requests, stderr); err != nil {
		return err
	}
	questions, err := s.listen("stats", s.Stats)
	if err != nil {
		return err
	}
	defer questions.Close()
	server, err := newServer(s.Rules)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "serving on %s, statistics on %s, process %d\n", requests.Addr(), questions.Addr(), os.Getpid())

	go server.sweep(ctx)
	go server.lateness.Watch(ctx, LatenessInterval)
	failed := make(chan error, 2)
	quiet := log.New(io.Discard, "", 0) // errors about clients that hang up, as they do here
	go func() {
		all := &http.Server{Handler: server, ErrorLog: quiet}
		failed <- all.Serve(starvingListener{requests, &server.starved})
	}()
	go func() {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /{$}", server.stats)
		all := &http.Server{Handler: mux, ErrorLog: quiet}
		failed <- all.Serve(questions)
	}()
	return server.report(ctx, failed, stdout, stderr)
}

// report writes the state of the server every second until ctx is done or an error comes. If
// the process has too few files, it says so once.
func (s *server) report(ctx context.Context, failed <-chan error, stdout, stderr io.Writer) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	warned := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case now := <-second.C:
			fmt.Fprintf(stdout, "%s open %d, latency %s\n", now.Format(time.TimeOnly), s.open.Load(), digits.Brief(s.latency()))
		}
		if !warned && s.starved.Load() > 0 {
			warned = true
			n, _ := OpenFileLimit()
			fmt.Fprintf(stderr, "backoff: serve: this process may have %d files open, which is too few: connections wait until others are closed; raise the hard limit of open files\n", n)
		}
	}
}

func (s *Config) listen(flag, text string) (*net.TCPListener, error) {
	address, err := ParseLoopback(flag, text)
	if err != nil {
		return nil, err
	}
	return net.ListenTCP("tcp", address)
}

// setQueue sets the length of the accept queue, or writes that it cannot.
func (s *Config) setQueue(l *net.TCPListener, stderr io.Writer) error {
	err := setBacklog(l, s.Rules.Queue)
	if errors.Is(err, errors.ErrUnsupported) && !s.QueueSet {
		s.Rules.Queue = 0
		fmt.Fprintln(stderr, "backoff: serve: the length of the accept queue is the system's own and unknown")
		return nil
	}
	return err
}

// starvingListener counts how often a listener has no file descriptor for a connection.
type starvingListener struct {
	net.Listener
	count interface{ Add(int64) int64 }
}

func (l starvingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if Shortage(err) != "" {
		l.count.Add(1)
	}
	return conn, err
}
