package show

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/picture"

	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/expr"
)

func TestShow(t *testing.T) {
	for name, args := range map[string][]string{
		"deterministic":  {"exponential(100ms, 2) | cap(10s)"},
		"ends":           {"exponential(100ms, 2) | cap(10s) | take(8)"},
		"random":         {"full-jitter(100ms, 10s) | take(8)"},
		"random-log":     {"full-jitter(100ms, 10s)", "--log"},
		"random-seed":    {"full-jitter(100ms, 10s) | take(3)", "--seed", "2", "--draws", "1000"},
		"uneven":         {"full-jitter(100ms, 10s) | within(20s)"},
		"uneven-ends":    {"full-jitter(100ms, 10s) | within(20s) | take(9)"},
		"two":            {fast, slow, "-n", "20"},
		"two-log":        {fast, slow, "-n", "20", "--log"},
		"no-delay":       {"list()"},
		"one-delay":      {"list(1s)"},
		"all-zero":       {"constant(0)", "-n", "3"},
		"mostly-zero":    {"uniform(0s, 1ns) | min(uniform(0s, 1ns))", "-n", "3", "--log"},
		"largest":        {"exponential(1s, 1e300)", "-n", "3", "--log"},
		"different-ends": {"linear(1s, 1s) | take(3)", "fibonacci(1s) | take(6)", "list()"},
		"long":           {"linear(1s, 1s)", "-n", "40"},
		"csv":            {"uniform(1s, 2s) | take(2)", "list(1500ms, 1ns)", "--format", "csv"},
		"json":           {"uniform(1s, 2s) | take(2)", "list(1500ms, 1ns)", "list()", "--format", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			clitest.Golden(t, name, clitest.Succeeds(t, New, append([]string{"show"}, args...)...))
		})
	}
}

