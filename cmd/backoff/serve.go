package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/sim/overload"
)

// A serving is what the flags of serve say.
type serving struct {
	address, stats string
	rules          serverRules
	queueSet       bool
}

const (
	defaultAddress = "127.0.0.1:8070"
	defaultStats   = "127.0.0.1:8071"
)

func newServe() *cobra.Command {
	var s serving
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Serve HTTP, the slower the more requests are open",
		Long: `Serve HTTP on a loopback address, the slower the more requests are open: it is
the server of "backoff sim overload", in real time, for "backoff load" to overload.

The latency is --base-latency until --limit requests are open, and then

    base-latency · latency-factor^((open − limit) / latency-scale)

A request is looked at every --poll, and answered when it has been open for as
long as the latency is then. With --poll 0 the latency when it opens decides.

--abandoned says what becomes of a request whose client has given up: keep goes
on serving it, as a handler does that does not look at its request's context;
drop ends it with that context. Either way its connection is closed at once.

--queue is how many connections the system keeps for the server to accept, while
it is stopped or busy: 4096 on today's Linux, 128 on that of ten years ago. The
system may allow less (net.core.somaxconn). Elsewhere the queue is the system's.

Every second it prints how many requests are open, and the latency of that. The
same is at http://` + defaultStats + `/ as JSON, which never queues.`,
		Example: `  backoff serve
  backoff serve --abandoned drop --queue 128`,
		Args:              wantNothing,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.queueSet = cmd.Flags().Changed("queue")
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer cancel()
			if err := s.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("serve: %w", err)
			}
			return nil
		},
	}
	model := overload.Default()
	latency := model.Latency.(overload.ExponentialLatency)
	flags := serve.Flags()
	flags.StringVar(&s.address, "address", defaultAddress, "the loopback `address` to serve on; port 0 is any")
	flags.StringVar(&s.stats, "stats", defaultStats, "the loopback `address` for statistics; port 0 is any")
	flags.IntVar(&s.rules.Limit, "limit", latency.Limit, "how many open requests do not slow it down")
	flags.DurationVar(&s.rules.Base, "base-latency", latency.Base, "its latency with so many")
	flags.Float64Var(&s.rules.Factor, "latency-factor", latency.Factor, "how that grows for every --latency-scale more")
	flags.Float64Var(&s.rules.Scale, "latency-scale", latency.Scale, "see --latency-factor")
	flags.DurationVar(&s.rules.Poll, "poll", model.Poll, "how often to look at a request; 0 for never again")
	flags.IntVar(&s.rules.Queue, "queue", model.Queue, "how many connections its accept queue holds")
	flags.StringVar(&s.rules.Abandoned, "abandoned", model.Abandoned.String(), "what to do with a request whose client has given up: keep or drop")
	complete := cobra.FixedCompletions([]string{"keep", "drop"}, cobra.ShellCompDirectiveNoFileComp)
	if err := serve.RegisterFlagCompletionFunc("abandoned", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
	return serve
}

func (s *serving) check() error {
	r := s.rules
	reject := func(flag string, got any, want string) error {
		return fmt.Errorf("--%s is %v, want %s", flag, got, want)
	}
	switch {
	case r.Limit < 0:
		return reject("limit", r.Limit, "a whole number >= 0")
	case r.Base <= 0 || r.Base > time.Hour:
		return reject("base-latency", r.Base, "above 0, at most 1h")
	case !(r.Factor >= 1 && r.Factor <= 1e300):
		return reject("latency-factor", r.Factor, "a value in [1, 1e300]")
	case !(r.Scale > 0 && r.Scale <= 1e300):
		return reject("latency-scale", r.Scale, "a value in (0, 1e300]")
	case r.Poll != 0 && (r.Poll < time.Millisecond || r.Poll > time.Hour):
		return reject("poll", r.Poll, "0 or 1ms to 1h")
	case r.Queue < 1 || r.Queue > 1_000_000:
		return reject("queue", r.Queue, "a whole number in [1, 1000000]")
	}
	_, err := r.abandonedRule()
	return err
}

func (s *serving) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := s.check(); err != nil {
		return err
	}
	requests, err := s.listen("address", s.address)
	if err != nil {
		return err
	}
	defer requests.Close()
	if err := s.setQueue(requests, stderr); err != nil {
		return err
	}
	questions, err := s.listen("stats", s.stats)
	if err != nil {
		return err
	}
	defer questions.Close()
	server, err := newSlowServer(s.rules)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "serving on %s, statistics on %s, process %d\n", requests.Addr(), questions.Addr(), os.Getpid())

	go server.sweep(ctx)
	go server.late.watch(ctx, watchEvery)
	failed := make(chan error, 2)
	quiet := log.New(io.Discard, "", 0) // about clients that went away, as here they do
	go func() {
		all := &http.Server{Handler: server, ErrorLog: quiet}
		failed <- all.Serve(starving{requests, &server.starved})
	}()
	go func() {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /{$}", server.stats)
		all := &http.Server{Handler: mux, ErrorLog: quiet}
		failed <- all.Serve(questions)
	}()
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
			fmt.Fprintf(stdout, "%s open %d, latency %s\n", now.Format(time.TimeOnly), server.open.Load(), latencyText(server.latency()))
		}
		if !warned && server.starved.Load() > 0 {
			warned = true
			n, _ := openFiles()
			fmt.Fprintf(stderr, "backoff: serve: this process may have %d files open, which is too few: connections wait until others are closed; raise the hard limit of open files\n", n)
		}
	}
}

func (s *serving) listen(flag, text string) (*net.TCPListener, error) {
	address, err := loopback(flag, text)
	if err != nil {
		return nil, err
	}
	return net.ListenTCP("tcp", address)
}

// setQueue sets the length of the accept queue, or says that it does not.
func (s *serving) setQueue(l *net.TCPListener, stderr io.Writer) error {
	err := setBacklog(l, s.rules.Queue)
	if errors.Is(err, errors.ErrUnsupported) && !s.queueSet {
		s.rules.Queue = 0
		fmt.Fprintln(stderr, "backoff: serve: the accept queue is this system's own, and nobody says how long that is")
		return nil
	}
	return err
}

// starving counts how often a listener has no file descriptor for a connection.
type starving struct {
	net.Listener
	count interface{ Add(int64) int64 }
}

func (l starving) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if lacking(err) != "" {
		l.count.Add(1)
	}
	return conn, err
}

// latencyText returns a latency to three digits.
func latencyText(d time.Duration) string { return brief(d) }
