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
		"plan-random":        {"plan", "full-jitter(100ms, 10s)", "--deadline", "30s", "--clients", "10000", "--fail", "0.5"},
		"plan-delays":        {"plan", "full-jitter(100ms, 10s) | take(8)", "--log"},
		"plan-exact":         {"plan", "exponential(100ms, 2) | take(4)", "--deadline", "2s", "--clients", "10000", "--fail", "1"},
		"plan-attempt-time":  {"plan", "equal-jitter(1s, 1m) | take(5)", "--attempt-time", "200ms", "--deadline", "20s", "--quantiles", "0.99,0.5,0.5"},
		"plan-alike":         {"plan", "exponential(100ms, 2) | jitter(1) | cap(10s)", "-n", "20"},
		"plan-one-quantile":  {"plan", "full-jitter(1s, 1m)", "-n", "3", "--quantiles", "0.9"},
		"plan-uneven":        {"plan", "full-jitter(100ms, 10s) | within(20s)"},
		"plan-uneven-ends":   {"plan", "full-jitter(100ms, 10s) | within(20s) | take(9)", "--fail", "0.9"},
		"plan-never":         {"plan", "full-jitter(1s, 1m)", "-n", "2", "--fail", "1", "--draws", "20000"},
		"plan-too-many":      {"plan", "constant(1ms) | jitter(1)", "-n", "2", "--deadline", "1h", "--clients", "100"},
		"plan-one":           {"plan", "list(1s)", "--deadline", "1m", "--clients", "1", "--fail", "0"},
		"plan-none":          {"plan", "list()", "--deadline", "1m", "--clients", "1", "--fail", "0.1"},
		"plan-zero":          {"plan", "constant(0)", "-n", "3", "--clients", "5"},
		"plan-largest":       {"plan", "exponential(1s, 1e300)", "-n", "3", "--clients", "5", "--deadline", "1m", "--log"},
		"plan-compare":       {"plan", "--compare", "full-jitter(1s, 1m)", "smooth-jitter(1s, 1m)", "exponential(1s, 2) | cap(1m) | take(4)", "--deadline", "5m", "--fail", "0.5"},
		"plan-compare-load":  {"plan", "--compare", "full-jitter(1s, 1m)", "exponential(1s, 2) | cap(1m) | spread(0.1)", "list()", "--deadline", "5m", "--clients", "10000", "--quantiles", "0.1"},
		"plan-csv":           {"plan", "uniform(1s, 2s) | take(2)", "--format", "csv", "--deadline", "3s"},
		"plan-json":          {"plan", "--compare", "uniform(1s, 2s) | take(2)", "list(1s, 1s)", "list()", "--format", "json", "--deadline", "3s", "--clients", "7", "--fail", "0.25", "--bin", "1s"},
		"plan-seed":          {"plan", "full-jitter(1s, 1m)", "-n", "2", "--seed", "2", "--draws", "100"},
		"solve-ratio":        {"plan", "--base", "1s", "--elapsed", "1000s", "--ratio", "0.1"},
		"solve-ratio-alone":  {"plan", "--ratio", "0.1"},
		"solve-cost":         {"plan", "--base", "1s", "--factor", "2", "--elapsed", "1000s", "--compare-factor", "1.1"},
		"solve-long-run":     {"plan", "--factor", "2", "--compare-factor", "1.1"},
		"solve-elapsed":      {"plan", "--base", "1s", "--factor", "2", "--limit", "none", "--retries", "10"},
		"solve-straight":     {"plan", "--base", "1s", "--factor", "2", "--limit", "10s", "--retries", "10", "--compare-factor", "1.5"},
		"solve-retries":      {"plan", "--base", "1s", "--factor", "2", "--limit", "10s", "--elapsed", "1m"},
		"solve-factor":       {"plan", "--base", "1s", "--retries", "8", "--elapsed", "30s", "--limit", "5s"},
		"solve-base":         {"plan", "--factor", "2", "--retries", "10", "--elapsed", "1023s"},
		"solve-base-limited": {"plan", "--factor", "2", "--retries", "8", "--elapsed", "30s", "--limit", "5s"},
		"solve-limit":        {"plan", "--base", "1s", "--factor", "2", "--retries", "10", "--elapsed", "1m"},
		"solve-two":          {"plan", "--retries", "10", "--elapsed", "1023s", "--delay", "1024s"},
		"solve-constant":     {"plan", "--base", "1s", "--factor", "1", "--elapsed", "10s"},
		"solve-largest":      {"plan", "--base", "1s", "--factor", "2", "--retries", "100"},
		"solve-csv":          {"plan", "--base", "1s", "--elapsed", "1000s", "--ratio", "0.1", "--format", "csv"},
		"solve-json":         {"plan", "--base", "1s", "--elapsed", "1000s", "--ratio", "0.1", "--limit", "none", "--format", "json"},
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
		if got := clitest.Succeeds(t, New, args...); !strings.Contains(got, "Retry n is attempt n+1.\n") && !strings.Contains(got, "The schedule is") {
			t.Errorf("%q prints\n%s", args, got)
		}
	}
	if ran < 6 {
		t.Errorf("%d examples ran, want all", ran)
	}
}

