package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
	"example.com/backoff/sim/overload"
)

// A loading is what the flags of load say.
type loading struct {
	address, stats string
	clients        int
	think, timeout time.Duration
	dialTimeout    time.Duration
	course         course
	stopPID        int
	seed           uint64
	model          bool
}

// maxClients is far above what ports and files allow on one machine.
const maxClients = 100_000

var loadFormats = []string{"table", "csv"}

func newLoad() *cobra.Command {
	var l loading
	var o presentation
	load := &cobra.Command{
		Use:   "load EXPR",
		Short: "Load a server with clients that retry",
		Long: `Load a server on a loopback address, one that "backoff serve" has just begun,
with clients that retry as the schedule says: the experiment of "backoff sim
overload", in real time.

Each of --clients thinks, for a time that is exponentially distributed with a
mean of --think, and makes a request, which it abandons after --timeout. After a
failure it makes another when the next delay of its schedule is over, until one
succeeds or the schedule ends. Then it thinks again.

All of them share the transport of net/http, as the goroutines of a program do.
It goes on connecting for --dial-timeout when a request was abandoned, and gives
the connection to another one that waits: of requests that found the accept queue
full, those that still wait are connected at once when the server resumes.

The server is stopped after --warmup and goes on after --stop, and --after that
the run ends. With --stop-pid load itself stops and resumes the process, which
is the server's; without, do it by hand.

Every five seconds it says on standard error how it goes, and when it is over it
writes a table, and the verdict: whether the goodput, the requests answered in
time, came back to 90 % of what it was before the stop. With --format csv it
writes a line for each second n, from n s to n+1 s:

    schedule     the expression
    t_s          n
    first        operations begun
    retries      further requests
    ok           requests answered in time
    timeouts     requests abandoned by their client
    refused      requests that failed otherwise
    open         requests that the server is at when the second ends, abandoned
                 ones among them; while it is stopped, those at which it was
    latency_ms   its latency with so many, in milliseconds

--model runs the model of the same server and clients as well. Its lines in CSV
have a schedule of "EXPR (model)", and are those of --seed; the table has the
median of ` + fmt.Sprint(modelReps) + ` runs. --png and --svg draw open requests and goodput, of the
model between least and most.`,
		Example: `  backoff serve --abandoned keep
  backoff load 'constant(100ms)' --stop-pid $(pgrep -xf 'backoff serve.*') --model --png fixed.png
  backoff load 'full-jitter(100ms, 10s)' --clients 300 --stop 5s --after 20s`,
		Args:              wantOneExpr,
		ValidArgsFunction: completeExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := l.check(cmd.Flags().Changed("stop-pid"))
			if err != nil {
				return fmt.Errorf("load: %w", err)
			}
			if err := checkLoadFormat(&o); err != nil {
				return fmt.Errorf("load: %w", err)
			}
			if err := o.checkFiles("load"); err != nil {
				return err
			}
			exprs, err := parseExprs(args)
			if err != nil {
				return err
			}
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer cancel()
			err = runLoad(ctx, &l, &o, exprs[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
			switch {
			case ctx.Err() != nil:
				fmt.Fprintln(cmd.ErrOrStderr(), "backoff: load: interrupted")
				return exitError(130)
			case err != nil:
				return fmt.Errorf("load: %w", err)
			}
			return nil
		},
	}
	model := overload.Default()
	flags := load.Flags()
	flags.StringVar(&l.address, "address", defaultAddress, "the loopback `address` of the server")
	flags.StringVar(&l.stats, "stats", defaultStats, "the loopback `address` of its statistics")
	flags.IntVar(&l.clients, "clients", model.Clients, "how many clients")
	flags.DurationVar(&l.think, "think", model.Think, "the mean time that a client thinks before its next operation")
	flags.DurationVar(&l.timeout, "timeout", model.Timeout, "when a client abandons a request")
	flags.DurationVar(&l.dialTimeout, "dial-timeout", 30*time.Second, "how long to go on connecting, also for a request that was abandoned")
	flags.DurationVar(&l.course.warmup, "warmup", model.Warmup, "how long all goes well")
	flags.DurationVar(&l.course.stop, "stop", model.Trigger.For, "how long the server is stopped then")
	flags.DurationVar(&l.course.after, "after", model.After, "how long it has to recover")
	flags.IntVar(&l.stopPID, "stop-pid", 0, "the `process` to stop and resume, which is the server's")
	flags.Uint64Var(&l.seed, "seed", 1, "where the random numbers of clients begin")
	flags.BoolVar(&l.model, "model", false, "run the model as well, to compare")
	flags.BoolVar(&o.logarithmic, "log", false, "draw open requests on a logarithmic axis")
	flags.StringVar(&o.format, "format", "table", "write as `format`: table or csv")
	flags.Var((*fileName)(&o.png), "png", "draw the run into this PNG `file`")
	flags.Var((*fileName)(&o.svg), "svg", "draw the run into this SVG `file`")
	complete := cobra.FixedCompletions(loadFormats, cobra.ShellCompDirectiveNoFileComp)
	if err := load.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
	return load
}

// wantOneExpr is the check of the arguments of a command that takes one expression.
func wantOneExpr(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s: %d expressions, want one", cmd.Name(), len(args))
	}
	return wantExprs(cmd, args)
}

