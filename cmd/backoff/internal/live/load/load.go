// Package load loads an HTTP server, the one of "backoff serve", with clients that retry, in
// real time.
package load

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
	"example.com/backoff/sim/overload"
)

// A Config is the values of the flags of load.
type Config struct {
	Address, Stats string
	Clients        int
	Think, Timeout time.Duration
	DialTimeout    time.Duration
	Phases         Phases
	StopPID        int
	Seed           uint64
	Model          bool
}

// maxClients is far above what ports and files allow on one machine.
const maxClients = 100_000

// Check returns an error about an invalid flag. The flag stops is whether a process to stop
// was given.
func (l *Config) Check(stops bool) error {
	reject := func(flag string, got any, want string) error {
		return fmt.Errorf("--%s is %v, want %s", flag, got, want)
	}
	switch {
	case l.Clients < 1 || l.Clients > maxClients:
		return reject("clients", l.Clients, fmt.Sprintf("a whole number in [1, %d]", maxClients))
	case l.Think < 0 || l.Think > 24*time.Hour:
		return reject("think", l.Think, "0 to 24h")
	case l.Timeout <= 0 || l.Timeout > time.Hour:
		return reject("timeout", l.Timeout, "above 0, at most 1h")
	case l.DialTimeout <= 0 || l.DialTimeout > time.Hour:
		return reject("dial-timeout", l.DialTimeout, "above 0, at most 1h")
	case l.Phases.Warmup < 2*time.Second || l.Phases.Warmup > time.Hour:
		return reject("warmup", l.Phases.Warmup, "2s to 1h")
	case l.Phases.Stop < 0 || l.Phases.Stop > time.Hour:
		return reject("stop", l.Phases.Stop, "0 to 1h")
	case l.Phases.After < 5*time.Second || l.Phases.After > time.Hour:
		return reject("after", l.Phases.After, "5s to 1h")
	case l.Phases.Length() > time.Hour:
		return reject("warmup + --stop + --after", l.Phases.Length(), "at most 1h")
	case !stops:
		return nil
	case l.StopPID <= 1 || l.StopPID == os.Getpid():
		return reject("stop-pid", l.StopPID, "the number of the server's process")
	}
	if err := mayStop(l.StopPID); err != nil {
		return fmt.Errorf("--stop-pid %d: %w", l.StopPID, err)
	}
	return nil
}

// A Result is the result of a run.
type Result struct {
	Expr    *expr.Expr
	Phases  Phases
	Rules   server.Rules
	Seconds []overload.Second
	Verdict overload.Verdict
	Model   []overload.Rep // runs of the model; none unless wanted

	unanswered int // seconds at whose end the server, not stopped, did not answer

	// LateMost is how late a timer of the server or of the clients was, or an answer of the
	// server about its state, where none counts as one after 900 ms. LateMean is the mean of
	// the timers in the worst second. What the server does late because it was stopped does
	// not count.
	LateMost, LateMean time.Duration
}

// Busy reports whether the machine was too busy for the run to be compared with the model:
// timers were late by more than 10 ms on average in some second, or a timer or an answer by
// more than 250 ms.
func (r Result) Busy() bool {
	return r.LateMean > 10*time.Millisecond || r.LateMost > 250*time.Millisecond
}

// ModelReps is the number of runs of the model beside a real one.
const ModelReps = 20

// RunModel runs the model of the same experiment.
func (l *Config) RunModel(ctx context.Context, e *expr.Expr, rules server.Rules) ([]overload.Rep, error) {
	if rules.Queue == 0 {
		return nil, errors.New("--model: the length of the server's accept queue is unknown, want a server on Linux")
	}
	config, err := rules.Config()
	if err != nil {
		return nil, err
	}
	config = l.Phases.In(config)
	config.Schedule = e.Seeded
	config.Clients, config.Think, config.Timeout = l.Clients, l.Think, l.Timeout
	config.Seed, config.Reps = l.Seed, ModelReps
	result, err := overload.Run(ctx, config)
	return result.Reps, err
}

