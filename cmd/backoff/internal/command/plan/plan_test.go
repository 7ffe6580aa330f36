package plan

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/forecast"
	"example.com/backoff/cmd/backoff/internal/picture"
	"example.com/backoff/cmd/backoff/internal/picturetest"
	"example.com/backoff/cmd/backoff/internal/present"
	"example.com/backoff/cmd/backoff/internal/sampling"
	"example.com/backoff/expr"
)

func TestPlan(t *testing.T) {
	clitest.Goldens(t, New, map[string][]string{
		"plan-random":         {"plan", "full-jitter(100ms, 10s)", "--deadline", "30s", "--clients", "10000", "--fail", "0.5"},
		"plan-delays":         {"plan", "full-jitter(100ms, 10s) | take(8)", "--log"},
		"plan-exact":          {"plan", "exponential(100ms, 2) | take(4)", "--deadline", "2s", "--clients", "10000", "--fail", "1"},
		"plan-attempt-time":   {"plan", "equal-jitter(1s, 1m) | take(5)", "--attempt-time", "200ms", "--deadline", "20s", "--quantiles", "0.99,0.5,0.5"},
		"plan-alike":          {"plan", "exponential(100ms, 2) | jitter(1) | cap(10s)", "-n", "20"},
		"plan-one-quantile":   {"plan", "full-jitter(1s, 1m)", "-n", "3", "--quantiles", "0.9"},
		"plan-uneven":         {"plan", "full-jitter(100ms, 10s) | within(20s)"},
		"plan-uneven-ends":    {"plan", "full-jitter(100ms, 10s) | within(20s) | take(9)", "--fail", "0.9"},
		"plan-never":          {"plan", "full-jitter(1s, 1m)", "-n", "2", "--fail", "1", "--draws", "20000"},
		"plan-too-many":       {"plan", few, "-n", "2", "--deadline", "1h", "--clients", "100", "--draws", "20000"},
		"plan-one":            {"plan", "list(1s)", "--deadline", "1m", "--clients", "1", "--fail", "0"},
		"plan-none":           {"plan", "list()", "--deadline", "1m", "--clients", "1", "--fail", "0.1"},
		"plan-zero":           {"plan", "constant(0)", "-n", "3", "--clients", "5"},
		"plan-largest":        {"plan", "exponential(1s, 1e300)", "-n", "3", "--clients", "5", "--deadline", "1m", "--log"},
		"plan-compare":        {"plan", "--compare", "full-jitter(1s, 1m)", "smooth-jitter(1s, 1m)", "exponential(1s, 2) | cap(1m) | take(4)", "--deadline", "5m", "--fail", "0.5"},
		"plan-compare-load":   {"plan", "--compare", "full-jitter(1s, 1m)", "exponential(1s, 2) | cap(1m) | spread(0.1)", "list()", "--deadline", "5m", "--clients", "10000", "--quantiles", "0.1"},
		"plan-compare-spikes": {"plan", "--compare", "full-jitter(100ms, 10s)", "constant(1s)", "--clients", "10000", "--deadline", "30s"},
		"plan-load-csv":       {"plan", "exponential(1s, 2) | take(3)", "--format", "csv", "--clients", "10", "--bin", "4s"},
		"plan-csv":            {"plan", "uniform(1s, 2s) | take(2)", "--format", "csv", "--deadline", "3s"},
		"plan-json":           {"plan", "--compare", "uniform(1s, 2s) | take(2)", "list(1s, 1s)", "list()", "--format", "json", "--deadline", "3s", "--clients", "7", "--fail", "0.25", "--bin", "1s"},
		"plan-seed":           {"plan", "full-jitter(1s, 1m)", "-n", "2", "--seed", "2", "--draws", "100"},
		"solve-ratio":         {"plan", "--base", "1s", "--elapsed", "1000s", "--ratio", "0.1"},
		"solve-ratio-alone":   {"plan", "--ratio", "0.1"},
		"solve-cost":          {"plan", "--base", "1s", "--factor", "2", "--elapsed", "1000s", "--compare-factor", "1.1"},
		"solve-long-run":      {"plan", "--factor", "2", "--compare-factor", "1.1"},
		"solve-elapsed":       {"plan", "--base", "1s", "--factor", "2", "--limit", "none", "--retries", "10"},
		"solve-straight":      {"plan", "--base", "1s", "--factor", "2", "--limit", "10s", "--retries", "10", "--compare-factor", "1.5"},
		"solve-retries":       {"plan", "--base", "1s", "--factor", "2", "--limit", "10s", "--elapsed", "1m"},
		"solve-factor":        {"plan", "--base", "1s", "--retries", "8", "--elapsed", "30s", "--limit", "5s"},
		"solve-base":          {"plan", "--factor", "2", "--retries", "10", "--elapsed", "1023s"},
		"solve-base-limited":  {"plan", "--factor", "2", "--retries", "8", "--elapsed", "30s", "--limit", "5s"},
		"solve-limit":         {"plan", "--base", "1s", "--factor", "2", "--retries", "10", "--elapsed", "1m"},
		"solve-two":           {"plan", "--retries", "10", "--elapsed", "1023s", "--delay", "1024s"},
		"solve-constant":      {"plan", "--base", "1s", "--factor", "1", "--elapsed", "10s"},
		"solve-largest":       {"plan", "--base", "1s", "--factor", "2", "--retries", "100"},
		"solve-csv":           {"plan", "--base", "1s", "--elapsed", "1000s", "--ratio", "0.1", "--format", "csv"},
		"solve-json":          {"plan", "--base", "1s", "--elapsed", "1000s", "--ratio", "0.1", "--limit", "none", "--format", "json"},
	})
}

// Each example of the help runs as it stands there.
func TestPlanExamplesRun(t *testing.T) {
	help := clitest.Succeeds(t, New, "plan", "--help")
	commands := regexp.MustCompile(`(?m)^  backoff (plan .*)$`).FindAllStringSubmatch(help, -1)
	ran := 0
	for _, c := range commands {
		if strings.Contains(c[1], "[EXPR...]") {
			continue
		}
		ran++
		var args []string
		for i, part := range strings.Split(c[1], "'") { // what is quoted stands between
			if i%2 == 1 {
				args = append(args, part)
			} else {
				args = append(args, strings.Fields(part)...)
			}
		}
		if got := clitest.Succeeds(t, New, args...); !strings.Contains(got, "Retry n is attempt n+1. ") && !strings.Contains(got, "The schedule is") {
			t.Errorf("%q prints\n%s", args, got)
		}
	}
	if ran < 6 {
		t.Errorf("%d examples ran, want all", ran)
	}
}