// A plannedJSON is what JSON says of one schedule.
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
		Peak      struct {
			At, Bin, Error float64
			PerSecond      float64 `json:"per_second"`
		}
	}
	Cost     plannedCost
	Warnings []string
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

// A deadline that more attempts meet than are drawn is said to be too far, and what
// looks further; an hour at a delay of 10 s is not.
func TestPlanDeadlineBeyondTheDraws(t *testing.T) {
	const further = "fewer --draws look further."
	if got := clitest.Succeeds(t, New, "plan", "full-jitter(100ms, 10s)", "--deadline", "1h"); !strings.Contains(got, "Within 1h 701 attempts fit for 95.6 % of clients") {
		t.Errorf("within an hour:\n%s", got)
	}
	for name, test := range map[string]struct {
		args    []string
		further bool
	}{
		"random":            {[]string{"uniform(0s, 1ms)"}, true},
		"random, compared":  {[]string{"--compare", "uniform(0s, 1ms)", "constant(1ms)"}, true},
		"random, few draws": {[]string{"uniform(0s, 1ms)", "--draws", "20"}, false},
		"exact":             {[]string{"constant(1ms)"}, false},
		"exact, compared":   {[]string{"--compare", "constant(1ms)", "constant(2ms)"}, false},
	} {
		got := clitest.Succeeds(t, New, append([]string{"plan", "--deadline", "1h"}, test.args...)...)
		if strings.Contains(got, further) != test.further || !strings.Contains(got, "were looked at") {
			t.Errorf("%s: want %q: %v\n%s", name, further, test.further, got)
		}
	}
}

