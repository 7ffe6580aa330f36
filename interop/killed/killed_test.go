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

var fixed = []time.Duration{time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond}

// TestMain has a worker with a durable engine: a file to which each state of a job is
// appended. With the argument "forget FILE" it does not read the file, as an engine that
// loses the place of its jobs.
func TestMain(m *testing.M) { os.Exit(Main(m, work)) }

func work(argument string) error {
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