// A plannedJSON is the JSON about one schedule.
type plannedJSON struct {
	Expression string
	Random     bool
	Draws      int
	GoesOn     bool `json:"goes_on"`
	Retries    []struct {
		Retry          int
		Reached        float64
		Delay, Elapsed map[string]json.Number
		Alike          *struct {
			Share float64
			Delay json.Number
		}
	}
	Within struct {
		Min, Max int
		Mean     float64
		AtLeast  []float64 `json:"at_least"`
		Open     float64
	}
	Load struct {
		PerSecond []float64 `json:"per_second"`
		Bin       float64
		StopsAt   float64 `json:"stops_at"`
		Most      []plannedMost
		Peak      struct {
			At, Bin, Error float64
			PerSecond      float64 `json:"per_second"`
		}
	}
	Cost     plannedCost
	Warnings []string
}

type plannedMost struct {
	Within, At, Retries, Error float64
}

type plannedCost struct {
	Attempts     *float64
	Success      float64
	StoppedAfter int `json:"stopped_after"`
}

func planJSON(t *testing.T, args ...string) []plannedJSON {
	t.Helper()
	var schedules []plannedJSON
	text := clitest.Succeeds(t, New, append([]string{"plan", "--format", "json"}, args...)...)
	if err := json.Unmarshal([]byte(text), &schedules); err != nil {
		t.Fatal(err)
	}
	return schedules
}