func (l *loading) check(stops bool) error {
	reject := func(flag string, got any, want string) error {
		return fmt.Errorf("--%s is %v, want %s", flag, got, want)
	}
	switch {
	case l.clients < 1 || l.clients > maxClients:
		return reject("clients", l.clients, fmt.Sprintf("a whole number in [1, %d]", maxClients))
	case l.think < 0 || l.think > 24*time.Hour:
		return reject("think", l.think, "0 to 24h")
	case l.timeout <= 0 || l.timeout > time.Hour:
		return reject("timeout", l.timeout, "above 0, at most 1h")
	case l.dialTimeout <= 0 || l.dialTimeout > time.Hour:
		return reject("dial-timeout", l.dialTimeout, "above 0, at most 1h")
	case l.course.warmup < 2*time.Second || l.course.warmup > time.Hour:
		return reject("warmup", l.course.warmup, "2s to 1h")
	case l.course.stop < 0 || l.course.stop > time.Hour:
		return reject("stop", l.course.stop, "0 to 1h")
	case l.course.after < 5*time.Second || l.course.after > time.Hour:
		return reject("after", l.course.after, "5s to 1h")
	case l.course.length() > time.Hour:
		return reject("warmup + --stop + --after", l.course.length(), "at most 1h")
	case !stops:
		return nil
	case l.stopPID <= 1 || l.stopPID == os.Getpid():
		return reject("stop-pid", l.stopPID, "the number of the server's process")
	}
	if err := mayStop(l.stopPID); err != nil {
		return fmt.Errorf("--stop-pid %d: %w", l.stopPID, err)
	}
	return nil
}

func checkLoadFormat(o *presentation) error {
	if !slices.Contains(loadFormats, o.format) {
		return fmt.Errorf("--format is %q, want one of %s", o.format, strings.Join(loadFormats, ", "))
	}
	return nil
}

func runLoad(ctx context.Context, l *loading, p *presentation, e *expr.Expr, stdout, stderr io.Writer) error {
	o, err := l.measure(ctx, e, stderr)
	if err != nil {
		return err
	}
	if l.model {
		if o.model, err = l.runModel(ctx, e, o.rules); err != nil {
			return err
		}
	}
	if p.format == "csv" {
		verdict := bufio.NewWriter(stderr)
		writeRunVerdict(verdict, o)
		err = errors.Join(verdict.Flush(), writeRunCSV(stdout, o))
	} else {
		err = writeRunTable(stdout, o)
	}
	return errors.Join(err, p.writePictures(runFigures(o, p.logarithmic)...))
}