// Run runs the clients.
func (l *Config) Run(ctx context.Context, e *expr.Expr, progress io.Writer) (Result, error) {
	o := Result{Expr: e, Phases: l.Phases}
	address, err := server.ParseLoopback("address", l.Address)
	if err != nil {
		return o, err
	}
	stats, err := server.ParseLoopback("stats", l.Stats)
	if err != nil {
		return o, err
	}
	observed := newObserver(stats)
	before, err := observed.first(ctx)
	switch {
	case err != nil:
		return o, fmt.Errorf("the server does not answer: %w; run \"backoff serve\" first", err)
	case before.Open > 0:
		return o, fmt.Errorf("the server has %d open requests, want a new server", before.Open)
	case l.StopPID != 0 && l.StopPID != before.PID:
		return o, fmt.Errorf("--stop-pid is %d, and the server's process is %d", l.StopPID, before.PID)
	}
	o.Rules = before.Rules
	if n, known := server.OpenFileLimit(); known && n < uint64(l.Clients)+100 {
		fmt.Fprintf(progress, "backoff: load: this process may have %d files open, which may be too few for %d clients\n", n, l.Clients)
	}

	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	record := newTimeline(l.Phases.Length())
	all := &clients{
		schedule: e, think: l.Think, timeout: l.Timeout, seed: l.Seed,
		url: "http://" + address.String() + "/", http: newHTTP(l.DialTimeout), record: record,
	}
	running.Go(func() { all.lateness.Watch(ctx, server.LatenessInterval) })
	for i := range l.Clients {
		running.Go(func() { all.run(ctx, i) })
	}
	if l.StopPID != 0 {
		// However the run ends, the server is not left stopped.
		defer resumeProcess(l.StopPID)
	}
	err = l.conduct(ctx, all, observed, &o, progress)
	if why := all.refusal.Load(); why != nil {
		fmt.Fprintf(progress, "backoff: load: the first request that failed: %s\n", *why)
	}
	if o.unanswered > 0 {
		fmt.Fprintf(progress, "backoff: load: the server did not answer at the end of %s, which have its state of before\n", digits.Count(o.unanswered, "second"))
	}
	if what := all.shortage.Load(); what != nil {
		fmt.Fprintf(progress, "backoff: load: some requests failed because this machine had no %s left\n", *what)
	}
	if observed.last.Starved > 0 {
		fmt.Fprintf(progress, "backoff: load: the server had too few file descriptors: connections that it could not accept stayed in the queue\n")
	}
	o.Seconds = record.all()
	if err == nil {
		o.Verdict = overload.Judge(o.Seconds, l.Phases.In(overload.Config{}))
		o.Verdict.PeakOpen = peakOf(o.Verdict.PeakOpen, before.Peak, observed.last.Peak)
	}
	return o, err
}

// peakOf returns the most requests that were open in a run: the server's own peak, or, if
// that was as high before the run began, the peak of the seconds.
func peakOf(ofSeconds, before, after int64) int64 {
	if after > before {
		return after
	}
	return ofSeconds
}

// An action happens at a time of a run.
type action struct {
	at time.Duration
	do func() error
}

// settling is a time after the resumption. By then the server's timers have ended that are
// late because it was stopped. If they take longer, the machine is busy.
const settling = 100 * time.Millisecond