// CSV has what JSON has.
func TestPlanFormatsAgree(t *testing.T) {
	args := []string{"exponential(123.456789ms, 1.7) | spread(0.3) | cap(1s)", "--deadline", "3s", "--quantiles", "0.999,0.5"}
	lines, err := csv.NewReader(strings.NewReader(clitest.Succeeds(t, New, append([]string{"plan", "--format", "csv"}, args...)...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := planJSON(t, args...)[0]
	if len(lines) != 13 || len(s.Retries) != 12 {
		t.Fatalf("%d lines of CSV, %d retries in JSON, want 13, 12", len(lines), len(s.Retries))
	}
	if diff := cmp.Diff([]string{
		"expression", "retry", "reached",
		"delay_min", "delay_mean", "delay_p50", "delay_p99.9", "delay_max",
		"elapsed_min", "elapsed_mean", "elapsed_p50", "elapsed_p99.9", "elapsed_max",
		"alike", "alike_delay", "fits",
	}, lines[0]); diff != "" {
		t.Errorf("the head (-want +got):\n%s", diff)
	}
	for i, r := range s.Retries {
		alike, delay := "0", ""
		if r.Alike != nil {
			alike, delay = digits.Shortest(r.Alike.Share), r.Alike.Delay.String()
		}
		fits := 0.0
		if i+2 < len(s.Within.AtLeast) {
			fits = s.Within.AtLeast[i+2]
		}
		want := []string{
			s.Expression, strconv.Itoa(i + 1), "1",
		}
		for _, stats := range []map[string]json.Number{r.Delay, r.Elapsed} {
			for _, name := range []string{"min", "mean", "p50", "p99.9", "max"} {
				want = append(want, stats[name].String())
			}
			if len(stats) != 5 {
				t.Errorf("retry %d has %v, want five", i+1, stats)
			}
		}
		want = append(want, alike, delay, digits.Shortest(fits))
		if diff := cmp.Diff(want, lines[i+1]); diff != "" {
			t.Errorf("retry %d (-JSON +CSV):\n%s", i+1, diff)
		}
	}
	if s.Retries[0].Alike != nil || s.Retries[11].Alike == nil {
		t.Errorf("alike are %v and %v, want none before the cap and some at it", s.Retries[0].Alike, s.Retries[11].Alike)
	}
}

// Of all bins the last is as long as the others: what comes in its part beyond the deadline
// counts too. Of 7 clients that come back every second it had the retries of 3 s in 7 s.
func TestPlanLastBinIsWhole(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []float64 // retries in each bin
	}{
		{[]string{"constant(1s)", "--deadline", "10s", "--bin", "7s"}, []float64{6, 7}},
		{[]string{"constant(1s)", "--deadline", "14s", "--bin", "7s"}, []float64{6, 7}},
		{[]string{"constant(1s)", "--deadline", "14001ms", "--bin", "7s"}, []float64{6, 7, 7}},
		{[]string{"constant(1s)", "-n", "3", "--bin", "2s"}, []float64{1, 2}},
		{[]string{"constant(1s)", "-n", "4", "--bin", "2s"}, []float64{1, 2, 2}},
		{[]string{"constant(1s) | take(8)", "--deadline", "10s", "--bin", "7s"}, []float64{6, 2}},
		{[]string{"constant(1s)", "--deadline", "3s", "--bin", "1h"}, []float64{3599}},
		{[]string{"constant(1s) | jitter(0.0001)", "--deadline", "10s", "--bin", "7s"}, []float64{7, 7}},
	} {
		s := planJSON(t, append(test.args, "--clients", "7")...)[0]
		var got []float64
		for _, rate := range s.Load.PerSecond {
			got = append(got, math.Round(1e6*rate*s.Load.Bin/7)/1e6)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: the retries of a client in each bin (-want +got):\n%s", test.args, diff)
		}
	}
}

// How many come at once is the same in the table, in JSON and in CSV, and is not what the
// length of a bin makes of it.
func TestPlanAtOnce(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []plannedMost
		text string
	}{
		{
			[]string{"constant(1s)"},
			[]plannedMost{{0, 1, 10_000, 0}, {0.001, 1, 10_000, 0}, {0.01, 1, 10_000, 0}, {0.1, 1, 10_000, 0}, {1, 1, 10_000, 0}},
			"10,000 clients come back at once, at 1s, 2s, 3s and so on.",
		},
		{
			[]string{"list(1s, 1ms, 2s, 50ms)", "--bin", "100ms"},
			[]plannedMost{{0, 1, 10_000, 0}, {0.001, 1, 10_000, 0}, {0.01, 1, 20_000, 0}, {0.1, 1, 20_000, 0}, {1, 1, 20_000, 0}},
			"10,000 clients come back at once, at 1s, 1.001s, 3.001s and so on.",
		},
		{
			[]string{"list(1s, 1s)"},
			[]plannedMost{{0, 1, 10_000, 0}, {0.001, 1, 10_000, 0}, {0.01, 1, 10_000, 0}, {0.1, 1, 10_000, 0}, {1, 1, 10_000, 0}},
			"10,000 clients come back at once, at 1s and 2s.",
		},
		{
			[]string{"list()"},
			[]plannedMost{{0, 0, 0, 0}, {0.001, 0, 0, 0}, {0.01, 0, 0, 0}, {0.1, 0, 0, 0}, {1, 0, 0, 0}},
			"10,000 clients send no retries.",
		},
		{
			[]string{"list(1m)", "--deadline", "30s", "--compare", "list()"},
			[]plannedMost{{0, 0, 0, 0}, {0.001, 0, 0, 0}, {0.01, 0, 0, 0}, {0.1, 0, 0, 0}, {1, 0, 0, 0}},
			"Retries of 10,000 clients that fail together, in the busiest",
		},
	} {
		args := append(test.args, "--clients", "10000")
		if diff := cmp.Diff(test.want, planJSON(t, args...)[0].Load.Most); diff != "" {
			t.Errorf("%q (-want +got):\n%s", args, diff)
		}
		if got := clitest.Succeeds(t, New, append([]string{"plan"}, args...)...); !strings.Contains(got, test.text) {
			t.Errorf("%q: want %q\n%s", args, test.text, got)
		}
	}
	args := []string{"full-jitter(100ms, 10s)", "--clients", "10000", "--deadline", "10s"}
	most := planJSON(t, args...)[0].Load.Most
	for i, want := range []float64{0, 150, 1500, 12_700, 39_900} {
		if got := most[i]; math.Abs(got.Retries-want) > 0.03*want {
			t.Errorf("most within %v s is %+v, want %v retries within 3 %%", got.Within, got, want)
		}
	}
	text := clitest.Succeeds(t, New, append([]string{"plan"}, args...)...)
	if !regexp.MustCompile(`(?m)^instant +1ms +10ms +100ms +1s\n +0 +1[45]\d +1,[45]\d0 +12,\d00 +39,\d00$`).MatchString(text) {
		t.Errorf("the table is\n%s", text)
	}
	lines, err := csv.NewReader(strings.NewReader(clitest.Succeeds(t, New, append([]string{"plan", "--format", "csv"}, args...)...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"expression", "what", "at", "within", "retries", "error"}, lines[0]); diff != "" {
		t.Errorf("the head of the CSV (-want +got):\n%s", diff)
	}
	load := planJSON(t, args...)[0].Load
	if len(lines) != 1+len(load.PerSecond)+len(most) {
		t.Fatalf("%d lines of CSV, want a head, %d bins and %d windows", len(lines), len(load.PerSecond), len(most))
	}
	for i, rate := range load.PerSecond {
		want := []string{args[0], "bin", digits.Shortest(math.Round(1e9*float64(i)*load.Bin) / 1e9), digits.Shortest(load.Bin), digits.Shortest(rate * load.Bin), ""}
		if diff := cmp.Diff(want, lines[1+i]); diff != "" {
			t.Errorf("bin %d (-JSON +CSV):\n%s", i, diff)
		}
	}
	for i, m := range most {
		want := []string{args[0], "most", digits.Shortest(m.At), digits.Shortest(m.Within), digits.Shortest(m.Retries), digits.Shortest(m.Error)}
		if diff := cmp.Diff(want, lines[1+len(load.PerSecond)+i]); diff != "" {
			t.Errorf("most %d (-JSON +CSV):\n%s", i, diff)
		}
	}
}

// Where nothing waits, no time passes in which retries could be counted.
func TestPlanLoadWithoutAWait(t *testing.T) {
	text := clitest.Succeeds(t, New, "plan", "--compare", "constant(0)", "full-jitter(1s, 1m)", "--clients", "100", "--deadline", "5m")
	for _, want := range []string{`(?m)^A( +no limit){5}$`, `(?m)^B +0 +0\.15 +1\.5 +15 +1[23]\d$`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("want %s\n%s", want, text)
		}
	}
	if strings.Contains(text, "spreads") {
		t.Errorf("the one with a limit wins against none:\n%s", text)
	}
	alone := clitest.Succeeds(t, New, "plan", "constant(0)", "--clients", "100")
	if !strings.Contains(alone, "100 clients send retries without a wait: their load has no limit.") || strings.Contains(alone, "busiest") {
		t.Errorf("alone:\n%s", alone)
	}
}

// Of several schedules the best are named and marked; if all are equal, none is.
func TestPlanVerdicts(t *testing.T) {
	for _, test := range []struct {
		name  string
		args  []string
		want  []string // lines
		marks int
	}{
		{
			"one best at each",
			[]string{"constant(1s)", "full-jitter(100ms, 10s)", "--deadline", "30s", "--clients", "1000"},
			[]string{
				"A fits the most attempts within 30s: 31.", "B spreads the clients best: 15 retries in the busiest 1ms.",
				"A sends the fewest retries in the busiest 1s: 1,000.", "* is the best of its column.",
			},
			8,
		},
		{
			"two are equal",
			[]string{"constant(2s)", "constant(1s)", "constant(1s) | take(10)", "--deadline", "5s", "--clients", "10", "--fail", "0.5"},
			[]string{"B and C fit the most attempts within 5s: 6.", "B and C succeed most often: 98.4 % of the requests."},
			0,
		},
		{
			"three",
			[]string{"constant(2s)", "constant(1s)", "constant(1s)", "list(1s) | then(constant(1s))", "--deadline", "5s"},
			[]string{"B, C and D fit the most attempts within 5s: 6."},
			0,
		},
		{"all are equal", []string{"constant(1s)", "constant(1s)", "--deadline", "5s", "--clients", "10", "--fail", "0.5"}, nil, -1},
		{"none has a retry", []string{"list()", "list()", "--deadline", "5s", "--clients", "10", "--fail", "0.5"}, nil, -1},
		{"one has no retries", []string{"list()", "constant(1s)", "--clients", "10"}, nil, -1},
		{"the fewest attempts", []string{"constant(1s) | take(1)", "constant(1s)", "--fail", "0.5"}, []string{"A makes the fewest attempts: 1.5 a request."}, 0},
		{
			"the mean decides",
			[]string{"uniform(1s, 3s)", "uniform(900ms, 2900ms)", "--deadline", "4s"},
			[]string{"B fits the most attempts within 4s: 2 for 95 % of clients, 2.6"},
			0,
		},
	} {
		got := clitest.Succeeds(t, New, append([]string{"plan", "--compare"}, test.args...)...)
		for _, want := range test.want {
			if !strings.Contains("\n"+got, "\n"+want) {
				t.Errorf("%s: want %q\n%s", test.name, want, got)
			}
		}
		tables, _, _ := strings.Cut(got, "\n* is")
		marks := len(regexp.MustCompile(`(?m) \*( |$)`).FindAllString(tables, -1))
		if test.marks > 0 && marks != test.marks || test.marks < 0 && tables != got || test.marks == 0 && marks == 0 {
			t.Errorf("%s: %d marks, want %d\n%s", test.name, marks, test.marks, got)
		}
	}
}

// A question beyond the rows is answered from more retries than are shown, and is
// the same as if they were shown.
func TestPlanLooksBeyondItsRows(t *testing.T) {
	args := []string{"full-jitter(100ms, 10s)", "--deadline", "1m", "--clients", "1000", "--fail", "0.9", "--draws", "500"}
	few, many := planJSON(t, append(args, "-n", "2")...)[0], planJSON(t, append(args, "-n", "200")...)[0]
	if len(few.Retries) != 2 || !few.GoesOn {
		t.Errorf("%d retries, goes on: %v; want 2, true", len(few.Retries), few.GoesOn)
	}
	if diff := cmp.Diff(many.Within, few.Within); diff != "" || few.Within.Open != 0 {
		t.Errorf("within (-200 +2 rows):\n%s", diff)
	}
	if diff := cmp.Diff(many.Load, few.Load); diff != "" {
		t.Errorf("the load (-200 +2 rows):\n%s", diff)
	}
	if diff := cmp.Diff(many.Cost, few.Cost); diff != "" {
		t.Errorf("the cost (-200 +2 rows):\n%s", diff)
	}
	if diff := cmp.Diff(many.Retries[:2], few.Retries); diff != "" {
		t.Errorf("the rows (-200 +2):\n%s", diff)
	}
}

// few is a schedule of which one client in 25 goes on until 4 s, in steps of 1 ms, after
// its first delay: so not many delays are drawn, however far plan examines it.
const few = "uniform(0s, 100s) | take(1) | then(constant(1ms)) | within(4s)"

// If more attempts fit than plan examines, it tells that, and how to examine more; an hour at a
// delay of 10 s is not too much.
func TestPlanDeadlineBeyondTheDraws(t *testing.T) {
	const further = "; with fewer --draws it examines more"
	if got := clitest.Succeeds(t, New, "plan", "full-jitter(100ms, 10s)", "--deadline", "1h", "--draws", "500"); !strings.Contains(got, "Within 1h, 704 attempts fit for 95 % of clients") {
		t.Errorf("within an hour:\n%s", got)
	}
	forever := strings.Replace(few, "within(4s)", "within(210s)", 1) // all clients go on for 110 s at least
	for name, test := range map[string]struct {
		args          []string
		open, further bool
	}{
		"random":              {[]string{few, "--draws", "20000"}, true, true},
		"random, compared":    {[]string{"--compare", few, "constant(1ms) | take(3)", "--draws", "20000"}, true, true},
		"random, few draws":   {[]string{few, "--draws", "2000"}, false, false},
		"exact":               {[]string{"constant(1ms)"}, true, false},
		"exact, compared":     {[]string{"--compare", "constant(1ms)", "constant(2ms)"}, true, false},
		"random, two clients": {[]string{forever, "--draws", "2"}, true, false},
	} {
		got := clitest.Succeeds(t, New, append([]string{"plan", "--deadline", "1h"}, test.args...)...)
		if text := unbroken(got); strings.Contains(text, "plan examined") != test.open || strings.Contains(text, further) != test.further {
			t.Errorf("%s: want open %v, %q %v\n%s", name, test.open, further, test.further, got)
		}
	}
}

// More draws than have room for enough retries are reduced, and the answer says so.
func TestPlanFewerDraws(t *testing.T) {
	half := strings.Replace(few, "within(4s)", "within(1s)", 1) // 1,001 retries at most
	for draws, want := range map[string]string{"40000": "10,000", "15000": "15,000"} {
		text := unbroken(clitest.Succeeds(t, New, "plan", half, "--deadline", "1h", "--draws", draws))
		reduced := strings.Contains(text, "40,000 draws with enough retries do not fit into memory.")
		if strings.Contains(text, "plan examined") || !strings.Contains(text, "Estimated from "+want+" draws") || reduced != (draws == "40000") {
			t.Errorf("%s draws: want %s and an answer\n%s", draws, want, text)
		}
	}
}

// A retry at exactly the deadline counts in the text, the table and the chart, and a note
// tells that retry.Do would not begin it.
func TestPlanRetryAtTheDeadline(t *testing.T) {
	const note = "A retry at exactly 5s counts; run --timeout and retry.Do do not begin it."
	for args, want := range map[string]bool{
		"constant(1s)":                                true,
		"--compare constant(1s) constant(2s)":         true,
		"--attempt-time 1s constant(1s)":              false,
		"constant(2s)":                                false,
		"full-jitter(1s, 5s)":                         false,
		"uniform(1s, 2s) | take(1) | cap(1s)":         false,
		"--compare constant(2s) full-jitter(1s, 10s)": false,
	} {
		text := unbroken(clitest.Succeeds(t, New, append([]string{"plan", "--deadline", "5s"}, fieldsOf(args)...)...))
		if got := strings.Contains(text, note); got != want {
			t.Errorf("%s: the note is there: %v, want %v\n%s", args, got, want, text)
		}
	}
	// A single retry, at the very end of the load.
	s := planJSON(t, "constant(5s)", "--deadline", "5s", "--clients", "7")[0]
	if got := s.Load.Most[0]; got.At != 5 || got.Retries != 7 {
		t.Errorf("the fullest moment is %+v, want 7 retries at 5s", got)
	}
	text := clitest.Succeeds(t, New, "plan", "constant(5s)", "--deadline", "5s", "--clients", "7")
	if !strings.Contains(text, "7 clients come back at once, at 5s and so on.") || !strings.Contains(text, "┃\n") {
		t.Errorf("the retry at the deadline is not in the text and the chart:\n%s", text)
	}
}

// fieldsOf splits flags and expressions: an expression begins with a name and ends the line,
// or the field if it has no space.
func fieldsOf(args string) []string {
	if strings.Contains(args, " | ") {
		return []string{args}
	}
	return strings.Fields(strings.ReplaceAll(args, ", ", ","))
}

// With a deadline a request makes the attempts that fit.
func TestPlanCostWithinTheDeadline(t *testing.T) {
	for args, want := range map[string]plannedCost{
		"constant(1s) 2500ms 0.5":         {new(1.75), 0.875, 0},
		"constant(1s) 2500ms 1":           {new(3.), 0, 0},
		"constant(1s) 2500ms 0":           {new(1.), 1, 0},
		"constant(1s)|take(1) 2500ms 0.5": {new(1.5), 0.75, 0},
		"uniform(0s,2s)|take(1) 1s 0.5":   {new(1.25), 0.625, 0}, // half of the clients retry
	} {
		fields := strings.Fields(args)
		got := planJSON(t, fields[0], "--deadline", fields[1], "--fail", fields[2])[0].Cost
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.005)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
	text := unbroken(clitest.Succeeds(t, New, "plan", "constant(1s)", "--deadline", "2500ms", "--fail", "0.5"))
	if want := "a request makes 1.75 on average within 2.5s; 87.5 % succeed."; !strings.Contains(text, want) {
		t.Errorf("want %q\n%s", want, text)
	}
}

// long is a schedule of which one client in a hundred has 2,500 retries, and the others none:
// so not many delays are drawn, however far plan examines it.
const long = "uniform(0s, 1000s) | take(1) | then(constant(0s) | take(2499)) | within(10s)"

// A request that may go on forever costs 1/(1-p) attempts, whatever its delays are and
// however few of them are drawn; one that is cut off is marked.
func TestPlanCostOfEndless(t *testing.T) {
	cost := func(schedule string, args ...string) (plannedJSON, plannedCost) {
		s := planJSON(t, append([]string{schedule, "-n", "2", "--fail"}, args...)...)[0]
		got := s.Cost
		if got.Attempts != nil {
			got.Attempts = new(math.Round(1e6**got.Attempts) / 1e6)
		}
		got.Success = math.Round(1e6*got.Success) / 1e6
		return s, got
	}
	for _, test := range []struct {
		schedule, fail string
		want           plannedCost
	}{
		{"constant(1s)", "0.999", plannedCost{new(1000.), 1, 0}},
		{"full-jitter(1s, 1m)", "0.999", plannedCost{new(1000.), 1, 0}},
		{"full-jitter(1s, 1m)", "0.5", plannedCost{new(2.), 1, 0}},
		{"constant(1s)", "1", plannedCost{nil, 0, 0}},
		{"full-jitter(1s, 1m)", "1", plannedCost{nil, 0, 0}},
		{"constant(1s) | take(99999)", "1", plannedCost{new(100_000.), 0, 0}},
		{"constant(1s) | take(22)", "0.1", plannedCost{new(1.111111), 1, 0}},
		{"constant(1s) | take(5000) | then(uniform(1s, 2s) | take(10))", "0.99", plannedCost{new(100.), 1, 2048}}, // 10,000 draws are too many for 8,192
		{"full-jitter(1s, 1m) | take(150)", "1", plannedCost{new(151.), 0, 0}},
	} {
		if _, got := cost(test.schedule, test.fail); !cmp.Equal(test.want, got) {
			t.Errorf("%s, %s failing (-want +got):\n%s", test.schedule, test.fail, cmp.Diff(test.want, got))
		}
	}
	// 10,000 draws see 2,000 of the 2,500 retries, and 5,000 draws see all.
	for draws, want := range map[string]plannedCost{"10000": {StoppedAfter: 2000}, "5000": {}} {
		s, got := cost(long, "1", "--draws", draws)
		retries := 2500.
		if want.StoppedAfter > 0 {
			retries = 2000
		}
		want.Attempts = new(math.Round(1e6*(1+retries*s.Retries[0].Reached)) / 1e6)
		if !cmp.Equal(want, got) || s.Retries[0].Reached < 0.005 {
			t.Errorf("%s draws of clients of whom %v have retries (-want +got):\n%s", draws, s.Retries[0].Reached, cmp.Diff(want, got))
		}
	}
	for schedule, want := range map[string]string{
		"constant(1s) | take(100000)":      `If all attempts fail, a request makes 100,001 on average; 0 % succeed\.`,
		long:                               `a request that ends after at most 2,000 retries makes 19\.2 on average; 0 % succeed; with fewer --draws it examines more\.`,
		"uniform(1s, 2s)":                  `If all attempts fail, a request does not end: after retry 100,000 the schedule still goes on\.`,
		"list(1s, 1s) | then(constant(0))": `a request does not end`,
	} {
		if got := clitest.Succeeds(t, New, "plan", schedule, "--fail", "1", "-n", "2"); !regexp.MustCompile(want).MatchString(unbroken(got)) {
			t.Errorf("%s: want %q\n%s", schedule, want, got)
		}
	}
	if got, want := clitest.Succeeds(t, New, "plan", "constant(1s)", "--fail", "0.99999"), "if the schedule has no end: it goes on after retry 100,000."; !strings.Contains(unbroken(got), want) {
		t.Errorf("a request that rarely succeeds: want %q\n%s", want, got)
	}
	// The 15 retries after the first 7 of 22 show in the digits of 1/0.9.
	if got := planJSON(t, "constant(1s) | take(22)", "-n", "7", "--fail", "0.1")[0].Cost; *got.Attempts != 1/0.9 {
		t.Errorf("a request makes %v attempts, want %v", *got.Attempts, 1/0.9)
	}
	if got, want := clitest.Succeeds(t, New, "plan", "constant(1s) | take(22)", "-n", "7", "--fail", "0.1"), "makes 1.11 on average; more than 99.9 % succeed."; !strings.Contains(unbroken(got), want) {
		t.Errorf("a request that may fail: want %q\n%s", want, got)
	}
	compared := clitest.Succeeds(t, New, "plan", "--compare", "constant(1s)", long, "--fail", "1", "-n", "2")
	if !regexp.MustCompile(`(?m)^A +no end +0 %\nB +≥ 19 +≥ 0 %$`).MatchString(compared) || !strings.Contains(unbroken(compared), "≥ is a lower bound: plan examined no more retries; with fewer --draws it examines more.") {
		t.Errorf("one without an end and one that is cut off:\n%s", compared)
	}
}

// unbroken returns text in one line, however it is broken.
func unbroken(text string) string { return strings.Join(strings.Fields(text), " ") }

// No format leaves out unsaid what was asked for.
func TestPlanFormatsLeaveNothingOut(t *testing.T) {
	clitest.Refuses(t, New, "plan: --fail and --format csv, want --format table or json: CSV has only retries",
		"plan", "constant(1s)", "--format", "csv", "--fail", "1")
	// 20 million delays are 2,000 retries of 10,000 draws each, of 1 ms each but the first;
	// of 20,000 draws they are even fewer.
	cut := clitest.Succeeds(t, New, "plan", few, "-n", "2", "--deadline", "1h", "--clients", "100", "--draws", "20000", "--format", "json")
	if !regexp.MustCompile(`"stops_at": (1.99|2.0)\d`).MatchString(cut) {
		t.Error("a load that was cut short does not say so in JSON")
	}
	load := planJSON(t, few, "-n", "2", "--deadline", "1h", "--clients", "100", "--draws", "20000")[0].Load
	if end := float64(len(load.PerSecond)) * load.Bin; end > load.StopsAt || end < load.StopsAt-load.Bin {
		t.Errorf("the load has %d bins of %v s, and stops at %v s", len(load.PerSecond), load.Bin, load.StopsAt)
	}
	if whole := clitest.Succeeds(t, New, "plan", "constant(1s)", "--clients", "100", "--format", "json"); strings.Contains(whole, "stops_at") {
		t.Errorf("a whole load says that it stops:\n%s", whole)
	}
}

// An exact schedule has exact answers: 1, 2, 4, 8 s come at 1, 3, 7, 15 s.
func TestPlanIsExact(t *testing.T) {
	s := planJSON(t, "exponential(1s, 2) | take(4)", "--deadline", "7s", "--clients", "30", "--fail", "0.5", "--bin", "1s")[0]
	for i, want := range []string{"1", "3", "7", "15"} {
		if e := s.Retries[i].Elapsed; e["min"].String() != want || e["mean"].String() != want || e["max"].String() != want {
			t.Errorf("retry %d comes at %v, want %s", i+1, e, want)
		}
	}
	if diff := cmp.Diff([]float64{1, 1, 1, 1, 1}, s.Within.AtLeast); diff != "" {
		t.Errorf("4 attempts fit (-want +got):\n%s", diff)
	}
	if s.Within.Min != 4 || s.Within.Mean != 4 || s.Within.Max != 4 {
		t.Errorf("within 7 s fit %+v, want 4 attempts", s.Within)
	}
	if diff := cmp.Diff([]float64{0, 30, 0, 30, 0, 0, 0}, s.Load.PerSecond); diff != "" {
		t.Errorf("the load (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(plannedCost{new(1.875), 0.9375, 0}, s.Cost); diff != "" {
		t.Errorf("a request costs (-want +got):\n%s", diff)
	}
	if s.Random || s.Draws != 1 || s.GoesOn || len(s.Warnings) != 1 {
		t.Errorf("the schedule is %+v", s)
	}
}

// Rows that are exact are shown as such, and answers from random retries after them as what
// they are.
func TestPlanRandomAfterTheRows(t *testing.T) {
	args := []string{"plan", "list(1s, 2s) | then(uniform(0s, 1s))", "-n", "2", "--clients", "100", "--deadline", "5s"}
	got := clitest.Succeeds(t, New, args...)
	for _, want := range []string{
		"\n    2      2s        3s\n", "Retry 2 comes after 3s; the schedule goes on.\n", "5 attempts fit for 100 % of clients, 6.\\d+ on average", "100 clients send 100 retries at once, at 1s.", "from 10,000 draws, seed 1",
		"Warning: retry 1: all clients wait exactly 1s",
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	s := planJSON(t, args[1:]...)[0]
	if !s.Random || s.Draws != 10_000 || len(s.Warnings) != 2 || s.Warnings[1] != "retry 2: all clients wait exactly 2s: no jitter, or a cap after it" {
		t.Errorf("JSON has random %v, %d draws and the warnings %q", s.Random, s.Draws, s.Warnings)
	}
	// Not asked for more than the rows, plan draws no more.
	if s := planJSON(t, args[1:4]...)[0]; s.Random || s.Draws != 1 || len(s.Warnings) != 1 {
		t.Errorf("of the rows alone JSON has random %v, %d draws and the warnings %q", s.Random, s.Draws, s.Warnings)
	}
	compared := clitest.Succeeds(t, New, append([]string{"plan", "--compare", "constant(1s)"}, args[1:]...)...)
	if !regexp.MustCompile(`(?m)^A .* 100 % at all\nB .* 100 % at 1$`).MatchString(compared) {
		t.Errorf("which retries are alike:\n%s", compared)
	}
}

// The mean of the last retry is over all clients, whichever retry is their last.
func TestPlanMeanOfTheLastRetry(t *testing.T) {
	got := clitest.Succeeds(t, New, "plan", "--compare", "uniform(1s, 3s) | within(4s)", "constant(1s)", "-n", "20")
	// Half of the pairs of delays fit into 4 s. Of these clients the last retry comes at
	// 10/3 s on average, of the others at 7/3 s; one client in 48 has three, and it is
	// 5/4 s later: 17/6 s + 5/192 s.
	if !regexp.MustCompile(`(?m)^A +≤ 3 +2\.8[4-8]s +4s +none \*$`).MatchString(got) {
		t.Errorf("the last retry:\n%s", got)
	}
}

// Whatever its bins are, a load has all retries of the clients in it. No bin is
// above its peak if the peak is a bin long; it is longer if a bin holds few draws.
func TestPlanLoadIsWhole(t *testing.T) {
	for bin, peakBins := range map[string]float64{"250ms": 2, "1s": 1, "7s": 1} {
		s := planJSON(t, "full-jitter(1s, 8s) | take(6)", "--deadline", "10m", "--clients", "90", "--bin", bin)[0]
		sum := 0.0
		for _, rate := range s.Load.PerSecond {
			sum += rate * s.Load.Bin
		}
		if math.Abs(sum-6*90) > 1e-6 {
			t.Errorf("bins of %s: %v retries, want %d", bin, sum, 6*90)
		}
		if most := slices.Max(s.Load.PerSecond); s.Load.Peak.PerSecond > most || peakBins == 1 && s.Load.Peak.PerSecond < most {
			t.Errorf("bins of %s: the peak is %+v, the fullest bin %v", bin, s.Load.Peak, most)
		}
		if diff := cmp.Diff(peakBins*s.Load.Bin, s.Load.Peak.Bin); diff != "" {
			t.Errorf("bins of %s: how long the peak is (-want +got):\n%s", bin, diff)
		}
	}
}

// The peak in the text and the curve in the chart count the same bins, and the peak is not
// above the curve.
func TestPlanPeakIsInTheChart(t *testing.T) {
	for _, schedule := range []string{"full-jitter(100ms, 10s)", "smooth-jitter(1s, 1m)", "constant(1s)", "uniform(0s, 1s) | then(constant(1s))"} {
		for _, deadline := range []string{"7s", "30s", "5m"} {
			load := planJSON(t, schedule, "--deadline", deadline, "--clients", "1000", "--draws", "1000")[0].Load
			bins := load.Peak.Bin / load.Bin
			if math.Abs(bins-math.Round(bins)) > 1e-9 || load.Peak.PerSecond > slices.Max(load.PerSecond)*(1+1e-9) {
				t.Errorf("%s within %s: the peak is %+v, the bins %v s long, the fullest has %v retries a second",
					schedule, deadline, load.Peak, load.Bin, slices.Max(load.PerSecond))
			}
		}
	}
}

// The sentence about clients counts the busiest second, as the table does: it does not
// depend on the deadline, nor on how long the bins of the chart are. A few retries are no rate.
func TestPlanBusiestSecond(t *testing.T) {
	for _, deadline := range []string{"5s", "10s", "30s", "2m"} {
		text := clitest.Succeeds(t, New, "plan", "full-jitter(100ms, 10s)", "--clients", "1000", "--deadline", deadline)
		for _, want := range []string{
			`(?m)^1,000 clients send 3,990 ± 6\.\d retries in the busiest second, from 0s to 1s\.$`,
			`(?m)^ +0 +\d+ +\d+ +1,270 +3,990$`,
			`(?m)^Retries per second by time, averaged over \d`,
		} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("within %s: want %q\n%s", deadline, want, text)
			}
		}
	}
	text := unbroken(clitest.Succeeds(t, New, "plan", "full-jitter(100ms, 10s) | take(5)", "--clients", "1"))
	if want := "1 client sends too few retries for a rate: 4 ± 0.0"; !strings.Contains(text, want) {
		t.Errorf("want %q\n%s", want, text)
	}
}

// Without a deadline a load has all retries of a schedule that ends; if it goes on, a note
// tells how far the load reaches.
func TestPlanLoadWithoutDeadline(t *testing.T) {
	const note = "The busiest windows and the chart are of the first "
	s := planJSON(t, "full-jitter(100ms, 10s) | take(5)", "--clients", "1000")[0]
	sum := 0.0
	for _, rate := range s.Load.PerSecond {
		sum += rate * s.Load.Bin
	}
	if math.Abs(sum-5000) > 1e-6 {
		t.Errorf("the load has %v retries, want all 5,000", sum)
	}
	for args, want := range map[string]bool{
		"full-jitter(100ms,10s)|take(5)":              false,
		"full-jitter(100ms,10s)":                      true,
		"full-jitter(100ms,10s) --deadline 1s":        false,
		"--compare constant(1s)|take(3) constant(1s)": true,
	} {
		text := unbroken(clitest.Succeeds(t, New, append([]string{"plan", "--clients", "10"}, strings.Fields(args)...)...))
		if got := strings.Contains(text, note); got != want {
			t.Errorf("%s: the note is there: %v, want %v\n%s", args, got, want, text)
		}
	}
}

// A table that leaves out columns says so.
func TestPlanLeavesOutColumns(t *testing.T) {
	for quantiles, want := range map[string]bool{"0,0.1,0.5,1": true, "0.1,0.5": false, "0.5": false} {
		text := unbroken(clitest.Succeeds(t, New, "plan", "full-jitter(100ms, 10s)", "--quantiles", quantiles))
		if got := strings.Contains(text, "For lack of room the table leaves out columns of elapsed"); got != want {
			t.Errorf("quantiles %s: it says so: %v, want %v\n%s", quantiles, got, want, text)
		}
	}
}

// Warnings about the same delay of several retries are one sentence.
func TestPlanFewWarnings(t *testing.T) {
	for schedule, want := range map[string][]string{
		"exponential(100ms, 2) | jitter(1) | cap(10s)":         {"retries 8 to 12: 22.8 % to 95.2 % of clients wait exactly 10s: put the jitter after the cap"},
		"list(1s, 2s, 2s, 0s, 0s) | then(uniform(0s, 1s))":     {"retry 1: all clients wait exactly 1s: this delay has no jitter", "retries 2 to 3: all clients wait exactly 2s: no jitter, or a cap after it", "retries 4 to 5: all clients come back at once"},
		"uniform(0s, 1s) | take(1) | then(exponential(1s, 2))": {"retry 2: all clients wait exactly 1s: this delay has no jitter", "retry 3: all clients wait exactly 2s: this delay has no jitter", "retry 4: all clients wait exactly 4s: this delay has no jitter", "7 more such retries, and then retry 12: all clients wait exactly 17m4s: no jitter, or a cap after it"},
		"constant(1s)":            {"no jitter: at every retry all clients wait for exactly the same delay"},
		"full-jitter(100ms, 10s)": nil,
	} {
		text := unbroken(clitest.Succeeds(t, New, "plan", schedule))
		text, _, _ = strings.Cut(text, " retry delay ")
		got := strings.Split(text, "Warning: ")[1:]
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], ". ")
			got[i] = strings.TrimSuffix(got[i], ".")
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schedule, diff)
		}
	}
}

