package main

import (
	"encoding/csv"
	"encoding/json"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff/sim/contention"
	"example.com/backoff/sim/overload"
)

// lines parses CSV and returns what is below its head.
func lines(t *testing.T, text string, head string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(all[0], ","); got != head {
		t.Errorf("the columns are %s, want %s", got, head)
	}
	return all[1:]
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Error(err)
	}
	return x
}

// CSV and JSON of sim contention have what the model gives, to the last digit.
func TestContentionFormats(t *testing.T) {
	const text = "full-jitter(10ms, 2s) | take(4)"
	config := contention.Default()
	config.Schedule = drawsOf(mustParse(t, text))
	config.Clients, config.Reps, config.Seed = []int{20, 10}, 30, 5
	config.Hop, config.HopDeviation = 7*time.Millisecond, 3*time.Millisecond
	want, err := contention.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"sim", "contention", text, "--clients", "20,10", "--reps", "30", "--seed", "5", "--hop", "7ms", "--hop-deviation", "3ms"}

	var fromCSV []contention.Cell
	for _, l := range lines(t, succeeds(t, with(args, "--format", "csv")...), "schedule,clients,reps,time_ms,time_se,calls,calls_se") {
		if l[0] != text {
			t.Errorf("the schedule is %s, want %s", l[0], text)
		}
		fromCSV = append(fromCSV, contention.Cell{
			Clients: int(float(t, l[1])), Reps: int(float(t, l[2])),
			Time:   time.Duration(math.Round(float(t, l[3]) * 1e6)),
			TimeSE: time.Duration(math.Round(float(t, l[4]) * 1e6)),
			Calls:  float(t, l[5]), CallsSE: float(t, l[6]),
		})
	}
	var fromJSON []struct {
		Schedule string
		Seed     uint64
		Cells    []struct {
			Clients, Reps int
			TimeMS        float64 `json:"time_ms"`
			TimeSE        float64 `json:"time_se"`
			Calls         float64
			CallsSE       float64 `json:"calls_se"`
			GaveUp        float64 `json:"gave_up"`
		}
	}
	if err := json.Unmarshal([]byte(succeeds(t, with(args, "--format", "json")...)), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if len(fromJSON) != 1 || fromJSON[0].Schedule != text || fromJSON[0].Seed != 5 {
		t.Fatalf("JSON has %+v", fromJSON)
	}
	var cells []contention.Cell
	for i, c := range fromJSON[0].Cells {
		cells = append(cells, contention.Cell{
			Clients: c.Clients, Reps: c.Reps,
			Time: time.Duration(math.Round(c.TimeMS * 1e6)), TimeSE: time.Duration(math.Round(c.TimeSE * 1e6)),
			Calls: c.Calls, CallsSE: c.CallsSE, GaveUp: c.GaveUp,
		})
		fromCSV[i].GaveUp = c.GaveUp // no column of CSV has it
	}
	if diff := cmp.Diff(want.Cells, cells); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Cells, fromCSV); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
}

