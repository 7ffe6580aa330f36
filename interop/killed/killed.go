// Package killed runs a worker as a process of its own and kills it between attempts,
// again and again, to see whether an engine loses a job or its place in the schedule.
//
// A test calls [Main] in TestMain, and then [Run] and [Check]. The worker calls [Begin],
// [Ask] and [Done]. Events count in the order in which the worker tells them, so a worker
// of several goroutines must not begin a job again before it has told what it asked for.
package killed

import (
	"bufio"
	"context"
	"fmt"
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

// unread holds an element for each event that the worker told and the test has not read.
// A worker waits while it is full. Otherwise a worker could finish all jobs before a test
// on a busy machine kills it.
var unread = make(chan struct{}, 8)

// Main runs the tests of m, or work if the process is a worker. It returns the status to
// exit with.
func Main(m *testing.M, work func(argument string) error) int {
	argument, ok := os.LookupEnv(variable)
	if !ok {
		return m.Run()
	}
	go func() {
		// The test writes a byte for each event that it has read.
		in := bufio.NewReader(os.Stdin)
		for {
			if _, err := in.ReadByte(); err != nil {
				os.Exit(1) // because the test has ended
			}
			<-unread
		}
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

// Ask calls give, and tells that it has succeeded. Give must not return before the engine
// has the delay until the next retry, because the worker may be killed right after it.
func Ask(job string, retry int, delay time.Duration, give func() error) error {
	e := Event{asked, job, retry, delay, time.Now()}
	if err := give(); err != nil {
		return err
	}
	report(e)
	return nil
}

// Done tells that an attempt of job has succeeded. Call it before the engine is told: a
// worker that is killed between the two does the job once more, and otherwise it would
// seem lost.
func Done(job string, retry int) {
	report(Event{done, job, retry, 0, time.Now()})
}

// report prints e in one write, so that goroutines may report at the same time.
func report(e Event) {
	unread <- struct{}{}
	fmt.Printf("%s %s %d %d %d\n", e.What, e.Job, e.Retry, e.Delay, e.At.UnixNano())
}

func parse(line string) (e Event, err error) {
	var at int64
	_, err = fmt.Sscanf(line, "%s %s %d %d %d", &e.What, &e.Job, &e.Retry, &e.Delay, &at)
	e.At = time.Unix(0, at)
	return e, err
}

// Run starts the worker with its argument, and kills it with SIGKILL after 1, 2, 3, 1, 2,
// 3, ... delays that it asked for, as many times as kills says. A worker may tell 8 more
// events before the signal reaches it, so give the jobs more than 6 delays for each kill.
// The worker after the last kill may work until all jobs are done. Run returns what all
// workers told.
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

// live runs a worker until enough returns true of one of its events, and kills it. The
// events include those that the worker told before the signal reached it.
func live(t *testing.T, argument string, enough func(Event) bool) (events []Event) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // if it never finishes a job
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^$")
	cmd.Env = append(os.Environ(), variable+"="+argument)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe() // which closes when this process ends
	if err != nil {
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
	killed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		patience.Reset(2 * time.Minute)
		e, err := parse(lines.Text())
		if err != nil {
			t.Fatalf("the worker printed %q: %v", lines.Text(), err)
		}
		events = append(events, e)
		switch {
		case enough(e):
			killed = true
			cmd.Process.Kill()
		case !killed:
			in.Write([]byte{0}) // an error means that the worker has ended, as does the loop
		}
	}
	if !killed {
		t.Fatalf("the worker ended, was silent for 2 minutes or told too much for 5, after %d events", len(events))
	}
	return events
}

// Check fails the test unless each job is done, no retry came before its time, and each
// delay that a worker asked for is the schedule's: delays[n] before retry n+1, counting
// from 0. No attempt may have a lower number than the one before it of the same job, nor
// the same number if a delay was asked for between the two.
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