// The peak is what clients do and not the luckiest bin: 10,000 clients that wait for up to
// 100 ms make 100,000 retries a second, at any time.
func TestPlanPeakIsNotLuck(t *testing.T) {
	args := []string{"full-jitter(100ms, none) | take(1)", "--deadline", "100ms", "--clients", "10000"}
	for _, seed := range []string{"1", "2", "3"} {
		peak := planJSON(t, append(args, "--seed", seed)...)[0].Load.Peak
		if math.Abs(peak.PerSecond/100_000-1) > 0.05 {
			t.Errorf("seed %s: the peak is %+v, want 100,000 within 5 %%", seed, peak)
		}
		// Of n draws k are in it: √(n·(k/n)·(1−k/n)), in retries a second.
		share := peak.PerSecond * peak.Bin / 10_000
		want := math.Sqrt(10_000*share*(1-share)) / peak.Bin
		if math.Abs(peak.Error/want-1) > 0.01 {
			t.Errorf("seed %s: the error of the peak is %v, want %v", seed, peak.Error, want)
		}
	}
	wide := []string{"plan", "full-jitter(100s, none) | take(1)", "--deadline", "100s", "--clients", "10000"}
	text := unbroken(clitest.Succeeds(t, New, wide...))
	if !regexp.MustCompile(`send 10\d ± 1\.\d retries in the busiest second, between \d`).MatchString(text) {
		t.Errorf("the busiest second is not within 10 %% of 100, or without its error:\n%s", text)
	}
	exact := clitest.Succeeds(t, New, "plan", "--compare", "constant(1s)", "constant(2s)", "--clients", "10")
	if strings.Contains(exact, "±") {
		t.Errorf("a peak that is exact has an error:\n%s", exact)
	}
}

