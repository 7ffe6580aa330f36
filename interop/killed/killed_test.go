package killed

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var fixed = func() (delays []time.Duration) {
	for n := range 8 {
		delays = append(delays, time.Duration(n+1)*time.Millisecond)
	}
	return delays
}()

// TestMain has a worker with a durable engine: a file to which each state of a job is
// appended. With the argument "forget FILE" it does not read the file, as an engine that
// loses the place of its jobs. With the argument "rush" it asks without end, and with
// "last word" it tells of a delay and of a success in one write.
func TestMain(m *testing.M) { os.Exit(Main(m, work)) }

func work(argument string) error {
	switch argument {
	case "rush":
		for {
			Ask("a", 0, 0, func() error { return nil })
		}
	case "last word":
		fmt.Printf("%[1]s a 0 0 0\n%[2]s a 0 0 0\n", asked, done)
		select {}
	}
	mode, name, _ := strings.Cut(argument, " ")
	retries := map[string]int{}
	if f, err := os.Open(name); err == nil && mode != "forget" {
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var job string
			var retry int
			if _, err := fmt.Sscan(lines.Text(), &job, &retry); err != nil {
				return err
			}
			retries[job] = retry
		}
		f.Close()
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for {
		for _, job := range []string{"a", "b"} {
			retry := retries[job]
			Begin(job, retry)
			if retry == len(fixed) {
				Done(job, retry)
				continue
			}
			err := Ask(job, retry, fixed[retry], func() error {
				_, err := fmt.Fprintln(f, job, retry+1)
				return err
			})
			if err != nil {
				return err
			}
			retries[job]++
		}
		time.Sleep(fixed[len(fixed)-1]) // longer than each delay
	}
}

func TestKilled(t *testing.T) {
	jobs := []string{"a", "b"}
	name := filepath.Join(t.TempDir(), "jobs")
	Check(t, Run(t, "remember "+name, jobs, 2), jobs, fixed)

	forgotten := faults(Run(t, "forget "+name, jobs, 2), jobs, fixed)
	if !strings.Contains(strings.Join(forgotten, "\n"), "falls back to retry 0, want at least 1") {
		t.Errorf("of a worker that forgets: %q, want that a job falls back", forgotten)
	}
}

// TestTail: the events that a worker tells before the signal reaches it are read, and
// they are few.
func TestTail(t *testing.T) {
	first := func(Event) bool { return true }
	var got []string
	for _, e := range live(t, "last word", first) {
		got = append(got, e.What)
	}
	if diff := cmp.Diff([]string{asked, done}, got); diff != "" {
		t.Errorf("of a worker that was killed for its first event (-want +got):\n%s", diff)
	}
	if n := len(live(t, "rush", first)); n > 8 {
		t.Errorf("a worker told %d events before the test had read one, want at most 8", n)
	}
}

func TestFaults(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }
	sec := []time.Duration{10 * time.Millisecond, 20 * time.Millisecond}
	tests := []struct {
		name   string
		events []Event
		want   []string
	}{
		{"right", []Event{{began, "j", 0, 0, at(0)}, {asked, "j", 0, sec[0], at(1)}, {began, "j", 1, 0, at(11)}, {done, "j", 1, 0, at(12)}}, nil},
		{"killed in an attempt", []Event{{began, "j", 0, 0, at(0)}, {began, "j", 1, 0, at(5)}, {done, "j", 1, 0, at(6)}}, nil},
		{"lost", []Event{{began, "j", 0, 0, at(0)}}, []string{"job j is lost: it was never done"}},
		{"early", []Event{{asked, "j", 0, sec[0], at(0)}, {began, "j", 1, 0, at(7)}, {done, "j", 1, 0, at(8)}}, []string{"job j: retry 1 came 3ms too early"}},
		{"fell back", []Event{{began, "j", 1, 0, at(0)}, {began, "j", 0, 0, at(1)}, {done, "j", 1, 0, at(8)}}, []string{"job j falls back to retry 0, want at least 1"}},
		{"another delay", []Event{{asked, "j", 1, sec[0], at(0)}, {done, "j", 2, 0, at(80)}}, []string{"job j: the delay after retry 1 is 10ms, want 20ms"}},
		{"too many", []Event{{asked, "j", 2, sec[0], at(0)}, {done, "j", 3, 0, at(80)}}, []string{"job j asked for a delay after retry 2, want at most 2 retries"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, faults(tt.events, []string{"j"}, sec)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