// conduct stops and resumes the server, and records its state when each second ends.
func (l *Config) conduct(ctx context.Context, all *clients, observed *observer, o *Result, progress io.Writer) error {
	resumed := l.Phases.Warmup + l.Phases.Stop
	stopped := false
	measured := true   // the next answer counts no timer that is late because of the stop
	recent := int64(0) // the most requests open since the last second ended
	record := all.record
	ask := func(at time.Duration) error {
		// If no answer comes before the next second ends, the last one counts.
		stats, err := observed.ask(ctx, 900*time.Millisecond)
		if err != nil {
			return err
		}
		recent = max(recent, stats.RecentPeak)
		if measured {
			o.LateMost, o.LateMean = max(o.LateMost, stats.LateMost), max(o.LateMean, stats.LateMean)
		}
		measured = measured || at >= resumed+settling
		return nil
	}
	say := func(at time.Duration, format string, args ...any) {
		fmt.Fprintf(progress, "%4.0fs: %s\n", at.Seconds(), fmt.Sprintf(format, args...))
	}
	var moments []action
	for n := range record.seconds {
		end := min(time.Duration(n+1)*time.Second, l.Phases.Length())
		moments = append(moments, action{end, func() error {
			if !stopped && ask(end) != nil {
				o.unanswered++
			}
			most, mean := all.lateness.Take()
			o.LateMost, o.LateMean = max(o.LateMost, most), max(o.LateMean, mean)
			s := record.endSecond(n, observed.last.Open, recent, observed.last.Latency)
			recent = 0
			if (n+1)%5 == 0 || end == l.Phases.Length() {
				say(end, "%d in time, %d timed out, %d errors in this second; %d open, latency %s",
					s.OK, s.Timeouts, s.Refused, s.Open, digits.Brief(s.Latency))
			}
			return nil
		}})
	}
	if l.Phases.Stop > 0 {
		change := func(at time.Duration, by func(pid int) error, done, request string) {
			moments = append(moments, action{at, func() error {
				measured = false
				if l.StopPID == 0 {
					say(at, "%s the server now", request)
					return nil
				}
				if err := by(l.StopPID); err != nil {
					return err
				}
				stopped = !stopped
				say(at, "%s process %d", done, l.StopPID)
				return nil
			}})
		}
		change(l.Phases.Warmup, stopProcess, "stopped", "stop")
		change(resumed, resumeProcess, "resumed", "resume")
		if at := resumed + settling; l.StopPID != 0 {
			moments = append(moments, action{at, func() error {
				ask(at) // No answer is no error: this action then ends late, which counts.
				return nil
			}})
		}
	}
	slices.SortStableFunc(moments, func(a, b action) int { return cmp.Compare(a.at, b.at) })
	for _, m := range moments {
		if err := backoff.Sleep(ctx, m.at-time.Since(record.start)); err != nil {
			return err
		}
		// Before the action, which may change measured. Nobody asks a server that this run
		// has stopped; one that a user stops answers late.
		counts := l.StopPID != 0 || measured
		if err := m.do(); err != nil {
			return err
		}
		if counts {
			o.LateMost = max(o.LateMost, time.Since(record.start)-m.at)
		}
	}
	return nil
}

// An observer queries a server for its statistics.
type observer struct {
	url  string
	http *http.Client
	last server.Stats // the last answer
}

func newObserver(address *net.TCPAddr) *observer {
	return &observer{
		url:  "http://" + address.String() + "/",
		http: &http.Client{Transport: &http.Transport{}},
	}
}

// first asks for the first time. A server that was started together with the clients may not
// listen yet.
func (o *observer) first(ctx context.Context) (server.Stats, error) {
	const patience = 3 * time.Second
	delays := backoff.Within(backoff.Exponential(10*time.Millisecond, 1.5), patience)
	stats, err := retry.Value(ctx, delays, func(ctx context.Context) (server.Stats, error) {
		return o.ask(ctx, 5*time.Second)
	}, retry.If(func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }))
	if stopped, ok := errors.AsType[*retry.Error](err); ok {
		err = stopped.Last
	}
	return stats, err
}

// ask asks for the statistics, and gives up after timeout.
func (o *observer) ask(ctx context.Context, timeout time.Duration) (server.Stats, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url, nil)
	if err != nil {
		return o.last, err
	}
	response, err := o.http.Do(request)
	if err != nil {
		return o.last, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return o.last, fmt.Errorf("%s: status %s", o.url, response.Status)
	}
	var stats server.Stats
	if err := json.NewDecoder(response.Body).Decode(&stats); err != nil {
		return o.last, fmt.Errorf("%s: %w", o.url, err)
	}
	o.last = stats
	return stats, nil
}