// The pictures of a plan: a load whose steps reach from 0 to the deadline, and
// delays that count from 1.
func TestPlanPictures(t *testing.T) {
	load := []string{"full-jitter(100ms, 10s)", "--clients", "10000", "--deadline", "30s"}
	for _, args := range [][]string{load, append(load, "--log")} {
		drawing := drawn(t, "png", args...)
		pixels, left, right, top, bottom := picturetest.InkSpan(t, drawing, picture.Inks[0])
		if pixels < 2000 || left > 160 || right < 1150 || right > 1180 || top > 110 || bottom < 600 {
			t.Errorf("%q: %d pixels, x from %d to %d, y from %d to %d", args, pixels, left, right, top, bottom)
		}
		// The first bin holds the most for a second, a thirtieth of the axis: a flat
		// step of 30 pixels and more, below the legend.
		decoded, err := png.Decode(bytes.NewReader(drawing))
		if err != nil {
			t.Fatal(err)
		}
		flat := 0
		for y := 60; y < 160; y++ {
			inked := 0
			for x := 150; x < 1180; x++ {
				if picturetest.Near(color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA), picture.Inks[0]) {
					inked++
				}
			}
			flat = max(flat, inked)
		}
		if flat < 30 || flat > 50 {
			t.Errorf("%q: the first step is %d pixels wide", args, flat)
		}
	}
	for _, test := range []struct {
		args, want, none []string
	}{
		{load, []string{"0s", "5s", "30s", "40,000", "retries/s", "time since 10,000 clients failed together     (retries/s: averaged over 1s)"}, []string{"delay"}},
		{[]string{"full-jitter(100ms, 10s)", "--clients", "10000", "--deadline", "2m"}, []string{"time since 10,000 clients failed together     (retries/s: averaged over 5s)"}, nil},
		{[]string{"constant(1s)", "--clients", "10000", "--deadline", "30s"}, []string{"retries", "time since 10,000 clients failed together"}, []string{"retries/s"}},
		{append(load, "--log"), []string{"2,000", "20,000"}, []string{"0"}},
		{[]string{"full-jitter(100ms, 10s) | take(8)"}, []string{"1", "8", "10s", "delay", "retry     (lines: p50; bands: p5 to p95 of 10,000 draws)"}, []string{"0", "9"}},
		{[]string{"full-jitter(100ms, 10s)", "--quantiles", "0.9"}, []string{"1", "12", "retry     (lines: p50 of 10,000 draws)"}, []string{"0"}},
		{[]string{"--compare", fast, slow, "-n", "20"}, []string{fast, slow, "1", "20"}, []string{"0"}},
	} {
		picturetest.CheckTexts(t, test.args, picturetest.SvgTexts(t, drawn(t, "svg", test.args...)), test.want, test.none)
	}
}