// An outcome is what came of a run.
type outcome struct {
	expr    *expr.Expr
	course  course
	rules   serverRules
	seconds []overload.Second
	verdict overload.Verdict
	model   []overload.Rep // of the same; none unless asked for

	unanswered int // seconds at whose end the server, not stopped, did not say how it was

	// How late timers were in the worst second, the server's and the clients', but for
	// the server's until a second after the stop.
	lateMost, lateMean time.Duration
}

// modelReps is how many runs of the model there are beside a real one.
const modelReps = 20

// runModel runs the model of what was run.
func (l *loading) runModel(ctx context.Context, e *expr.Expr, rules serverRules) ([]overload.Rep, error) {
	if rules.Queue == 0 {
		return nil, errors.New("--model: the server does not know how long its accept queue is")
	}
	config, err := rules.config()
	if err != nil {
		return nil, err
	}
	config.Schedule = drawsOf(e)
	config.Clients, config.Think, config.Timeout = l.clients, l.think, l.timeout
	config.Warmup, config.Trigger.For, config.After = l.course.warmup, l.course.stop, l.course.after
	config.Seed, config.Reps = l.seed, modelReps
	result, err := overload.Run(ctx, config)
	return result.Reps, err
}

// measure runs the clients.
func (l *loading) measure(ctx context.Context, e *expr.Expr, progress io.Writer) (outcome, error) {
	o := outcome{expr: e, course: l.course}
	address, err := loopback("address", l.address)
	if err != nil {
		return o, err
	}
	stats, err := loopback("stats", l.stats)
	if err != nil {
		return o, err
	}
	observed := newObserver(stats)
	before, err := observed.first(ctx)
	switch {
	case err != nil:
		return o, fmt.Errorf("no server says how it is: %w; run \"backoff serve\" first", err)
	case before.Open > 0:
		return o, fmt.Errorf("the server has %d open requests, begin it anew", before.Open)
	case l.stopPID != 0 && l.stopPID != before.PID:
		return o, fmt.Errorf("--stop-pid is %d, and the server's process is %d", l.stopPID, before.PID)
	}
	o.rules = before.Rules
	if n, known := openFiles(); known && n < uint64(l.clients)+100 {
		fmt.Fprintf(progress, "backoff: load: this process may have %d files open, which may be too few for %d clients\n", n, l.clients)
	}

	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	record := newTimeline(l.course.length())
	all := &clients{
		schedule: e, think: l.think, timeout: l.timeout, seed: l.seed,
		url: "http://" + address.String() + "/", http: newHTTP(l.dialTimeout), record: record,
	}
	running.Go(func() { all.late.watch(ctx, watchEvery) })
	for i := range l.clients {
		running.Go(func() { all.run(ctx, i) })
	}
	if l.stopPID != 0 {
		// Whatever happens, it is not left stopped.
		defer resumeProcess(l.stopPID)
	}
	err = l.conduct(ctx, all, observed, &o, progress)
	if why := all.refusal.Load(); why != nil {
		fmt.Fprintf(progress, "backoff: load: the first request that was refused: %s\n", *why)
	}
	if o.unanswered > 0 {
		fmt.Fprintf(progress, "backoff: load: the server did not say how it was at the end of %s; there it is as it was before\n", count(o.unanswered, "second"))
	}
	if what := all.lacks.Load(); what != nil {
		fmt.Fprintf(progress, "backoff: load: some requests failed since this machine had no %s left\n", *what)
	}
	if observed.last.Starved > 0 {
		fmt.Fprintf(progress, "backoff: load: the server had too few file descriptors: what it did not accept stayed in the queue\n")
	}
	o.seconds = record.all()
	if err == nil {
		o.verdict = overload.Judge(o.seconds, l.course.warmup, l.course.stop, l.course.after)
		o.verdict.PeakOpen = peakOf(o.verdict.PeakOpen, before.Peak, observed.last.Peak)
	}
	return o, err
}

