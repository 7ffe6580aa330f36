package show

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/picture"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
)

func TestShow(t *testing.T) {
	clitest.Goldens(t, New, map[string][]string{
		"deterministic":  {"show", "exponential(100ms, 2) | cap(10s)"},
		"ends":           {"show", "exponential(100ms, 2) | cap(10s) | take(8)"},
		"random":         {"show", "full-jitter(100ms, 10s) | take(8)"},
		"random-log":     {"show", "full-jitter(100ms, 10s)", "--log"},
		"random-seed":    {"show", "full-jitter(100ms, 10s) | take(3)", "--seed", "2", "--draws", "1000"},
		"uneven":         {"show", "full-jitter(100ms, 10s) | within(20s)"},
		"uneven-ends":    {"show", "full-jitter(100ms, 10s) | within(20s) | take(9)"},
		"two":            {"show", fast, slow, "-n", "20"},
		"two-log":        {"show", fast, slow, "-n", "20", "--log"},
		"no-delay":       {"show", "list()"},
		"one-delay":      {"show", "list(1s)"},
		"all-zero":       {"show", "constant(0)", "-n", "3"},
		"mostly-zero":    {"show", "uniform(0s, 1ns) | min(uniform(0s, 1ns))", "-n", "3", "--log"},
		"largest":        {"show", "exponential(1s, 1e300)", "-n", "3", "--log"},
		"different-ends": {"show", "linear(1s, 1s) | take(3)", "fibonacci(1s) | take(6)", "list()"},
		"long":           {"show", "linear(1s, 1s)", "-n", "40"},
		"exact-uneven":   {"show", "constant(1s) | max(full-jitter(1s, 1s) | within(3s))"},
		"jitter-of-0":    {"show", "linear(1s, 1s) | jitter(0)", "-n", "3"},
		"exact-then-not": {"show", "normal-jitter(100ms, 10m, 2.7, 0.1)", "-n", "3"},
		"csv":            {"show", "uniform(1s, 2s) | take(2)", "list(1500ms, 1ns)", "--format", "csv"},
		"json":           {"show", "uniform(1s, 2s) | take(2)", "list(1500ms, 1ns)", "list()", "--format", "json"},
		"go":             {"show", "full-jitter(100ms, 10s) | take(8)", "--format", "go"},
		"go-two":         {"show", "constant(1s)", "list(100ms, 1s) | then(fibonacci(1s)) | cap(1m) | jitter(1)", "--format", "go"},
	})
}

// Tables and CSV number the retries 1, 2, 3, ..., of random schedules and others.
func TestRetriesCountFrom1(t *testing.T) {
	for _, text := range []string{"linear(1s, 1s)", "uniform(1s, 2s)"} {
		for format, row := range map[string]string{"table": `(?m)^ +(\d+) .*s$`, "csv": `(?m)^"[^"]*",(\d+),`} {
			var got []string
			for _, m := range regexp.MustCompile(row).FindAllStringSubmatch(clitest.Succeeds(t, New, "show", text, "-n", "3", "--format", format), -1) {
				got = append(got, m[1])
			}
			if diff := cmp.Diff([]string{"1", "2", "3"}, got); diff != "" {
				t.Errorf("%s as %s has the retries (-want +got):\n%s", text, format, diff)
			}
		}
	}
}

