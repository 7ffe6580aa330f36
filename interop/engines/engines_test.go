package main

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/backoff/interop/kept"
	"example.com/backoff/interop/page"
	"github.com/google/go-cmp/cmp"
)

const file = "../../docs/engines.md"

// TestPage compares the engines, versions and schedules of the table with those of the
// command and of go.mod. The figures are another machine's.
func TestPage(t *testing.T) {
	versions, err := page.Versions("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), header)
	got := rows(rest)
	var want []string
	for _, e := range engines {
		if versions[e.module] == "" {
			t.Errorf("%s: go.mod has no module %q", e.name, e.module)
		}
		want = append(want, e.key(versions))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table is out of date: run GOWORK=off go -C interop run ./engines (-want +got):\n%s", diff)
	}
}

// rows returns the first three cells of each line of a table.
func rows(table string) (keys []string) {
	cells := regexp.MustCompile(`^(\| .* \|) -?[0-9.]+ ms \| -?[0-9.]+ ms \| -?[0-9.]+ ms \|$`)
	for line := range strings.Lines(table) {
		m := cells.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			break
		}
		keys = append(keys, m[1])
	}
	return keys
}

// TestMeasure has an engine whose delays are 1, 2, 3, ... ms late.
func TestMeasure(t *testing.T) {
	e := engine{"late", "example.com/late", func(_ context.Context, seq iter.Seq[time.Duration], n int) (delays []kept.Delay, err error) {
		for d := range seq {
			delays = append(delays, kept.Delay{Asked: d, Kept: d + time.Duration(len(delays)+1)*ms})
			if len(delays) == n {
				break
			}
		}
		return delays, nil
	}, 10 * ms, 5}
	r, err := measure(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	const want = "| late | late v1.2.3 | `exponential(10ms, 2) \\| take(5)` | 3 ms | 5 ms | 1 ms |"
	versions := map[string]string{"example.com/late": "v1.2.3"}
	if diff := cmp.Diff(want, r.markdown(versions)); diff != "" {
		t.Errorf("the row (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{e.key(versions)}, rows(r.markdown(versions)+"\n\ntext\n")); diff != "" {
		t.Errorf("the key that is read from it (-want +got):\n%s", diff)
	}

	short := e
	short.measure = func(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
		return e.measure(ctx, seq, n-1)
	}
	if _, err := measure(t.Context(), short); err == nil {
		t.Error("an engine that makes too few retries is no error")
	}
	broken := errors.New("broken")
	short.measure = func(context.Context, iter.Seq[time.Duration], int) ([]kept.Delay, error) { return nil, broken }
	if _, err := measure(t.Context(), short); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the engine", err)
	}
}

// TestWrongPage: a page that cannot have the figures is refused before the measurement.
func TestWrongPage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that a measurement would end with that error
	other := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(other, []byte("# Engines\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing.md")
	for _, page := range []string{other, missing} {
		if err := update(ctx, page); err == nil || !strings.Contains(err.Error(), page) {
			t.Errorf("error %v, want one of %s", err, page)
		}
	}
}

// TestSignals: a signal to stop ends the measurement, and not the process.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself a signal")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		ctx, stop := untilSignal()
		if err := self.Signal(sig); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		stop()
	}
}

// TestSnippets holds that the page's Go that is compiled below this folder stands there,
// whatever its indentation.
func TestSnippets(t *testing.T) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, pattern := range []string{"*/*.go", "../examples/*/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, flat(string(source)))
		}
	}
	blocks := regexp.MustCompile("(?s)<!-- compiled in interop/(?:engines|examples) -->\n```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Error("the page has no Go from here")
	}
	for _, b := range blocks {
		if !slices.ContainsFunc(sources, func(s string) bool { return strings.Contains(s, flat(b[1])) }) {
			t.Errorf("no file has these lines:\n%s", b[1])
		}
	}
}

// flat returns text without the indentation of its lines.
func flat(text string) string {
	return regexp.MustCompile(`(?m)^[\t ]+`).ReplaceAllString(text, "")
}

// TestFailure: an error of several lines is one line, with the way to start the server.
func TestFailure(t *testing.T) {
	err := failure("asynq", errors.Join(errors.New("no answer"), errors.New("twice")))
	const want = "asynq: no answer twice (needs Redis: start it on 127.0.0.1:6379 or set BACKOFF_REDIS_ADDRESS)"
	if err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if got := failure("watermill", errors.New("no answer")).Error(); got != "watermill: no answer" {
		t.Errorf("%q, want no word of a server", got)
	}
	for name := range servers {
		if !slices.ContainsFunc(engines, func(e engine) bool { return e.name == name }) {
			t.Errorf("no engine is called %q", name)
		}
	}
}