// peakOf returns the most requests that were open in a run: what the server says, unless
// it said so before the run began; then the most at the end of a second.
func peakOf(atSeconds, before, after int64) int64 {
	if after > before {
		return after
	}
	return atSeconds
}

// A moment is a time of a run at which there is something to do.
type moment struct {
	at time.Duration
	do func() error
}

// conduct stops and resumes the server, and notes how it is when each second ends.
func (l *loading) conduct(ctx context.Context, all *clients, observed *observer, o *outcome, progress io.Writer) error {
	resumed := l.course.warmup + l.course.stop
	stopped := false
	record := all.record
	say := func(at time.Duration, format string, args ...any) {
		fmt.Fprintf(progress, "%4.0fs: %s\n", at.Seconds(), fmt.Sprintf(format, args...))
	}
	var moments []moment
	for n := range record.seconds {
		end := min(time.Duration(n+1)*time.Second, l.course.length())
		moments = append(moments, moment{end, func() error {
			if !stopped {
				// As it was, if there is no answer before the next second ends.
				if _, err := observed.ask(ctx, 900*time.Millisecond); err != nil {
					o.unanswered++
				}
			}
			most, mean := all.late.take()
			o.lateMost, o.lateMean = max(o.lateMost, most), max(o.lateMean, mean)
			if end <= l.course.warmup || end >= resumed+2*time.Second {
				o.lateMost, o.lateMean = max(o.lateMost, observed.last.LateMost), max(o.lateMean, observed.last.LateMean)
			}
			s := record.ended(n, observed.last.Open, observed.last.Latency)
			if (n+1)%5 == 0 || end == l.course.length() {
				say(end, "%d ok, %d timeouts, %d refused in this second; %d open, latency %s",
					s.OK, s.Timeouts, s.Refused, s.Open, latencyText(s.Latency))
			}
			return nil
		}})
	}
	if l.course.stop > 0 {
		change := func(at time.Duration, by func(pid int) error, done, request string) {
			moments = append(moments, moment{at, func() error {
				if l.stopPID == 0 {
					say(at, "%s the server now", request)
					return nil
				}
				if err := by(l.stopPID); err != nil {
					return err
				}
				stopped = !stopped
				say(at, "%s process %d", done, l.stopPID)
				return nil
			}})
		}
		change(l.course.warmup, stopProcess, "stopped", "stop")
		change(resumed, resumeProcess, "resumed", "resume")
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	for _, m := range moments {
		if err := backoff.Sleep(ctx, m.at-time.Since(record.begun)); err != nil {
			return err
		}
		if err := m.do(); err != nil {
			return err
		}
	}
	return nil
}

// An observer asks a server for its statistics.
type observer struct {
	url  string
	http *http.Client
	last serverStats // the last answer
}

func newObserver(address *net.TCPAddr) *observer {
	return &observer{
		url:  "http://" + address.String() + "/",
		http: &http.Client{Transport: &http.Transport{}},
	}
}

// first asks for the first time. A server that was begun together with the clients may
// not be there yet.
func (o *observer) first(ctx context.Context) (serverStats, error) {
	const patience = 3 * time.Second
	delays := backoff.Within(backoff.Exponential(10*time.Millisecond, 1.5), patience)
	stats, err := retry.Value(ctx, delays, func(ctx context.Context) (serverStats, error) {
		return o.ask(ctx, 5*time.Second)
	}, retry.If(func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }))
	if stopped, ok := errors.AsType[*retry.Error](err); ok {
		err = stopped.Last
	}
	return stats, err
}

// ask asks, and gives up after a time.
func (o *observer) ask(ctx context.Context, timeout time.Duration) (serverStats, error) {
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
	var stats serverStats
	if err := json.NewDecoder(response.Body).Decode(&stats); err != nil {
		return o.last, fmt.Errorf("%s: %w", o.url, err)
	}
	o.last = stats
	return stats, nil
}