// CSV and JSON have all nanoseconds, and agree.
func TestFormatsAgree(t *testing.T) {
	const text = "exponential(123.456789ms, 1.7) | spread(0.3)"
	lines, err := csv.NewReader(strings.NewReader(clitest.Succeeds(t, New, "show", text, "--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type durations struct{ Min, P50, Max json.Number }
	var schedules []struct {
		Expression string
		Random     bool
		Draws      int
		Seed       uint64
		GoesOn     bool `json:"goes_on"`
		Retries    []struct {
			Retry          int
			Reached        float64
			Delay, Elapsed durations
		}
	}
	if err := json.Unmarshal([]byte(clitest.Succeeds(t, New, "show", text, "--format", "json")), &schedules); err != nil {
		t.Fatal(err)
	}
	s := schedules[0]
	if len(schedules) != 1 || s.Expression != text || !s.Random || s.Draws != 10_000 || s.Seed != 1 || !s.GoesOn {
		t.Errorf("the schedule is %+v", s)
	}
	rows := newSample(clitest.Parse(t, text), sampling.Sample{Retries: 12, Draws: 10_000, Seed: 1}).plan.Retries
	if len(s.Retries) != 12 || len(lines) != 13 || len(rows) != 12 {
		t.Fatalf("%d retries in JSON, %d lines of CSV, %d rows, want 12, 13, 12", len(s.Retries), len(lines), len(rows))
	}
	for i, r := range s.Retries {
		fromJSON := []string{
			s.Expression, strconv.Itoa(r.Retry), fmt.Sprint(r.Reached),
			r.Delay.Min.String(), r.Delay.P50.String(), r.Delay.Max.String(),
			r.Elapsed.Min.String(), r.Elapsed.P50.String(), r.Elapsed.Max.String(),
		}
		if diff := cmp.Diff(lines[i+1], fromJSON); diff != "" {
			t.Errorf("retry %d (-CSV +JSON):\n%s", i+1, diff)
		}
		d, err := time.ParseDuration(r.Delay.P50.String() + "s")
		if want := median(rows[i].Delay); err != nil || d != want {
			t.Errorf("retry %d: p50 is %v (%v), want %v", i+1, d, err, want)
		}
	}
}

// A schedule that is not random has one draw, whatever --draws is.
func TestSampleIsTheSchedule(t *testing.T) {
	e := clitest.Parse(t, "exponential(1ms, 1.5) | cap(1h) | take(30)")
	for _, n := range []int{1, 29, 30, 31, 100} {
		s := newSample(e, sampling.Sample{Retries: n, Draws: 500, Seed: 1})
		if s.draws != 1 {
			t.Errorf("%d draws, want 1", s.draws)
		}
		if want := map[bool]plan.End{true: plan.Ends, false: plan.GoesOn}[n >= 30]; s.plan.End() != want {
			t.Errorf("after %d of 30 delays the schedule %v, want %v", n, s.plan.End(), want)
		}
		var got []time.Duration
		for _, r := range s.plan.Retries {
			if !r.Delay.Exact() {
				t.Errorf("retry %d has delays from %v to %v, want one", r.N, r.Delay.Min, r.Delay.Max)
			}
			got = append(got, median(r.Delay))
		}
		if diff := cmp.Diff(slices.Collect(backoff.Take(e.Schedule(), n)), got); diff != "" {
			t.Errorf("the first %d delays (-want +got):\n%s", n, diff)
		}
	}
}

// Without --draws any number of retries is allowed: a random schedule has the draws that are
// allowed with --draws, and one that is not random has one.
func TestManyRetries(t *testing.T) {
	for _, test := range []struct {
		schedule, retries string
		draws             int
	}{
		{"exponential(100ms, 1.01) | cap(10s)", "100000", 1},
		{"full-jitter(100ms, 10s) | take(30)", "2000", 10_000},
		{"full-jitter(100ms, 10s) | take(30)", "2001", 9995},
		{"full-jitter(100ms, 10s) | take(30)", "100000", 200},
	} {
		var got []struct{ Draws int }
		output := clitest.Succeeds(t, New, "show", test.schedule, "-n", test.retries, "--format", "json")
		if err := json.Unmarshal([]byte(output), &got); err != nil {
			t.Fatal(err)
		}
		if got[0].Draws != test.draws {
			t.Errorf("%s, %s retries: %d draws, want %d", test.schedule, test.retries, got[0].Draws, test.draws)
		}
	}
}

// The flags decide the number of draws, their seed and their retries.
func TestSampleIsWhatTheFlagsSay(t *testing.T) {
	e := clitest.Parse(t, "full-jitter(1s, 8s)")
	flags := sampling.Sample{Retries: 5, Draws: 100, Seed: 1}
	s := newSample(e, flags)
	if s.draws != 100 || s.plan.Draws != 100 || s.seed != 1 || len(s.plan.Retries) != 5 {
		t.Errorf("%d draws, %d of them made, from seed %d, of %d retries, want 100, 100, 1, 5", s.draws, s.plan.Draws, s.seed, len(s.plan.Retries))
	}
	if diff := cmp.Diff(s.plan.Retries, newSample(e, flags).plan.Retries); diff != "" {
		t.Errorf("the seed does not replay:\n%s", diff)
	}
	flags.Seed = 2
	if cmp.Equal(s.plan.Retries, newSample(e, flags).plan.Retries) {
		t.Error("another seed draws the same")
	}
}

// A schedule that has a random stage is shown as random, although its draws do not
// differ.
func TestJitterOfZero(t *testing.T) {
	s := newSample(clitest.Parse(t, "constant(1s) | jitter(0)"), sampling.Sample{Retries: 3, Draws: 100, Seed: 1})
	if got := strings.Join(notes([]sample{s}), "\n"); !strings.Contains(got, "100 draws with seed 1") {
		t.Errorf("the notes are\n%s\nwant the number of draws", got)
	}
}

// Three digits of each, and all digits of a value that is the same in all draws.
func TestCells(t *testing.T) {
	for _, test := range []struct {
		min, p50, max time.Duration
		want          []string
	}{
		{5_730, 49_712_345, 99_991_234, []string{"5.73µs", "49.7ms", "100ms"}},
		{0, 0, 0, []string{"0s", "0s", "0s"}},
		{1, 2, 3, []string{"1ns", "2ns", "3ns"}},
		{1, 1_000, 1_234, []string{"1ns", "1.00µs", "1.23µs"}},
		{time.Second, 95_123_456_789, 5 * time.Minute, []string{"1.00s", "1m35.1s", "5m"}},
		{1_234_567, 1_234_567, 1_234_567, []string{"1.234567ms", "1.234567ms", "1.234567ms"}},
		{1, 1, math.MaxInt64, []string{"1ns", "1ns", "≥ 292 years"}},
	} {
		in := plan.Stats{Min: test.min, Quantiles: []time.Duration{test.p50}, Max: test.max}
		if diff := cmp.Diff(test.want, cells(in)); diff != "" {
			t.Errorf("%v, %v and %v are shown as (-want +got):\n%s", test.min, test.p50, test.max, diff)
		}
	}
}

func TestHelp(t *testing.T) {
	clitest.Golden(t, "show-help", clitest.Succeeds(t, New, "show", "--help"))
}

func TestWriteErrors(t *testing.T) {
	few := sampling.Sample{Retries: 3, Draws: 10}
	s := []sample{newSample(clitest.Parse(t, "uniform(1s, 2s) | take(3)"), few)}
	for name, write := range map[string]func(io.Writer) error{
		"table": func(w io.Writer) error { return writeTables(w, s) },
		"empty": func(w io.Writer) error { return writeTables(w, []sample{newSample(clitest.Parse(t, "list()"), few)}) },
		"chart": func(w io.Writer) error { return chart.Write(w, showFigure(s, figure.Automatic)) },
		"csv":   func(w io.Writer) error { return writeCSV(w, s) },
		"json":  func(w io.Writer) error { return writeJSON(w, s) },
		"go":    func(w io.Writer) error { return writeProgram(w, []*expr.Expr{s[0].expr}) },
		"png":   func(w io.Writer) error { return picture.WritePNG(w, showFigure(s, figure.Automatic)) },
		"svg":   func(w io.Writer) error { return picture.WriteSVG(w, showFigure(s, figure.Automatic)) },
		"show": func(w io.Writer) error {
			f := flags{Sample: few}
			return f.run(w, []*expr.Expr{clitest.Parse(t, "constant(1s)"), clitest.Parse(t, "list()")})
		},
	} {
		clitest.FullDisk(t, name, write)
	}
}
