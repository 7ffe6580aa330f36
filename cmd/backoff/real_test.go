//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/backoff/sim/overload"
)

var servingLine = regexp.MustCompile(`^serving on (\S+), statistics on (\S+), process (\d+)$`)

// startServer starts a server in a process of its own, and returns what its first
// line says.
func startServer(t *testing.T, flags string) (address, stats string, pid int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"serve", "--address", "127.0.0.1:0", "--stats", "127.0.0.1:0"}
	cmd := exec.Command(self, append(args, strings.Fields(flags)...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
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
	line, err := out.ReadString('\n')
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

// A load that is interrupted does not leave the server stopped.
func TestInterruptedLoadResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 3 s of real time")
	}
	address, stats, pid := startServer(t, "")
	l := loading{
		address: address, stats: stats, stopPID: pid, clients: 1, think: time.Second, timeout: time.Second, dialTimeout: time.Second,
		course: course{2 * time.Second, 10 * time.Minute, 5 * time.Second},
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() {
		_, err := l.measure(ctx, parsed(t, "constant(1s)"), io.Discard)
		ended <- err
	}()
	deadline := time.Now().Add(time.Minute)
	for !isStopped(t, pid) {
		if time.Now().After(deadline) {
			t.Fatal("the server is not stopped")
		}
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if isStopped(t, pid) {
		t.Error("the server is still stopped")
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

// load begins only where all is as it should be.
func TestLoadRefuses(t *testing.T) {
	var stats serverStats
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(stats)
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	_, _, pid := startServer(t, "") // another one
	other := fmt.Sprint(pid)
	for _, test := range []struct {
		stats serverStats
		args  string
		want  string
	}{
		{serverStats{Open: 7}, "", "the server has 7 open requests, begin it anew"},
		{serverStats{PID: 1}, "--stop-pid " + other, "--stop-pid is " + other + ", and the server's process is 1"},
	} {
		stats = test.stats
		status, stdout, stderr := runs(t, strings.Fields("load constant(1s) --stats "+address+" "+test.args)...)
		if want := "backoff: load: " + test.want + "\n"; status != 2 || stdout != "" || stderr != want {
			t.Errorf("%s: status %d, %q, %q; want %q", test.args, status, stdout, stderr, want)
		}
	}
	server.Close()
	status, _, stderr := runs(t, "load", "constant(1s)", "--stats", address)
	if status != 2 || !strings.HasPrefix(stderr, "backoff: load: no server says how it is: ") {
		t.Errorf("without a server: status %d, %q", status, stderr)
	}
}

// Real servers, stopped and resumed, and real clients do as the model says: open
// requests over time agree within 15 %.
//
// What is compared is the mean of the open requests at the ends of some seconds of
// some runs. The model's own runs tell the standard deviation of that mean, and the
// test holds it to a fourth of what it allows: so chance alone fails one comparison of
// 16,000. Below --limit a request takes 300 ms and what two timers are late; at the
// limit a little lateness would matter more, since it decides about the next look.
//
// That a machine is too busy to tell shows in the timers of the servers and of the
// clients: where they are late by more than 10 ms on average in some second, or by a
// quarter of a second at any time, the test begins again, and skips when it is so
// again.
func TestRealAgainstModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10 s of real time")
	}
	var late string
	for range 2 {
		if late = realAgainstModel(t); late == "" {
			return
		}
		t.Log(late)
	}
	t.Skipf("this machine is too busy to tell: %s", late)
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
	{"--abandoned drop --queue 4096", "constant(100ms)", time.Second, []int{1, 2, 3, 4}},
	// It collapses with fewer open, since its queue was soon full.
	{"--abandoned keep --queue 50", "constant(100ms)", time.Second, []int{1, 2, 3, 4}},
	// It recovers, by a random schedule.
	{"--abandoned keep --queue 50", "full-jitter(100ms, 10s)", 2 * time.Second, []int{1, 2, 3, 4}},
}

func realAgainstModel(t *testing.T) (late string) {
	const (
		runs      = 3 // of each test, all at one time
		modelRuns = 200
		lateMean  = 10 * time.Millisecond
		lateMost  = 250 * time.Millisecond
	)
	c := course{2 * time.Second, 3 * time.Second, 5 * time.Second}
	loadings := make([][runs]loading, len(realTests))
	outcomes := make([][runs]outcome, len(realTests))
	var all sync.WaitGroup
	for i, test := range realTests {
		for n := range runs {
			address, stats, pid := startServer(t, "--limit 100 --base-latency 300ms --poll 150ms "+test.flags)
			l := &loadings[i][n]
			*l = loading{
				address: address, stats: stats, stopPID: pid, clients: 300,
				think: time.Second, timeout: test.timeout, dialTimeout: 30 * time.Second, course: c, seed: uint64(i*runs + n),
			}
			e := parsed(t, test.schedule)
			all.Go(func() {
				time.Sleep(time.Duration(i*runs+n) * 100 * time.Millisecond) // for them not to look at one time
				o, err := l.measure(t.Context(), e, io.Discard)
				if err != nil {
					t.Error(err)
				}
				outcomes[i][n] = o
			})
		}
	}
	all.Wait()
	if t.Failed() {
		return ""
	}
	type comparison struct {
		name        string
		real, model []float64
	}
	var most, mean time.Duration
	before := comparison{name: "before the stop"}
	var comparisons []comparison
	for i, test := range realTests {
		after := comparison{name: test.flags + ", " + test.schedule}
		for _, o := range outcomes[i] {
			most, mean = max(most, o.lateMost), max(mean, o.lateMean)
			before.real = append(before.real, meanOpen(o.seconds, 0, []int{0, 1}))
			after.real = append(after.real, meanOpen(o.seconds, 5, test.after))
		}
		for _, rep := range modelOf(t, loadings[i][0], test.schedule, outcomes[i][0].rules, modelRuns) {
			before.model = append(before.model, meanOpen(rep.Seconds, 0, []int{0, 1}))
			after.model = append(after.model, meanOpen(rep.Seconds, 5, test.after))
		}
		comparisons = append(comparisons, after)
	}
	if mean > lateMean || most > lateMost {
		return fmt.Sprintf("in some second timers are up to %v late, and %v on average", most, mean)
	}
	t.Logf("timers are up to %v late, and %v on average in the worst second", most, mean)
	for _, c := range append(comparisons, before) {
		compareOpen(t, c.name, c.real, c.model)
	}
	return ""
}

// meanOpen returns the mean of the open requests at the ends of those seconds.
func meanOpen(seconds []overload.Second, from int, which []int) float64 {
	sum := 0.0
	for _, n := range which {
		sum += float64(seconds[from+n].Open)
	}
	return sum / float64(len(which))
}

// compareOpen compares numbers of real runs and of many of the model.
func compareOpen(t *testing.T, name string, real, model []float64) {
	t.Helper()
	const allowed = 0.15
	got, _ := meanAndDeviation(real)
	want, deviation := meanAndDeviation(model)
	deviation /= math.Sqrt(float64(len(real))) * want
	off := got/want - 1
	t.Logf("%s: %.1f open, %+.1f %% of the model's; its standard deviation is %.1f %%", name, got, 100*off, 100*deviation)
	if math.Abs(off) > allowed {
		t.Errorf("%s: %.1f open, want %.1f, as in the model, within %v %%", name, got, want, 100*allowed)
	}
	if deviation > allowed/4 {
		t.Errorf("%s: a standard deviation of %.1f %% is too much to tell", name, 100*deviation)
	}
}

func modelOf(t *testing.T, l loading, schedule string, rules serverRules, reps int) []overload.Rep {
	t.Helper()
	config, err := rules.config()
	if err != nil {
		t.Fatal(err)
	}
	config.Schedule = drawsOf(parsed(t, schedule))
	config.Clients, config.Think, config.Timeout = l.clients, l.think, l.timeout
	config.Warmup, config.Trigger.For, config.After = l.course.warmup, l.course.stop, l.course.after
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
