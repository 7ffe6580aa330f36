package overload

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/advice"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/picture"
	"example.com/backoff/cmd/backoff/internal/picturetest"
	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/sim/overload"
)

// CSV and JSON of sim overload have the results of the model, of one repetition and the
// means of several.
func TestOverloadFormats(t *testing.T) {
	const text = "exponential(200ms, 2) | take(1)"
	config := overload.Default()
	config.Schedule = clitest.Parse(t, text).Seeded
	config.Clients, config.Think, config.Reps, config.Seed = 80, time.Second, 2, 9
	config.Timeout, config.Poll, config.Failures, config.Queue = time.Second, 20*time.Millisecond, 0.1, 40
	config.Latency = overload.LinearLatency{Base: 50 * time.Millisecond, PerOpen: 2 * time.Millisecond}
	config.Abandoned = overload.Cancel
	config.Network = 15 * time.Millisecond
	config.Accept, config.Reconnect = time.Millisecond, 200*time.Millisecond
	config.Budget, config.Processes = (&budgetValue{20, 0.2, true}).maker(), 4
	config.Warmup, config.After = 4*time.Second, 6*time.Second
	config.Trigger = overload.Trigger{Kind: overload.SlowDown, For: 1500 * time.Millisecond, Factor: 8}
	want, err := overload.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split("sim overload --clients 80 --think 1s --reps 2 --seed 9 --timeout 1s --poll 20ms --failures 0.1 --queue 40"+
		" --base-latency 50ms --latency-per-open 2ms --abandoned cancel --network 15ms --accept 1ms --reconnect 200ms --budget 20,0.2 --processes 4"+
		" --warmup 4s --after 6s --slow-down 1500ms --trigger-factor 8", " ")
	args = append(args, text)

	var fromJSON []struct {
		Schedule    string
		Repetitions []struct {
			Seed     uint64
			Verdict  string
			After    *float64 `json:"recovered_after_s"`
			Before   float64  `json:"goodput_before"`
			End      float64  `json:"goodput_end"`
			PeakOpen int64    `json:"peak_open"`
			Seconds  []struct {
				T                                     int `json:"t_s"`
				First, Retries, OK, Timeouts, Refused int64
				GaveUp                                int64 `json:"gave_up"`
				Denied, Wasted, Open, Queued          int64
				LatencyMS                             float64 `json:"latency_ms"`
				SeenMS                                float64 `json:"seen_ms"`
				PeakOpen                              int64   `json:"peak_open"`
			}
		}
	}
	if err := json.Unmarshal([]byte(clitest.Succeeds(t, underSim, clitest.With(args, "--format", "json")...)), &fromJSON); err != nil {
		t.Fatal(err)
	}
	duration := func(ms float64) time.Duration { return time.Duration(math.Round(ms * 1e6)) }
	var got overload.Result
	for _, r := range fromJSON[0].Repetitions {
		rep := overload.Rep{Seed: r.Seed, Verdict: overload.Verdict{
			Recovered: r.Verdict == "recovered", Before: r.Before, End: r.End, PeakOpen: r.PeakOpen,
		}}
		if r.After != nil {
			rep.Verdict.After = duration(*r.After * 1000)
		}
		if (r.After != nil) != rep.Verdict.Recovered {
			t.Errorf("%s after %v", r.Verdict, r.After)
		}
		for i, s := range r.Seconds {
			if s.T != i {
				t.Errorf("second %d is at %d", i, s.T)
			}
			rep.Seconds = append(rep.Seconds, overload.Second{
				First: s.First, Retries: s.Retries, OK: s.OK, Timeouts: s.Timeouts, Refused: s.Refused,
				GaveUp: s.GaveUp, Denied: s.Denied, Wasted: s.Wasted, Open: s.Open, Queued: s.Queued,
				Latency: duration(s.LatencyMS), Seen: duration(s.SeenMS), PeakOpen: s.PeakOpen,
			})
		}
		got.Reps = append(got.Reps, rep)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	if total := overload.Total(want.Reps[0].Seconds); total.Denied == 0 || total.Refused == 0 || total.GaveUp == 0 {
		t.Errorf("the experiment shows too little: %+v", total)
	}

	for _, reps := range []int{1, 2} {
		text := clitest.Succeeds(t, underSim, clitest.With(args, "--format", "csv", "--reps", strconv.Itoa(reps))...)
		all := clitest.Lines(t, text, "schedule,t_s,first,retries,ok,timeouts,refused,open,latency_ms,peak_open")
		if len(all) != len(want.Reps[0].Seconds) {
			t.Fatalf("%d lines, want %d", len(all), len(want.Reps[0].Seconds))
		}
		for i, l := range all {
			var mean [8]float64
			for _, r := range want.Reps[:reps] {
				s := r.Seconds[i]
				for j, x := range []float64{
					float64(s.First), float64(s.Retries), float64(s.OK), float64(s.Timeouts), float64(s.Refused),
					float64(s.Open), float64(s.Latency) / 1e6, float64(s.PeakOpen),
				} {
					mean[j] += x / float64(reps)
				}
			}
			var got [8]float64
			for j := range got {
				got[j] = clitest.Float(t, l[2+j])
			}
			got[6] = math.Round(got[6]*1e6) / 1e6 // below a nanosecond
			mean[6] = math.Round(mean[6]*1e6) / 1e6
			if math.Abs(got[6]-mean[6]) <= 1e-6 {
				got[6] = mean[6]
			}
			if l[1] != strconv.Itoa(i) || got != mean {
				t.Errorf("%d repetitions, line %d: %v, want %v", reps, i, l, mean)
			}
		}
	}
	all := clitest.Lines(t, clitest.Succeeds(t, underSim, clitest.With(args, "--format", "csv", "--verdict")...), "schedule,seed,verdict,recovered_after_s,peak_open")
	for i, l := range all {
		v := want.Reps[i].Verdict
		if l[1] != strconv.FormatUint(want.Reps[i].Seed, 10) || (l[2] == "recovered") != v.Recovered || (l[3] != "") != v.Recovered || l[4] != strconv.FormatInt(v.PeakOpen, 10) {
			t.Errorf("repetition %d: %v, want %+v", i, l, v)
		}
	}
}

// The verdict in words.
func TestVerdictInWords(t *testing.T) {
	const collapsed, unfinished = -1, -2
	recovered := func(seconds ...int) []overload.Rep {
		var reps []overload.Rep
		for _, s := range seconds {
			r := overload.Rep{Verdict: overload.Verdict{Before: 1}, Seconds: make([]overload.Second, 9)}
			switch s {
			case collapsed:
				r.Seconds[8].Timeouts = 1
			case unfinished:
				r.Seconds[2].Timeouts = 1 // and no retry yet
			default:
				r.Verdict.Recovered, r.Verdict.After = true, time.Duration(s)*time.Second
			}
			reps = append(reps, r)
		}
		return reps
	}
	stop := overload.Trigger{Kind: overload.Stop, For: time.Second}
	const later = ": few requests are open; use a longer --after"
	for _, test := range []struct {
		trigger overload.Trigger
		reps    []overload.Rep
		want    string
	}{
		{stop, recovered(2), "recovered 2s after the resume"},
		{stop, recovered(0), "recovered right after the resume"},
		{stop, recovered(collapsed), "collapsed"},
		{overload.Trigger{Kind: overload.SlowDown, For: time.Second}, recovered(1), "recovered 1s after the slow-down"},
		{overload.Trigger{Kind: overload.Spike, For: time.Second}, recovered(1), "recovered 1s after the spike"},
		{stop, recovered(3, 3), "recovered in all of 2 repetitions, 3s after the resume"},
		{stop, recovered(9, 1, 3), "recovered in all of 3 repetitions, 3s after the resume in the median, max 9s"},
		{stop, recovered(collapsed, 5, collapsed, 0), "recovered in 2 of 4 repetitions, 2.5s after the resume in the median, max 5s"},
		{stop, recovered(collapsed, collapsed), "collapsed in all of 2 repetitions"},
		{overload.Trigger{}, recovered(0), "held up"},
		{overload.Trigger{}, recovered(collapsed), "collapsed"},
		{overload.Trigger{}, recovered(0, collapsed, 0), "held up in 2 of 3 repetitions"},
		{stop, []overload.Rep{{Verdict: overload.Verdict{}}}, "too much from the start: offered 100/s, capacity 1,250/s"},
		{stop, recovered(unfinished), "not yet recovered at the end" + later},
		{stop, []overload.Rep{{Verdict: overload.Verdict{Before: 1}, Seconds: make([]overload.Second, 9)}}, "not yet recovered at the end: few operations begin; use more clients or a higher rate"},
		{stop, recovered(unfinished, unfinished), "not yet recovered at the end in all of 2 repetitions" + later},
		{stop, recovered(unfinished, collapsed, unfinished), "collapsed in 1 of 3 repetitions; not yet recovered in 2" + later},
		{stop, recovered(unfinished, 3), "recovered in 1 of 2 repetitions, 3s after the resume; not yet in 1" + later},
		{stop, recovered(unfinished, 3, collapsed, 5), "recovered in 2 of 4 repetitions, 4s after the resume in the median, max 5s; not yet in 1" + later},
	} {
		config := overload.Default()
		config.Warmup, config.Trigger, config.After = 2*time.Second, test.trigger, 6*time.Second
		if got := verdictInWords(seconds.Series{Reps: test.reps}, config, asItWas); got != test.want {
			t.Errorf("the verdict is %q, want %q", got, test.want)
		}
	}
}

// The verdict on an overload from the start has its numbers.
func TestOfferedInWords(t *testing.T) {
	for _, test := range []struct {
		change func(*overload.Config)
		want   string
	}{
		{func(c *overload.Config) {}, "offered 100/s, capacity 1,250/s"},
		{func(c *overload.Config) { c.Clients, c.Rate = 0, 1234 }, "offered 1,230/s, capacity 1,250/s"},
		{func(c *overload.Config) { c.Think = 0 }, "offered 1,000 clients without a pause, capacity 1,250/s"},
		{func(c *overload.Config) { c.Latency = overload.LinearLatency{Base: time.Second} }, "offered 100/s"},
	} {
		config := overload.Default()
		test.change(&config)
		if got := offeredInWords(config); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Advice begins with the problem and what counts as help.
func TestProblemInWords(t *testing.T) {
	config := overload.Default()
	rep := func(recovered bool) overload.Rep {
		r := overload.Rep{Verdict: overload.Verdict{Before: 1, Recovered: recovered}, Seconds: make([]overload.Second, 125)}
		r.Seconds[124].Timeouts, r.Seconds[124].OK, r.Seconds[124].Wasted = 1, 62, 38
		return r
	}
	no, yes := rep(false), rep(true)
	for _, test := range []struct {
		reps []overload.Rep
		want string
	}{
		{[]overload.Rep{no}, "collapsed. Changes help if the server recovers with them."},
		{[]overload.Rep{no, yes}, "collapsed in 1 of 2 repetitions. Changes help if the server recovers in more of them."},
		{[]overload.Rep{no, no}, "collapsed in all of 2 repetitions. Changes help if the server recovers in more of them."},
		{append(slices.Repeat([]overload.Rep{yes}, 9), no, no), "collapsed in 1 of the first 10 repetitions. Changes help if the server recovers in more of them."},
		{append(slices.Repeat([]overload.Rep{no}, 10), yes), "collapsed in all of the first 10 repetitions. Changes help if the server recovers in more of them."},
		{append(slices.Repeat([]overload.Rep{yes}, 10), no), "recovered in the first 10 repetitions, but 38 % of the work was wasted: done after the client had given up. Changes help if the server recovers with less than half of that."},
		{[]overload.Rep{yes}, "recovered, but 38 % of the work was wasted: done after the client had given up. Changes help if the server recovers with less than half of that."},
		{[]overload.Rep{{}}, "had too much load from the start. Changes help if the server recovers with them."},
	} {
		if got := problemInWords(seconds.Series{Reps: test.reps}, config); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// A change has the operations that it gives up, and a note.
func TestAdviceHasItsPrice(t *testing.T) {
	config := overload.Default()
	rep := func(recovered bool, first, gaveUp, denied int64) []overload.Rep {
		r := overload.Rep{Verdict: overload.Verdict{Before: 1, Recovered: recovered}, Seconds: make([]overload.Second, 125)}
		r.Seconds[3] = overload.Second{First: first, GaveUp: gaveUp, Denied: denied}
		r.Seconds[124].Timeouts = 1
		return []overload.Rep{r}
	}
	for _, test := range []struct {
		before []overload.Rep
		change advice.Advice
		want   string
	}{
		{rep(false, 9000, 0, 0), advice.Advice{Reps: rep(true, 9000, 0, 0)}, "would recover right after the resume\n"},
		{rep(false, 9000, 0, 0), advice.Advice{Reps: rep(true, 11000, 684, 5000)}, "would recover right after the resume; 5,684 of 11,000 operations\n      given up\n"},
		{rep(false, 9000, 0, 7), advice.Advice{Reps: rep(true, 8000, 0, 9)}, "would recover right after the resume; 9 of 8,000 operations given up\n      instead of 7\n"},
		{rep(false, 9000, 9, 0), advice.Advice{Reps: rep(true, 8000, 0, 9)}, "would recover right after the resume\n"},
		{rep(false, 9000, 0, 0), advice.Advice{Reps: rep(true, 9000, 0, 0), Note: "try others"}, "would recover right after the resume (try others)\n"},
	} {
		test.change.What, test.change.Flag, test.change.Helps = "a change", "--flag", true
		var b strings.Builder
		if err := writeAdvice(&b, "A", config, seconds.Series{Reps: test.before}, []advice.Advice{test.change}); err != nil {
			t.Fatal(err)
		}
		want := "\nA collapsed. Changes help if the server recovers with them.\n\nWhat would help A:\n  a change: " + test.want + "      --flag\n"
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A change is compared with the repetitions that it was tried in, and not with those after
// them.
func TestOutcomeInWords(t *testing.T) {
	config := overload.Default()
	reps := func(n int, recovered bool, wasted, gaveUp int64) []overload.Rep {
		r := overload.Rep{Verdict: overload.Verdict{Before: 1, Recovered: recovered}, Seconds: make([]overload.Second, 125)}
		r.Seconds[3] = overload.Second{First: 1000, OK: 100 - wasted, Wasted: wasted, GaveUp: gaveUp}
		return slices.Repeat([]overload.Rep{r}, n)
	}
	const want = "would recover in all of 10 repetitions, right after the resume, with 10 % wasted work instead of 50 %; 40 of 1,000 operations given up instead of 20"
	for name, last := range map[string][]overload.Rep{
		"none":                 nil,
		"two that collapsed":   reps(2, false, 50, 20),
		"two with more waste":  reps(2, true, 100, 20),
		"two that give up all": reps(2, true, 50, 1000),
	} {
		before := seconds.Series{Reps: append(reps(10, true, 50, 20), last...)}
		if got := outcomeInWords(config, before, advice.Advice{Reps: reps(10, true, 10, 40)}); got != want {
			t.Errorf("after ten repetitions %s: %q, want %q", name, got, want)
		}
	}
}

// A run that ends while clients with long delays are missing gets no advice and no best
// schedule, and its machine formats keep their two words.
func TestUnfinished(t *testing.T) {
	args := clitest.With(smallLoad, "equal-jitter(20s, 1m)", "constant(100ms)")
	text := clitest.Succeeds(t, underSim, args...)
	if !strings.Contains(text, "not yet recovered at the end: few requests are open; use a longer --after\n") ||
		!strings.Contains(text, "What would help B:") || strings.Contains(text, "help A:") || strings.Contains(text, "the best") {
		t.Errorf("A is unfinished and B collapsed:\n%s", text)
	}
	if text := clitest.Succeeds(t, underSim, clitest.With(args, "--format", "csv", "--verdict")...); strings.Count(text, ",collapsed,") != 2 {
		t.Errorf("CSV:\n%s", text)
	}
}

// The command confirms the advice: with the flag or the expression of a change it gives the
// outcome that the advice promises.
func TestAdviceIsTrue(t *testing.T) {
	title := regexp.MustCompile(`^What would (not )?help A:$`)
	line := regexp.MustCompile(`^  [^ ].*?: (.*)$`)
	for _, test := range []struct{ schedule, reps string }{{"constant(100ms)", "1"}, {"full-jitter(100ms, 1m)", "4"}} {
		args := clitest.With(smallLoad, "--reps", test.reps)
		_, text, found := strings.Cut(clitest.Succeeds(t, underSim, clitest.With(args, test.schedule)...), "\nWhat would")
		if !found {
			t.Fatalf("%s: no advice", test.schedule)
		}
		broken := regexp.MustCompile(`\n {6}([a-z0-9])`) // a line that was too long
		lines := strings.Split(broken.ReplaceAllString(strings.TrimSuffix("What would"+text, "\n"), " $1"), "\n")
		helps, changes := false, 0
		for i := 0; i < len(lines); i++ {
			if m := title.FindStringSubmatch(lines[i]); m != nil || lines[i] == "" {
				helps = m != nil && m[1] == ""
				continue
			}
			m := line.FindStringSubmatch(lines[i])
			if m == nil {
				t.Fatalf("%s: the line %q", test.schedule, lines[i])
			}
			outcome, change := "", m[1]
			if helps {
				outcome, change = strings.Replace(m[1], "would recover", "recovered", 1), strings.TrimSpace(lines[i+1])
				i++
			}
			changes++
			changed := clitest.With(args, "--verdict")
			if text, expression := strings.CutPrefix(change, "'"); expression {
				changed = append(changed, strings.TrimSuffix(text, "'"))
			} else {
				changed = append(append(changed, test.schedule), strings.Fields(change)...)
			}
			got := clitest.Succeeds(t, underSim, changed...)
			outcome = regexp.MustCompile(`(, with |; \d+ of \d+ operations given up| \(after this).*`).ReplaceAllString(outcome, "")
			if helps && !strings.HasSuffix(got, "   "+outcome+"\n") {
				t.Errorf("%q gives\n%s, want %q", changed, got, outcome)
			}
			if !helps && strings.Contains(got, "recovered in all") {
				t.Errorf("%q gives\n%s, which would help", changed, got)
			}
		}
		if changes < 5 {
			t.Errorf("%s: %d changes are tried, want at least 5:\n%s", test.schedule, changes, text)
		}
	}
}

// Advice is of the table alone, and can be left out; with --verdict it must be asked for.
func TestAdviceIsOptional(t *testing.T) {
	for _, test := range []struct {
		flags string
		want  bool
	}{
		{"", true},
		{"--advice=false", false},
		{"--verdict", false},
		{"--verdict --advice", true},
		{"--format csv --advice", false},
		{"--format json --advice", false},
		{"--abandoned cancel", false},
	} {
		args := clitest.With(smallLoad, append(strings.Fields(test.flags), "constant(100ms)")...)
		if got := strings.Contains(clitest.Succeeds(t, underSim, args...), "What would help A:"); got != test.want {
			t.Errorf("%q: advice: %v, want %v", test.flags, got, test.want)
		}
	}
}

// The best schedule recovers in the most repetitions, and then the soonest.
func TestBest(t *testing.T) {
	series := func(after ...int) (s seconds.Series) {
		for _, a := range after {
			s.Reps = append(s.Reps, overload.Rep{Verdict: overload.Verdict{Recovered: a >= 0, After: max(0, time.Duration(a))}})
		}
		return s
	}
	for _, test := range []struct {
		name string
		all  []seconds.Series
		want int
	}{
		{"one", []seconds.Series{series(0)}, -1},
		{"none recovers", []seconds.Series{series(-1), series(-1)}, -1},
		{"all alike", []seconds.Series{series(3), series(3)}, -1},
		{"the soonest", []seconds.Series{series(3), series(2), series(5)}, 1},
		{"the most", []seconds.Series{series(1, 1, -1), series(9, 9, 9), series(-1, -1, -1)}, 1},
		{"the first of two", []seconds.Series{series(-1), series(2), series(2)}, 1},
	} {
		if got := best(test.all, overload.Config{}); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// The latency of a table is that of the law with the peak, longer while the server is slower.
func TestMaxLatency(t *testing.T) {
	config := overload.Default()
	config.Latency = overload.LinearLatency{Base: time.Second, PerOpen: time.Second}
	config.Warmup = 2 * time.Second
	peaks := func(peaks ...int64) (r overload.Rep) {
		for _, p := range peaks {
			r.Seconds = append(r.Seconds, overload.Second{Open: p - 1, PeakOpen: p})
		}
		return r
	}
	for _, test := range []struct {
		trigger overload.Trigger
		want    time.Duration
	}{
		{overload.Trigger{Kind: overload.Stop, For: time.Second, Factor: 1}, 10 * time.Second},
		{overload.Trigger{Kind: overload.SlowDown, For: time.Second, Factor: 2}, 16 * time.Second},
		{overload.Trigger{Kind: overload.SlowDown, For: 1500 * time.Millisecond, Factor: 2}, 18 * time.Second},
		{overload.Trigger{Kind: overload.SlowDown, For: time.Second, Factor: math.MaxFloat64}, math.MaxInt64},
	} {
		config.Trigger = test.trigger
		if got := maxLatency(config, peaks(5, 9, 7, 8)); got != test.want {
			t.Errorf("%+v: %v, want %v", test.trigger, got, test.want)
		}
	}
}

// The figure of open requests has the peak of each second, which is far above what is open at
// its end if a burst is over by then.
func TestFigureShowsPeaks(t *testing.T) {
	config := overload.Default()
	config.Schedule = clitest.Parse(t, publishedSchedules[1]).Seeded
	config.Abandoned, config.After = overload.Cancel, 10*time.Second
	result, err := overload.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	rep := result.Reps[0]
	curve := (&flags{}).figures(config, []seconds.Series{{Reps: result.Reps}})[0].Curves[0]
	highest := 0.0
	for i, s := range rep.Seconds {
		if curve.Median[i] != float64(s.PeakOpen) {
			t.Errorf("second %d: %v, want %d", i, curve.Median[i], s.PeakOpen)
		}
		highest = max(highest, curve.Median[i])
	}
	if open := overload.Total(rep.Seconds).Open; highest != float64(rep.Verdict.PeakOpen) || highest < 5*float64(open) {
		t.Errorf("the curve reaches %v, want the peak of the verdict, %d, and far more than the %d at the ends of seconds", highest, rep.Verdict.PeakOpen, open)
	}
}

// A run without any answer has no logarithm to draw.
func TestPictureOfNoGoodput(t *testing.T) {
	args := clitest.With(smallLoad, "--failures", "1", "--log")
	picturetest.CheckTexts(t, args, picturetest.SvgTexts(t, clitest.Drawn(t, underSim, "svg", args...)), []string{"0", "1", "10"}, nil)
}

// Small experiments, which are fast.
var (
	smallLoad = []string{
		"sim", "overload", "--clients", "50", "--think", "1s", "--latency-limit", "5",
		"--latency-scale", "2", "--warmup", "5s", "--stop", "4s", "--after", "12s",
	}
	openLoad = []string{
		"sim", "overload", "full-jitter(20s, none) | take(2)", "constant(0s) | take(2)",
		"--rate", "40", "--network", "100ms", "--base-latency", "1s", "--latency-per-open", "10ms", "--poll", "0", "--timeout", "3s",
		"--warmup", "20s", "--spike", "5s", "--after", "40s", "--reps", "5",
	}
)

var underSim = clitest.Under("sim", New)

func TestOverload(t *testing.T) {
	clitest.Goldens(t, underSim, map[string][]string{
		"overload-help":       {"sim", "overload", "--help", "--workers", "2"},
		"overload":            smallLoad,
		"overload-reps":       clitest.With(smallLoad, "--reps", "4", "--abandoned", "keep", "exponential(100ms, 2) | cap(10s)"),
		"overload-log":        clitest.With(smallLoad, "--log"),
		"overload-verdict":    clitest.With(smallLoad, "--reps", "3", "--verdict", "--failures", "0.05"),
		"overload-csv":        clitest.With(smallLoad, "--format", "csv"),
		"overload-means":      clitest.With(smallLoad, "--format", "csv", "--reps", "4", "constant(1s) | take(2)"),
		"overload-json":       clitest.With(smallLoad, "--format", "json", "--after", "5s", "--warmup", "2s", "constant(1s) | take(1)"),
		"overload-verdicts":   clitest.With(smallLoad, "--format", "csv", "--reps", "3", "--seed", "18446744073709551614", "--verdict"),
		"overload-json-brief": clitest.With(smallLoad, "--format", "json", "--verdict", "--queue", "1"),
		"overload-slow-down":  clitest.With(smallLoad[:len(smallLoad)-4], "--after", "12s", "--slow-down", "4s", "--trigger-factor", "3.5", "--reps", "2"),
		"overload-open":       openLoad,
		"overload-budget":     clitest.With(smallLoad, "--budget", "10,0.1", "--processes", "5", "constant(100ms)"),
		"overload-no-trigger": {"sim", "overload", "--clients", "20", "--stop", "0s", "--warmup", "3s", "--after", "5s"},
		"overload-too-much":   {"sim", "overload", "--clients", "5000", "--think", "1s", "--latency-limit", "5", "--stop", "1s", "--warmup", "3s", "--after", "5s", "--verdict"},
	})
}

func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	const wantTokens = "want tokens,ratio such as 10,0.1, both in [0.000001, 1e12]"
	for _, test := range []struct {
		args string // after sim, with spaces between them
		want string
	}{
		{"overload constant(1s) constant(", "expression 2: column 10: unexpected end of text, want a duration >= 0 for delay"},
		{"overload --format xml", `sim overload: --format is "xml", want one of table, csv, json`},
		{"overload --clients 10 --svg " + nowhere, "sim overload: open " + nowhere + ": no such file or directory"},
		{"overload --clients 0", "sim overload: --clients is 0, want 1 to 10000000, or --rate"},
		{"overload --clients -1", "sim overload: --clients is -1, want 1 to 10000000, or --rate"},
		{"overload --clients 10000001", "sim overload: --clients is 10000001, want 1 to 10000000, or --rate"},
		{"overload --clients 5 --rate 5", "sim overload: --rate is given, and so are --clients or --think, want one kind of arrivals"},
		{"overload --rate 0", "sim overload: --rate is 0, want a value above 0"},
		{"overload --rate NaN", "sim overload: --rate is NaN, want a value in [0, 1e9]"},
		{"overload --rate x", `--rate is "x", want a number`},
		{"overload --think -1s", "sim overload: --think is -1s, want 0s to 24h0m0s"},
		{"overload --timeout 0s", "sim overload: --timeout is 0s, want 1ms to 1h0m0s"},
		{"overload --budget 10", `--budget is "10", ` + wantTokens},
		{"overload --budget 10,0", `--budget is "10,0", ` + wantTokens},
		{"overload --budget NaN,1", `--budget is "NaN,1", ` + wantTokens},
		{"overload --processes 0", "sim overload: --processes is 0, want 1 to 10000000"},
		{"overload --base-latency 0s", "sim overload: --base-latency is 0s, want above 0"},
		{"overload --latency-limit -1", "sim overload: --latency-limit is -1, want >= 0"},
		{"overload --latency-factor 0.5", "sim overload: --latency-factor is 0.5, want a finite value >= 1"},
		{"overload --latency-scale 0", "sim overload: --latency-scale is 0, want a finite value above 0"},
		{"overload --latency-per-open -1s", "sim overload: --latency-per-open is -1s, want >= 0"},
		{"overload --latency-per-open 1s --latency-scale 3", "sim overload: --latency-per-open is given, and so is --latency-scale, want one kind of latency"},
		{"overload --capacity 5/s --latency-per-open 1s", "sim overload: --capacity is given, and so is --latency-per-open, want one kind of latency"},
		{"overload --capacity 0", `--capacity is "0", want requests a second such as 500/s, or a minute such as 30000/m, 0.001/s to 1000000/s`},
		{"overload --poll 1ns", "sim overload: --poll is 1ns, want 0 or 1µs to 1h0m0s"},
		{"overload --abandoned maybe", `sim overload: --abandoned is "maybe", want keep or cancel`},
		{"overload --failures 1.5", "sim overload: --failures is 1.5, want a value in [0, 1]"},
		{"overload --queue -1", "sim overload: --queue is -1, want 0 to 1000000000"},
		{"overload --accept 2s", "sim overload: --accept is 2s, want 0s to 1s"},
		{"overload --reconnect 0s", "sim overload: --reconnect is 0s, want 1ms to 1m0s"},
		{"overload --warmup 1s", "sim overload: --warmup is 1s, want 2s to 1h0m0s"},
		{"overload --stop -1s", "sim overload: --stop is -1s, want 0s to 1h0m0s"},
		{"overload --slow-down 2h", "sim overload: --slow-down is 2h0m0s, want 0s to 1h0m0s"},
		{"overload --spike 1h", "sim overload: --warmup + --spike + --after is 1h1m45s, want at most 1h0m0s"},
		{"overload --spike 1s --slow-down 1s", "sim overload: more than one of --stop, --slow-down and --spike is given, want one trigger"},
		{"overload --trigger-factor 2", "sim overload: --trigger-factor is given, want it with --slow-down or --spike"},
		{"overload --spike 1s --trigger-factor 0.5", "sim overload: --trigger-factor is 0.5, want a finite value >= 1"},
		{"overload --after 1s", "sim overload: --after is 1s, want 5s to 1h0m0s"},
		{"overload --reps 100001", "sim overload: --reps is 100001, want 1 to 100000"},
		{"overload --workers -1", "sim overload: --workers is -1, want >= 1"},
		{"overload --verdict=x", `--verdict is "x", want true or false`},
	} {
		clitest.Refuses(t, underSim, test.want, append([]string{"sim"}, strings.Split(test.args, " ")...)...)
	}
}

// The output does not depend on --workers, and a repetition is a run of its own
// with its own seed.
func TestReproduces(t *testing.T) {
	args := clitest.With(smallLoad, "--format", "json", "--reps", "5")
	want := clitest.Succeeds(t, underSim, clitest.With(args, "--workers", "1")...)
	for _, workers := range []string{"2", "7"} {
		if got := clitest.Succeeds(t, underSim, clitest.With(args, "--workers", workers)...); got != want {
			t.Errorf("%q differs with %s workers", args, workers)
		}
	}
	if clitest.Succeeds(t, underSim, clitest.With(args, "--seed", "2")...) == want {
		t.Errorf("%q does not depend on the seed", args)
	}
	all := clitest.Succeeds(t, underSim, clitest.With(smallLoad, "--format", "csv", "--verdict", "--reps", "3", "constant(1s)")...)
	repetitions := strings.Split(all, "\n")
	if len(repetitions) != 5 {
		t.Fatalf("%d lines, want a header, three and an empty one:\n%s", len(repetitions), all)
	}
	seed := strings.Split(repetitions[3], ",")[1]
	third := clitest.Succeeds(t, underSim, clitest.With(smallLoad, "--format", "csv", "--verdict", "--seed", seed, "constant(1s)")...)
	if want := repetitions[0] + "\n" + repetitions[3] + "\n"; third != want {
		t.Errorf("with the third repetition's seed\n%s, want\n%s", third, want)
	}
}

// Every field of a configuration has a flag to name in an error.
func TestFieldsHaveFlags(t *testing.T) {
	latencies := map[string][]reflect.Type{"Latency": {reflect.TypeFor[overload.ExponentialLatency](), reflect.TypeFor[overload.LinearLatency]()}}
	clitest.FieldsHaveFlags(t, overload.Config{}, (&scenario{}).fields(overload.Config{}), New(),
		"Schedule Budget Abandoned Seed Progress Trigger.Kind", latencies)
}

// The pictures have every curve in both halves, and the time of the trigger is shaded: 4 s of
// 21 s, in a plot 1060 pixels wide.
func TestPictures(t *testing.T) {
	for _, args := range [][]string{smallLoad, clitest.With(smallLoad, "--reps", "5")} {
		picturetest.CheckHalves(t, clitest.Drawn(t, underSim, "png", args...), picture.Inks, 2, picture.Shade, 1060*4/21)
	}
	several := clitest.With(smallLoad, "--reps", "3")
	picturetest.CheckTexts(t, several, picturetest.SvgTexts(t, clitest.Drawn(t, underSim, "svg", several...)), append([]string{
		"Max open requests of each second (the server is stopped from 5s to 9s), on a logarithmic axis", "Goodput, requests answered in time a second (the server is stopped from 5s to 9s)",
		"time     (lines: medians; bands: min to max of 3 repetitions)", "0s", "20s",
	}, publishedSchedules...), nil)
}

// A run that is refused makes no file, and leaves one as it is.
func TestRefusedMakesNoFile(t *testing.T) {
	const want = "sim overload: --poll is -1s, want 0 or 1µs to 1h0m0s"
	file := filepath.Join(t.TempDir(), "x.png")
	for _, flag := range []string{"--png", "--picture"} {
		clitest.Refuses(t, underSim, want, "sim", "overload", "constant(1s)", flag, file, "--poll", "-1s")
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the error about the file is %v, want %v", flag, err, fs.ErrNotExist)
		}
	}
	if err := os.WriteFile(file, []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	clitest.Refuses(t, underSim, want, "sim", "overload", "constant(1s)", "--png", file, "--poll", "-1s")
	if got, err := os.ReadFile(file); string(got) != "before" || err != nil {
		t.Errorf("the file has %q, error %v, want what it had before", got, err)
	}
}

func TestWriteErrors(t *testing.T) {
	runs := []seconds.Series{{Name: "uniform(1s, 2s)", Reps: []overload.Rep{{Seconds: make([]overload.Second, 3)}}}}
	clitest.FullDisk(t, "table", func(w io.Writer) error {
		return (&flags{}).write(w, overload.Default(), runs, nil)
	})
	clitest.FullDisk(t, "verdicts", func(w io.Writer) error { return writeVerdicts(w, overload.Default(), runs) })
	clitest.FullDisk(t, "advice", func(w io.Writer) error {
		return writeAdvice(w, "A", overload.Default(), runs[0], []advice.Advice{{What: "a shorter accept queue", Flag: "--queue 128"}})
	})
	clitest.FullDisk(t, "csv", func(w io.Writer) error { return seconds.WriteCSV(w, runs) })
	clitest.FullDisk(t, "verdict csv", func(w io.Writer) error { return writeVerdictCSV(w, runs) })
	clitest.FullDisk(t, "json", func(w io.Writer) error { return writeJSON(w, runs, false) })
}

// The flags' own values are the published experiment.
func TestFlagsAreThePublishedExperiment(t *testing.T) {
	cmd := New()
	var l scenario
	l.addFlags(&cobra.Command{}) // sets the defaults
	got, err := l.config(cmd)
	if err != nil || !reflect.DeepEqual(got, overload.Default()) {
		t.Errorf("the flags of sim overload give %+v, %v; want %+v", got, err, overload.Default())
	}
	if reps := cmd.Flag("reps").DefValue; reps != "1" {
		t.Errorf("sim overload makes %s repetitions, want 1", reps)
	}
}