const (
	fast = "normal-jitter(100ms, 10m, 2.7, 0.1)"
	slow = "normal-jitter(1s, 5m, 1.5, 0.1)"
)

// drawn returns the picture that plan makes, as png or svg.
func drawn(t *testing.T, format string, args ...string) []byte {
	t.Helper()
	return clitest.Drawn(t, New, format, append([]string{"plan"}, args...)...)
}

func TestHelp(t *testing.T) {
	clitest.Golden(t, "plan-help", clitest.Succeeds(t, New, "plan", "--help"))
}

func TestWriteErrors(t *testing.T) {
	for _, format := range []string{"table", "csv", "json"} {
		write := func(texts ...string) func(io.Writer) error {
			return func(w io.Writer) error {
				p := forecast.Params{Sample: sampling.Sample{Retries: 3, Draws: 10}, Quantiles: []float64{0.5}}
				p.Compare = len(texts) > 1
				var exprs []*expr.Expr
				for _, text := range texts {
					exprs = append(exprs, clitest.Parse(t, text))
				}
				return answer(w, exprs, &p, &present.Flags{Format: format})
			}
		}
		clitest.FullDisk(t, format, write("uniform(1s, 2s) | take(3)"))
		clitest.FullDisk(t, "comparison as "+format, write("uniform(1s, 2s)", "list()"))
	}
}