// What the table rounds, CSV and JSON have to the nanosecond, and the two agree.
func TestFormatsAgree(t *testing.T) {
	const text = "exponential(123.456789ms, 1.7) | spread(0.3)"
	lines, err := csv.NewReader(strings.NewReader(clitest.Succeeds(t, New, "show", text, "--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type durations struct{ Least, Median, Most json.Number }
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
	o := newOverview(clitest.Parse(t, text), 12, 10_000, 1)
	if len(s.Retries) != 12 || len(lines) != 13 || len(o.rows) != 12 {
		t.Fatalf("%d retries in JSON, %d lines of CSV, %d rows, want 12, 13, 12", len(s.Retries), len(lines), len(o.rows))
	}
	for i, r := range s.Retries {
		fromJSON := []string{
			s.Expression, strconv.Itoa(r.Retry), fmt.Sprint(r.Reached),
			r.Delay.Least.String(), r.Delay.Median.String(), r.Delay.Most.String(),
			r.Elapsed.Least.String(), r.Elapsed.Median.String(), r.Elapsed.Most.String(),
		}
		if !slices.Equal(fromJSON, lines[i+1]) {
			t.Errorf("retry %d: JSON has %v, CSV %v", i, fromJSON, lines[i+1])
		}
		d, err := time.ParseDuration(r.Delay.Median.String() + "s")
		if err != nil || d != o.rows[i].delay.Median {
			t.Errorf("retry %d: the median is %v (%v), want %v", i, d, err, o.rows[i].delay.Median)
		}
	}
}

// A schedule that is not random is shown as it is, in one draw.
func TestOverviewIsTheSchedule(t *testing.T) {
	e := clitest.Parse(t, "exponential(1ms, 1.5) | cap(1h) | take(30)")
	for _, n := range []int{1, 29, 30, 31, 100} {
		o := newOverview(e, n, 500, 1)
		if o.draws != 1 {
			t.Errorf("%d draws, want 1", o.draws)
		}
		if ended := n >= 30; (o.goes == sampling.Ends) != ended || (o.goes == sampling.On) == ended {
			t.Errorf("%d of 30 delays: what comes after is %d", n, o.goes)
		}
		delays := slices.Collect(backoff.Take(e.Schedule(), n))
		if len(o.rows) != len(delays) {
			t.Fatalf("%d rows, want %d", len(o.rows), len(delays))
		}
		var sum time.Duration
		for i, r := range o.rows {
			sum += delays[i]
			want := row{1, seconds.Spread[time.Duration]{Least: delays[i], Median: delays[i], Most: delays[i]}, seconds.Spread[time.Duration]{Least: sum, Median: sum, Most: sum}}
			if r != want {
				t.Errorf("row %d is %v, want %v", i, r, want)
			}
		}
	}
}

// Of full jitter delay n is uniform over [0, e]. Of 10,000 draws the least is
// within e/1000 of 0 but for a probability of 5e-5 (0.999^10000), the most of e
// likewise, and the median within 4 % of e/2, which is four of its standard
// deviations of e/200, but for 6e-5. The seed is fixed.
func TestOverviewOfFullJitter(t *testing.T) {
	o := newOverview(clitest.Parse(t, "full-jitter(1s, 8s)"), 5, 10_000, 1)
	for i, e := range []time.Duration{1, 2, 4, 8, 8} {
		e *= time.Second
		d := o.rows[i].delay
		if d.Least > e/1000 || d.Most < e-e/1000 || d.Most > e || (d.Median-e/2).Abs() > e/50 {
			t.Errorf("retry %d: %v, want 0 to %v", i, d, e)
		}
		if o.rows[i].reached != 1 {
			t.Errorf("retry %d: reached by %v, want 1", i, o.rows[i].reached)
		}
	}
	if o.goes != sampling.On {
		t.Errorf("what comes after is %d, want %d", o.goes, sampling.On)
	}
}

// uniform(0s, 2s) within 2 s has delay 0 always and delay 1 where two uniform
// variates sum to at most their range: with probability 1/2. The standard deviation
// of the share is 0.005; another seed would fail with a probability of 6e-5.
func TestOverviewOfUnevenEnds(t *testing.T) {
	o := newOverview(clitest.Parse(t, "uniform(0s, 2s) | within(2s)"), 2, 10_000, 1)
	if o.rows[0].reached != 1 || math.Abs(o.rows[1].reached-0.5) > 0.02 {
		t.Errorf("reached are %v and %v, want 1 and 1/2", o.rows[0].reached, o.rows[1].reached)
	}
	if o.rows[1].elapsed.Most > 2*time.Second {
		t.Errorf("elapsed is at most %v, want 2s", o.rows[1].elapsed.Most)
	}
	if o.goes != sampling.Mixed {
		t.Errorf("what comes after is %d, want %d", o.goes, sampling.Mixed)
	}
}

// Each spread is in order, reached never rises, and a seed replays.
func TestOverviewLaws(t *testing.T) {
	texts := []string{
		"full-jitter(100ms, 10s)", "decorrelated-jitter(1ms, 1m) | within(3m)", "smooth-jitter(1s, 1h) | take(4)",
		"exponential(1h, 1e9) | spread(1)", "uniform(0s, 1ns) | within(2ns)", "linear(0s, 1s) | jitter(1) | drop(2)",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(1, 20).Draw(t, "n")
		draws := rapid.IntRange(1, 50).Draw(t, "draws")
		e, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o, again := newOverview(e, n, draws, seed), newOverview(e, n, draws, seed)
		if !slices.Equal(o.rows, again.rows) {
			t.Fatal("the seed does not replay")
		}
		reached := 1.0
		for i, r := range o.rows {
			for _, s := range []seconds.Spread[time.Duration]{r.delay, r.elapsed} {
				if !(0 <= s.Least && s.Least <= s.Median && s.Median <= s.Most) {
					t.Fatalf("row %d: %v is out of order", i, s)
				}
			}
			if r.reached > reached || r.reached <= 0 {
				t.Fatalf("row %d: reached by %v, after %v", i, r.reached, reached)
			}
			reached = r.reached
		}
	})
}

// Three digits of the most, and the same unit for the others.
func TestCells(t *testing.T) {
	for _, test := range []struct {
		in   seconds.Spread[time.Duration]
		want []string
	}{
		{seconds.Spread[time.Duration]{Least: 5_730, Median: 49_712_345, Most: 99_991_234}, []string{"0s", "49.7ms", "100ms"}},
		{seconds.Spread[time.Duration]{Least: 0, Median: 0, Most: 0}, []string{"0s", "0s", "0s"}},
		{seconds.Spread[time.Duration]{Least: 1, Median: 2, Most: 3}, []string{"1ns", "2ns", "3ns"}},
		{seconds.Spread[time.Duration]{Least: 1, Median: 1_000, Most: 1_234}, []string{"0s", "1µs", "1.23µs"}},
		{seconds.Spread[time.Duration]{Least: time.Second, Median: 95_123_456_789, Most: 5 * time.Minute}, []string{"1s", "1m35s", "5m"}},
		{seconds.Spread[time.Duration]{Least: 1, Median: 1, Most: math.MaxInt64}, []string{"0s", "0s", "≥ 292 years"}},
	} {
		if got := spreadCells(test.in); !slices.Equal(got, test.want) {
			t.Errorf("%v is shown as %q, want %q", test.in, got, test.want)
		}
	}
}

func TestHelp(t *testing.T) {
	clitest.Golden(t, "show-help", clitest.Succeeds(t, New, "show", "--help"))
}

func TestWriteErrors(t *testing.T) {
	o := []overview{newOverview(clitest.Parse(t, "uniform(1s, 2s) | take(3)"), 4, 10, 1)}
	for name, write := range map[string]func(io.Writer) error{
		"table": func(w io.Writer) error { return writeTable(w, o[0]) },
		"empty": func(w io.Writer) error { return writeTable(w, newOverview(clitest.Parse(t, "list()"), 1, 1, 1)) },
		"chart": func(w io.Writer) error { return chart.Write(w, showFigure(o, false)) },
		"csv":   func(w io.Writer) error { return writeCSV(w, o) },
		"json":  func(w io.Writer) error { return writeJSON(w, o) },
		"png":   func(w io.Writer) error { return picture.WritePNG(w, showFigure(o, false)) },
		"svg":   func(w io.Writer) error { return picture.WriteSVG(w, showFigure(o, false)) },
		"show": func(w io.Writer) error {
			s := flags{Sample: sampling.Sample{Retries: 3, Draws: 10}}
			return s.run(w, []*expr.Expr{clitest.Parse(t, "constant(1s)"), clitest.Parse(t, "list()")})
		},
	} {
		clitest.FullDisk(t, name, write)
	}
}
