// Package killed runs a worker as a process of its own and kills it between attempts,
// again and again, to see whether an engine loses a job or its place in the schedule.
//
// A test calls [Main] in TestMain, and then [Run] and [Check]. The worker calls [Begin],
// [Ask] and [Done].
package killed

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// What tells what an event is about.
const (
	began = "begin" // an attempt begins
	asked = "ask"   // an attempt has failed, and the engine knows when to retry
	done  = "done"  // an attempt has succeeded
)

// An Event is what a worker printed about a job.
type Event struct {
	What  string
	Job   string
	Retry int           // 0 for the first attempt, 1 for the first retry
	Delay time.Duration // until the retry after this one, if What is "ask"
	At    time.Time
}

// variable holds the argument of a worker.
const variable = "BACKOFF_KILLED_WORKER"

// Main runs the tests of m, or work if the process is a worker. It returns the status to
// exit with.
func Main(m *testing.M, work func(argument string) error) int {
	argument, ok := os.LookupEnv(variable)
	if !ok {
		return m.Run()
	}
	go func() { // a worker ends with its test
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	if err := work(argument); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Begin tells that an attempt of job begins, which is retry number retry, or the first
// attempt if that is 0.
func Begin(job string, retry int) {
	report(Event{began, job, retry, 0, time.Now()})
}

// Ask calls give, which gives the engine the delay until the next retry, and tells that
// it has succeeded.
func Ask(job string, retry int, delay time.Duration, give func() error) error {
	e := Event{asked, job, retry, delay, time.Now()}
	if err := give(); err != nil {
		return err
	}
	report(e)
	return nil
}

// Done tells that an attempt of job has succeeded.
func Done(job string, retry int) {
	report(Event{done, job, retry, 0, time.Now()})
}

// report prints e in one write, so that goroutines may report at the same time.
func report(e Event) {
	fmt.Printf("%s %s %d %d %d\n", e.What, e.Job, e.Retry, e.Delay, e.At.UnixNano())
}

func parse(line string) (e Event, err error) {
	var at int64
	_, err = fmt.Sscanf(line, "%s %s %d %d %d", &e.What, &e.Job, &e.Retry, &e.Delay, &at)
	e.At = time.Unix(0, at)
	return e, err
}

// Run starts the worker with its argument, and kills it with SIGKILL after 1, 2, 3, 1, 2,
// 3, ... delays that it asked for, as many times as kills says. The worker after that
// one may work until all jobs are done. Run returns what all workers told.
func Run(t *testing.T, argument string, jobs []string, kills int) []Event {
	t.Helper()
	missing := make(map[string]bool)
	for _, j := range jobs {
		missing[j] = true
	}
	var events []Event
	for life := range kills + 1 {
		start := len(events)
		asks := life%3 + 1
		events = append(events, live(t, argument, func(e Event) (enough bool) {
			switch e.What {
			case asked:
				asks--
			case done:
				delete(missing, e.Job)
			}
			return life < kills && asks <= 0 || len(missing) == 0
		})...)
		if len(missing) == 0 && life < kills {
			t.Fatalf("all jobs were done after %d kills, want %d", life, kills)
		}
		t.Logf("worker %d told %d events", life+1, len(events)-start)
	}
	return events
}

// live runs a worker until enough returns true of one of its events, and kills it.
func live(t *testing.T, argument string, enough func(Event) bool) (events []Event) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^$")
	cmd.Env = append(os.Environ(), variable+"="+argument)
	cmd.Stderr = t.Output()
	if _, err := cmd.StdinPipe(); err != nil { // which closes when this process ends
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	patience := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer patience.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		patience.Reset(2 * time.Minute)
		e, err := parse(lines.Text())
		if err != nil {
			t.Fatalf("the worker printed %q: %v", lines.Text(), err)
		}
		events = append(events, e)
		if enough(e) {
			return events
		}
	}
	t.Fatalf("the worker ended, or was silent for 2 minutes, after %d events", len(events))
	return nil
}

// Check fails the test unless each job is done, no attempt of it has a lower number than
// the one before it, or the same number after a delay was asked for, each delay that a worker asked for is the schedule's (delay n before
// retry n+1, counting from 0), and no retry came before its time.
func Check(t *testing.T, events []Event, jobs []string, delays []time.Duration) {
	t.Helper()
	for _, f := range faults(events, jobs, delays) {
		t.Error(f)
	}
}

func faults(events []Event, jobs []string, delays []time.Duration) (all []string) {
	for _, job := range jobs {
		var mine []Event
		for _, e := range events {
			if e.Job == job {
				mine = append(mine, e)
			}
		}
		if !slices.ContainsFunc(mine, func(e Event) bool { return e.What == done }) {
			all = append(all, fmt.Sprintf("job %s is lost: it was never done", job))
		}
		highest, ready := 0, time.Time{}
		for _, e := range mine {
			if e.Retry < highest {
				all = append(all, fmt.Sprintf("job %s falls back to retry %d, want at least %d", job, e.Retry, highest))
			}
			highest = max(highest, e.Retry)
			if e.What == asked {
				highest = max(highest, e.Retry+1)
			}
			switch e.What {
			case began:
				if early := ready.Sub(e.At); early > time.Millisecond {
					all = append(all, fmt.Sprintf("job %s: retry %d came %v too early", job, e.Retry, early))
				}
			case asked:
				ready = e.At.Add(e.Delay)
				if e.Retry >= len(delays) {
					all = append(all, fmt.Sprintf("job %s asked for a delay after retry %d, want at most %d retries", job, e.Retry, len(delays)))
				} else if want := delays[e.Retry]; e.Delay != want {
					all = append(all, fmt.Sprintf("job %s: the delay after retry %d is %v, want %v", job, e.Retry, e.Delay, want))
				}
			}
		}
	}
	return all
}
