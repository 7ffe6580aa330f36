//go:build linux

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/command/serve"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/sim/overload"
)

// A load that is interrupted does not leave the server stopped.
func TestInterruptedLoadResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 3 s of real time")
	}
	for range 5 {
		err := interrupt(t)
		if !errors.Is(err, context.DeadlineExceeded) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want %v", err, context.Canceled)
			}
			return
		}
		t.Log(err) // A busy machine: the server did not answer the first question in time.
	}
	t.Error("no server answers in time")
}

// A run stops the server's process after the warm-up, and resumes it after the stop.
func TestConductStops(t *testing.T) {
	l := &Config{Phases: Phases{2 * time.Second, time.Second, 2 * time.Second}, StopPID: stoppable(t)}
	progress := &stopWaiter{t: t, pid: l.StopPID}
	// A process that is never stopped is killed, which ends the wait for that.
	tooLate := time.AfterFunc(stuck, func() { syscall.Kill(l.StopPID, syscall.SIGKILL) })
	defer tooLate.Stop()
	synctest.Test(t, func(t *testing.T) {
		o := &observer{url: "http://a/", http: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("{}"))}, nil
		})}}
		if err := l.conduct(t.Context(), &clients{record: newTimeline(l.Phases.Length())}, o, new(Result), progress); err != nil {
			t.Fatal(err)
		}
	})
	want := fmt.Sprintf("   2s: stopped process %d\n   3s: resumed process %[1]d\n"+
		"   5s: 0 in time, 0 timed out, 0 errors in this second; 0 open, latency 0s\n", l.StopPID)
	if diff := cmp.Diff(want, progress.text.String()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	// A signal that continues a process does so before it has been sent.
	var status syscall.WaitStatus
	if pid, err := syscall.Wait4(l.StopPID, &status, syscall.WCONTINUED|syscall.WNOHANG, nil); pid != l.StopPID || !status.Continued() {
		t.Errorf("the process is not resumed: %v, status %#x", err, status)
	}
}

// A stopWaiter keeps the progress of a run, and waits until the process is stopped where that
// says so: the virtual time of a bubble passes before a signal arrives.
type stopWaiter struct {
	t    *testing.T
	pid  int
	text strings.Builder
}

func (w *stopWaiter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "stopped process") {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(w.pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
			w.t.Errorf("the process is not stopped: %v, status %#x", err, status)
		}
	}
	return w.text.Write(p)
}

// stuck is when a test stops waiting. It is no limit for a machine that is busy.
const stuck = 5 * time.Minute

// interrupt interrupts a load while its server is stopped, and returns the error of the load.
func interrupt(t *testing.T) error {
	t.Helper()
	address, stats, pid := startServer(t, "")
	l := Config{
		Address: address, Stats: stats, StopPID: pid, Clients: 1, Think: time.Second, Timeout: time.Second, DialTimeout: time.Second,
		Phases: Phases{2 * time.Second, 10 * time.Minute, 5 * time.Second},
	}
	e := clitest.Parse(t, "constant(1s)")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := l.Run(ctx, e, io.Discard)
		ended <- err
	}()
	tooLate := time.After(stuck)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for !isStopped(t, pid) {
		select {
		case err := <-ended:
			return err
		case <-tooLate:
			t.Fatalf("the server is not stopped within %v", stuck)
		case <-look.C:
		}
	}
	cancel()
	select {
	case err := <-ended:
		if isStopped(t, pid) {
			t.Error("the server is still stopped")
		}
		return err
	case <-tooLate:
		t.Fatalf("the load that was interrupted has not ended within %v", stuck)
		return nil
	}
}

// isStopped reports whether a process is.
func isStopped(t *testing.T, pid int) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), ") ")
	return strings.HasPrefix(after, "T")
}