// CSV and JSON of sim overload have what the model gives, of one repetition and of the
// mean of more.
func TestOverloadFormats(t *testing.T) {
	const text = "exponential(200ms, 2) | take(1)"
	config := overload.Default()
	config.Schedule = drawsOf(mustParse(t, text))
	config.Clients, config.Think, config.Reps, config.Seed = 80, time.Second, 2, 9
	config.Timeout, config.Poll, config.Failures, config.Queue = time.Second, 20*time.Millisecond, 0.1, 40
	config.Latency = overload.LinearLatency{Base: 50 * time.Millisecond, PerOpen: 2 * time.Millisecond}
	config.Abandoned = overload.Drop
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
		" --base-latency 50ms --latency-per-open 2ms --abandoned drop --network 15ms --accept 1ms --reconnect 200ms --budget 20,0.2 --processes 4"+
		" --warmup 4s --after 6s --slow-down 1500ms --factor 8", " ")
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
			}
		}
	}
	if err := json.Unmarshal([]byte(succeeds(t, with(args, "--format", "json")...)), &fromJSON); err != nil {
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
				Latency: duration(s.LatencyMS), Seen: duration(s.SeenMS),
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
		text := succeeds(t, with(args, "--format", "csv", "--reps", strconv.Itoa(reps))...)
		all := lines(t, text, "schedule,t_s,first,retries,ok,timeouts,refused,open,latency_ms")
		if len(all) != len(want.Reps[0].Seconds) {
			t.Fatalf("%d lines, want %d", len(all), len(want.Reps[0].Seconds))
		}
		for i, l := range all {
			var mean [7]float64
			for _, r := range want.Reps[:reps] {
				s := r.Seconds[i]
				for j, x := range []float64{
					float64(s.First), float64(s.Retries), float64(s.OK), float64(s.Timeouts), float64(s.Refused),
					float64(s.Open), float64(s.Latency) / 1e6,
				} {
					mean[j] += x / float64(reps)
				}
			}
			var got [7]float64
			for j := range got {
				got[j] = float(t, l[2+j])
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
	all := lines(t, succeeds(t, with(args, "--format", "csv", "--verdict")...), "schedule,seed,verdict,recovered_after_s,peak_open")
	for i, l := range all {
		v := want.Reps[i].Verdict
		if l[1] != strconv.Itoa(9+i) || (l[2] == "recovered") != v.Recovered || (l[3] != "") != v.Recovered || l[4] != strconv.FormatInt(v.PeakOpen, 10) {
			t.Errorf("repetition %d: %v, want %+v", i, l, v)
		}
	}
}

// What says how it ended, in words.
func TestVerdictInWords(t *testing.T) {
	recovered := func(seconds ...int) []overload.Rep {
		var reps []overload.Rep
		for _, s := range seconds {
			v := overload.Verdict{Before: 1}
			if s >= 0 {
				v.Recovered, v.After = true, time.Duration(s)*time.Second
			}
			reps = append(reps, overload.Rep{Verdict: v})
		}
		return reps
	}
	stop := overload.Trigger{Kind: overload.Stop, For: 1}
	for _, test := range []struct {
		trigger overload.Trigger
		reps    []overload.Rep
		want    string
	}{
		{stop, recovered(2), "recovered 2s after the resume"},
		{stop, recovered(0), "recovered with the resume"},
		{stop, recovered(-1), "collapsed"},
		{overload.Trigger{Kind: overload.SlowDown, For: 1}, recovered(1), "recovered 1s after the slow-down"},
		{overload.Trigger{Kind: overload.Spike, For: 1}, recovered(1), "recovered 1s after the spike"},
		{stop, recovered(3, 3), "recovered in all of 2 repetitions, 3s after the resume"},
		{stop, recovered(9, 1, 3), "recovered in all of 3 repetitions, 3s after the resume in the median, 9s after it at most"},
		{stop, recovered(-1, 5, -1, 0), "recovered in 2 of 4 repetitions, 2.5s after the resume in the median, 5s after it at most"},
		{stop, recovered(-1, -1), "collapsed in all of 2 repetitions"},
		{overload.Trigger{}, recovered(0), "held up"},
		{overload.Trigger{}, recovered(-1), "collapsed"},
		{overload.Trigger{}, recovered(0, -1, 0), "held up in 2 of 3 repetitions"},
		{stop, []overload.Rep{{Verdict: overload.Verdict{Recovered: true}}}, "too much from the start"},
	} {
		if got := verdictOf(siege{reps: test.reps}, test.trigger); got != test.want {
			t.Errorf("the verdict is %q, want %q", got, test.want)
		}
	}
}

func TestWithError(t *testing.T) {
	for _, test := range []struct {
		d, se time.Duration
		want  string
	}{
		{4942123456, 58123456, "4.942s ± 58ms"},
		{63493 * time.Millisecond, 399 * time.Millisecond, "1m3.49s ± 400ms"},
		{1234567890, 0, "1.235s"},
		{0, 0, "0s"},
		{5, 3, "5ns ± 3ns"},
	} {
		if got := withError(test.d, test.se); got != test.want {
			t.Errorf("withError(%d, %d) = %s, want %s", test.d, test.se, got, test.want)
		}
	}
	for _, test := range []struct {
		x, se float64
		want  string
	}{
		{1856.4, 6.03, "1,856.4 ± 6.0"},
		{796.789, 0.73, "796.79 ± 0.73"},
		{5170.4, 10.2, "5,170 ± 10"},
		{1234567.8, 345.6, "1,234,568 ± 346"},
		{10, 0, "10"},
		{1234.5, 0, "1,234.5"},
	} {
		if got := numberWithError(test.x, test.se); got != test.want {
			t.Errorf("numberWithError(%v, %v) = %s, want %s", test.x, test.se, got, test.want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0", 1: "0.000001", time.Millisecond: "1", 10 * time.Millisecond: "10", math.MaxInt64: "9223372036854.775807"} {
		if got := milliseconds(d); got != want {
			t.Errorf("milliseconds(%d) = %s, want %s", d, got, want)
		}
	}
}

// The best is marked, with what differs from it by less than two standard errors, and
// never a schedule with which clients gave up.
func TestBestIsMarked(t *testing.T) {
	calls := measure{"calls", func(c contention.Cell) (string, float64, float64) { return "x", c.Calls, c.CallsSE }}
	for _, test := range []struct {
		cells []contention.Cell
		want  []string
	}{
		{[]contention.Cell{{Calls: 10}, {Calls: 9}, {Calls: 9}}, []string{"x  ", "x *", "x *"}},
		{[]contention.Cell{{Calls: 10, CallsSE: 3}, {Calls: 15.9, CallsSE: 0}, {Calls: 16}}, []string{"x *", "x *", "x  "}},
		{[]contention.Cell{{Calls: 10, CallsSE: 3}, {Calls: 19.9, CallsSE: 4}, {Calls: 20, CallsSE: 4}}, []string{"x *", "x *", "x  "}},
		{[]contention.Cell{{Calls: 1, GaveUp: 0.1}, {Calls: 9}}, []string{"x  ", "x *"}},
		{[]contention.Cell{{Calls: 1, GaveUp: 1}}, []string{"x  "}},
	} {
		var contests []contest
		for _, c := range test.cells {
			contests = append(contests, contest{cells: []contention.Cell{c}})
		}
		if diff := cmp.Diff(test.want, calls.row(contests, 0)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.cells, diff)
		}
	}
}

// The pictures have every curve in both halves, those of time below those of clients,
// and what happened to the server is shaded.
func TestSimPictures(t *testing.T) {
	const inset = 20 // of the frame
	upper, lower := image.Rect(150, 150, 1200-inset, 560), image.Rect(150, 680, 1200-inset, 1080)
	for _, test := range []struct {
		name   string
		args   []string
		curves int
	}{
		{"contention", []string{"sim", "contention", "--clients", "10,50", "--reps", "20", "--log"}, 5},
		{"overload", smallLoad, 2},
		{"bands", with(smallLoad, "--reps", "5"), 2},
	} {
		picture := decodePNG(t, drawnBy(t, "sim", "png", test.args[1:]...), 1200, 1125)
		for half, part := range map[string]image.Rectangle{"upper": upper, "lower": lower} {
			for i, ink := range inks {
				// The last ink of a place is what is seen: a curve below others may be short.
				pixels, _, _, _, _ := inkWithin(picture, part, ink)
				if (pixels > 0) != (i < test.curves) {
					t.Errorf("%s, %s half: %d pixels of curve %d of %d", test.name, half, pixels, i, test.curves)
				}
			}
			shaded := 0 // columns, each for the most part
			for x := part.Min.X; x < part.Max.X; x++ {
				column := image.Rect(x, part.Min.Y, x+1, part.Max.Y)
				if pixels, _, _, _, _ := inkWithin(picture, column, color.NRGBA{shade.Y, shade.Y, shade.Y, 0xff}); pixels > part.Dy()/2 {
					shaded++
				}
			}
			want := 0
			if test.name != "contention" {
				want = 1060 * 4 / 21 // of a plot so wide
			}
			if math.Abs(float64(shaded-want)) > 20 { // some lines of the grid look like it
				t.Errorf("%s, %s half: %d columns are shaded, want %d", test.name, half, shaded, want)
			}
		}
	}

	checkTexts(t, fewClients, svgTexts(t, drawnBy(t, "sim", "svg", fewClients[1:]...)), append([]string{
		"Time until the last client has written, by clients", "Writes tried, by clients", "clients", "3.5s", "60",
	}, publishedContention...), nil)
	several := with(smallLoad, "--reps", "3")
	checkTexts(t, several, svgTexts(t, drawnBy(t, "sim", "svg", several[1:]...)), append([]string{
		"Open requests (the server is stopped from 5s to 9s)", "Goodput, requests answered in time a second (the server is stopped from 5s to 9s)",
		"time     (lines: medians; bands: least to most of 3 repetitions)", "0s", "20s",
	}, publishedOverload...), nil)
}

// Where nothing is ever answered there is no logarithm to draw.
func TestPictureOfNoGoodput(t *testing.T) {
	args := with(smallLoad, "--failures", "1", "--log")
	checkTexts(t, args, svgTexts(t, drawnBy(t, "sim", "svg", args[1:]...)), []string{"0", "1", "10"}, nil)
}

// A chart by clients goes through its points, straight from one to the next, and has
// nothing before the first and after the last.
func TestCountAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var at []int
		var values []float64
		last := 0
		for range rapid.IntRange(2, 8).Draw(t, "points") {
			last += rapid.IntRange(1, 1000).Draw(t, "more clients")
			at = append(at, last)
			values = append(values, 3*float64(last)+7)
		}
		axis := newCountAxis(at)
		if axis.end < float64(last) || axis.end > 2*float64(last) || axis.marks < 2 || axis.marks > 14 {
			t.Fatalf("the axis to %d ends at %v, with %d marks", last, axis.end, axis.marks)
		}
		column := axis.end / (chartWidth - 1)
		for i, y := range axis.place(values) {
			x := float64(i) * column
			nearest := min(max(x, float64(at[0])), float64(last))
			if math.Abs(math.Abs(x-nearest)-column/2) < 1e-9 {
				continue // Either will do.
			}
			if inside := math.Abs(x-nearest) < column/2; inside == math.IsNaN(y) || inside && math.Abs(y-3*nearest-7) > 1e-6 {
				t.Fatalf("at %v clients of %v there is %v", x, at, y)
			}
		}
	})
}

// The marks of whole numbers are whole numbers.
func TestCountSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := float64(rapid.IntRange(1, 1_000_000_000).Draw(t, "most"))
		n := rapid.IntRange(2, 20).Draw(t, "count")
		step := counts.step(most, n)
		if step < 1 || step != math.Trunc(step) || most/step > float64(n) || step > 1 && most/step < float64(n)/6 {
			t.Fatalf("steps of %v to %v, %d at most", step, most, n)
		}
	})
}