// A request that may go on for ever costs 1/(1-p) attempts, whatever its delays are
// and however few of them are drawn; one that is cut off is marked.
func TestPlanCostOfEndless(t *testing.T) {
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
		{"constant(1s) | take(5000) | then(uniform(1s, 2s) | take(10))", "0.99", plannedCost{new(100.), 1, 3072}}, // 10,000 draws are too many for 12,288
		{"full-jitter(1s, 1m) | take(1500)", "1", plannedCost{new(1501.), 0, 0}},
		{"full-jitter(1s, 1m) | take(2500)", "1", plannedCost{new(2001.), 0, 2000}},
	} {
		got := planJSON(t, test.schedule, "--fail", test.fail)[0].Cost
		if got.Attempts != nil {
			got.Attempts = new(math.Round(1e6**got.Attempts) / 1e6)
		}
		got.Success = math.Round(1e6*got.Success) / 1e6
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, %s failing (-want +got):\n%s", test.schedule, test.fail, diff)
		}
	}
	for schedule, want := range map[string]string{
		"constant(1s) | take(100000)":      "If all attempts fail, a request makes 100001 attempts on average and succeeds with a probability of 0 %.",
		"uniform(1s, 2s) | take(2500)":     "a request that ends after retry 2,000 at the latest makes 2001 attempts on average and succeeds with a probability of 0 %: fewer --draws look further.",
		"uniform(1s, 2s)":                  "If all attempts fail, a request does not end: after retry 100,000 the schedule still goes on.",
		"list(1s, 1s) | then(constant(0))": "a request does not end",
	} {
		if got := clitest.Succeeds(t, New, "plan", schedule, "--fail", "1", "-n", "2"); !strings.Contains(got, want) {
			t.Errorf("%s: want %q\n%s", schedule, want, got)
		}
	}
	if got, want := clitest.Succeeds(t, New, "plan", "constant(1s)", "--fail", "0.99999"), "if the schedule has no end: it goes on after retry 100,000."; !strings.Contains(got, want) {
		t.Errorf("a request that rarely succeeds: want %q\n%s", want, got)
	}
	// What is left of 22 retries after 7 shows in the digits of 1/0.9.
	if got := planJSON(t, "constant(1s) | take(22)", "-n", "7", "--fail", "0.1")[0].Cost; *got.Attempts != 1/0.9 {
		t.Errorf("a request makes %v attempts, want %v", *got.Attempts, 1/0.9)
	}
	if got, want := clitest.Succeeds(t, New, "plan", "constant(1s) | take(22)", "-n", "7", "--fail", "0.1"), "makes 1.11 attempts on average and succeeds with a probability of more than 99.9 %."; !strings.Contains(got, want) {
		t.Errorf("a request that may fail: want %q\n%s", want, got)
	}
	compared := clitest.Succeeds(t, New, "plan", "--compare", "constant(1s)", "uniform(1s, 2s) | take(2500)", "--fail", "1", "-n", "2")
	if !regexp.MustCompile(`(?m)^attempts a request.* no end +≥ 2001$`).MatchString(compared) || !strings.Contains(compared, "≥ stands where") {
		t.Errorf("one without an end and one that is cut off:\n%s", compared)
	}
}

// No format leaves out unsaid what was asked for.
func TestPlanFormatsLeaveNothingOut(t *testing.T) {
	for _, question := range []string{"clients", "fail"} {
		clitest.Refuses(t, New, "plan: --"+question+" and --format csv, want --format table or json: CSV has the retries alone",
			"plan", "constant(1s)", "--format", "csv", "--"+question, "1")
	}
	// 20 million draws of 10,000 clients are 2,000 retries each.
	cut := clitest.Succeeds(t, New, "plan", "constant(1ms) | jitter(1)", "-n", "2", "--deadline", "1h", "--clients", "100", "--format", "json")
	if !strings.Contains(cut, `"stops_at": 0.9`) {
		t.Error("a load that was cut short does not say so in JSON")
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
	if diff := cmp.Diff(plannedCost{new(1.9375), 0.96875, 0}, s.Cost); diff != "" {
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
		"\n    2      2s        3s\n", "Retry 2 comes after 3s.\n", "5 attempts fit for 100 % of clients, 6.\\d+ on average", "100 clients that fail together send at most [0-9,]+ ± ", "of 10,000 draws from seed 1",
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The mean of the last retry is over all clients, whichever retry is their last.
func TestPlanMeanOfTheLastRetry(t *testing.T) {
	got := clitest.Succeeds(t, New, "plan", "--compare", "uniform(1s, 3s) | within(4s)", "constant(1s)", "-n", "20")
	// Half of the pairs of delays fit into 4 s. Of these clients the last retry comes at
	// 10/3 s on average, of the others at 7/3 s; one client in 48 has three, and it is
	// 5/4 s later: 17/6 s + 5/192 s.
	if !regexp.MustCompile(`(?m)^the last retry, mean +2\.8[4-8]s +20s$`).MatchString(got) {
		t.Errorf("the last retry:\n%s", got)
	}
}

// However closely it is looked at, a load has all retries of the clients in it. No bin is
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
	text := clitest.Succeeds(t, New, append([]string{"plan"}, args...)...)
	if !regexp.MustCompile(`send at most 10\d,000 ± 1,\d00 retries a second, in the 4\dms from `).MatchString(text) {
		t.Errorf("the peak is not within 5 %% of 100,000, or without its error:\n%s", text)
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
		{load, []string{"0s", "5s", "30s", "40,000", "retries/s", "time since 10,000 clients failed together"}, []string{"delay"}},
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