// Real servers, stopped and resumed, and real clients agree with the model: open requests
// over time differ by at most 15 %.
//
// The test compares the means of the open requests at the ends of some seconds of some runs.
// It measures the standard deviation of that mean with runs of the model, and wants four of
// them to fit into the difference that it allows. Below --latency-limit a request takes
// 300 ms and what two timers are late; at the limit a little lateness would matter more,
// since it decides about the next look. Where a queue was full, it depends on the system and
// on what else it does when each request gets through, so what is compared there is what
// depends on that little.
//
// That a machine is too busy to tell shows in the timers of the servers and of the clients,
// and in when the servers answer questions about their state: where timers are late by more
// than 10 ms on average in some second, or a timer or an answer by a quarter of a second at
// any time, a round of runs does not count. The first rounds overlap; if some do not count,
// others follow one by one. The test skips when too few count.
//
// A measurement that fails is repeated, and the second one decides, because a server that
// accepts connections late, and does nothing else late, shows in no timer. A defect fails
// both. If all timers are 10 ms late, the means are up to 5.3 % higher, which leaves three
// standard deviations of two comparisons: chance then fails one measurement of 300, and two
// in a row one test of 90,000. Where the second cannot tell, the test skips, and says what
// failed in the first.
func TestRealAgainstModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute of real time")
	}
	wrong, err := measure(t, 0)
	if wrong != nil {
		first := strings.Join(wrong, "\n")
		t.Logf("measured again, because\n%s", first)
		if wrong, err = measure(t, maxRounds); err != nil {
			t.Skipf("%v; without these, it was\n%s", err, first)
		}
	}
	if err != nil {
		t.Skip(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

// maxRounds is how many rounds a measurement takes at most.
const maxRounds = 7

// measure compares real runs with the model, and returns what is wrong, or an error if the
// machine is too busy to tell. Its first round has this number.
func measure(t *testing.T, first int) (wrong []string, busy error) {
	t.Helper()
	const (
		rounds    = 3
		modelRuns = 200
	)
	before := comparison{name: "before the stop"}
	after := make([]comparison, len(realTests))
	for try, counted := 0, 0; counted < rounds; {
		if try == maxRounds {
			return nil, fmt.Errorf("this machine is too busy to tell: of %d rounds %d count", maxRounds, counted)
		}
		n := 1
		if first+try == 0 {
			n = rounds // Later ones are for a machine that was too busy for rounds that overlap.
		}
		for _, r := range realRounds(t, first+try, n) {
			if late := r.late(); late != "" {
				t.Logf("a round does not count: %s", late)
				continue
			}
			counted++
			for i, o := range r.results {
				before.real = append(before.real, meanOpen(o.Seconds, 0, []int{0, 1}))
				after[i].real = append(after[i].real, meanOpen(o.Seconds, 5, realTests[i].after))
				after[i].rules = o.Rules
			}
		}
		try += n
	}
	for i, test := range realTests {
		after[i].name = test.flags + ", " + test.schedule
		for _, rep := range modelOf(t, test, after[i].rules, modelRuns) {
			before.model = append(before.model, meanOpen(rep.Seconds, 0, []int{0, 1}))
			after[i].model = append(after[i].model, meanOpen(rep.Seconds, 5, test.after))
		}
	}
	for _, c := range append(after, before) {
		wrong = append(wrong, c.check(t)...)
	}
	return wrong, nil
}

// A realTest is a server, clients, and what to compare.
type realTest struct {
	flags    string
	schedule string
	timeout  time.Duration
	after    []int // the seconds to compare, from the resumption
}

var realTests = []realTest{
	// It collapses: all that has arrived since is open.
	{"--abandoned keep --queue 4096", "constant(100ms)", time.Second, []int{0, 1, 2, 3, 4}},
	// It recovers.
	{"--abandoned cancel --queue 4096", "constant(100ms)", time.Second, []int{1, 2, 3, 4}},
	// It collapses. Its queue was soon full, or half as many again would be open.
	{"--abandoned keep --queue 100", "constant(100ms)", 700 * time.Millisecond, []int{1, 2, 3, 4}},
	// It recovers, by a random schedule.
	{"--abandoned keep --queue 50", "full-jitter(100ms, 10s)", 2 * time.Second, []int{1, 2, 3, 4}},
}

const realClients, realThink = 300, time.Second

var realPhases = Phases{2 * time.Second, 3 * time.Second, 5 * time.Second}

// A realRound is what came of each of the tests, run once.
type realRound struct {
	results []Result
	silent  error // a server did not answer in time, which nothing but a busy machine explains
}

// late says what was late, if anything was.
func (r realRound) late() string {
	if r.silent != nil {
		return r.silent.Error()
	}
	for i, o := range r.results {
		if o.Busy() {
			return fmt.Sprintf("%s: in some second timers are %v late on average, and timers or answers up to %v", realTests[i].flags, o.LateMean, o.LateMost)
		}
	}
	return ""
}

// realRounds runs each of the tests n times. A round begins when the servers of the one
// before have been resumed, and no two servers are stopped or resumed at one time.
func realRounds(t *testing.T, first, n int) []realRound {
	t.Helper()
	rounds := make([]realRound, n)
	var mu sync.Mutex // for silent
	var all sync.WaitGroup
	for k := range rounds {
		r := &rounds[k]
		r.results = make([]Result, len(realTests))
		for i, test := range realTests {
			address, stats, pid := startServer(t, "--latency-limit 100 --base-latency 300ms --poll 150ms "+test.flags)
			l := Config{
				Address: address, Stats: stats, StopPID: pid,
				Clients: realClients, Think: realThink, Timeout: test.timeout, DialTimeout: 30 * time.Second,
				Phases: realPhases, Seed: uint64((first+k)*len(realTests) + i),
			}
			e := clitest.Parse(t, test.schedule)
			wait := time.Duration(k)*(realPhases.Warmup+realPhases.Stop) + time.Duration(i)*300*time.Millisecond
			all.Go(func() {
				time.Sleep(wait)
				o, err := l.Run(t.Context(), e, io.Discard)
				r.results[i] = o
				switch {
				case errors.Is(err, context.DeadlineExceeded) && t.Context().Err() == nil:
					mu.Lock()
					r.silent = err
					mu.Unlock()
				case err != nil:
					t.Error(err)
				}
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return rounds
}

// A comparison is of numbers of real runs and of many of the model.
type comparison struct {
	name        string
	rules       server.Rules
	real, model []float64
}

// meanOpen returns the mean of the open requests at the ends of those seconds.
func meanOpen(seconds []overload.Second, from int, which []int) float64 {
	sum := 0.0
	for _, n := range which {
		sum += float64(seconds[from+n].Open)
	}
	return sum / float64(len(which))
}

// check returns what is wrong.
func (c *comparison) check(t *testing.T) (wrong []string) {
	t.Helper()
	const allowed = 0.15
	got, _ := meanAndDeviation(c.real)
	want, deviation := meanAndDeviation(c.model)
	deviation /= math.Sqrt(float64(len(c.real))) * want
	off := got/want - 1
	t.Logf("%s: %.1f open, %+.1f %% of the model's; its standard deviation is %.1f %%; each: %.0f", c.name, got, 100*off, 100*deviation, c.real)
	if math.Abs(off) > allowed {
		wrong = append(wrong, fmt.Sprintf("%s: %.1f open, want %.1f, as in the model, within %v %%", c.name, got, want, 100*allowed))
	}
	if deviation > allowed/4 {
		wrong = append(wrong, fmt.Sprintf("%s: a standard deviation of %.1f %% is too much to tell", c.name, 100*deviation))
	}
	return wrong
}

// modelOf returns runs of the model of a test.
func modelOf(t *testing.T, test realTest, rules server.Rules, reps int) []overload.Rep {
	t.Helper()
	config, err := rules.Config()
	if err != nil {
		t.Fatal(err)
	}
	config.Schedule = clitest.Parse(t, test.schedule).Seeded
	config.Clients, config.Think, config.Timeout = realClients, realThink, test.timeout
	config.Warmup, config.Trigger.For, config.After = realPhases.Warmup, realPhases.Stop, realPhases.After
	config.Reps = reps
	result, err := overload.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return result.Reps
}

func meanAndDeviation(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

// The test binary is the server where this variable says so.
const asServer = "BACKOFF_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		os.Exit(cli.Execute(context.Background(), cli.NewRoot(serve.New()), append([]string{"serve"}, os.Args[1:]...), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

var servingLine = regexp.MustCompile(`^serving on (\S+), statistics on (\S+), process (\d+)$`)

// startServer starts a server in a process of its own, and returns what its first
// line says.
func startServer(t *testing.T, flags string) (address, stats string, pid int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"--address", "127.0.0.1:0", "--stats", "127.0.0.1:0"}, strings.Fields(flags)...)...)
	cmd.Env = append(os.Environ(), asServer+"=1")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() // ends a stopped process too
		cmd.Wait()
	})
	out := bufio.NewReader(stdout)
	tooLate := time.AfterFunc(stuck, func() { cmd.Process.Kill() }) // which ends its output
	line, err := out.ReadString('\n')
	if !tooLate.Stop() {
		t.Fatalf("the server writes %q and no line within %v", line, stuck)
	}
	parts := servingLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
	if parts == nil {
		t.Fatalf("the server's first line is %q, error %v", line, err)
	}
	go io.Copy(io.Discard, out)
	pid, err = strconv.Atoi(parts[3])
	if err != nil {
		t.Fatal(err)
	}
	return parts[1], parts[2], pid
}
