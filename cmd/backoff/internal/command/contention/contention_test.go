package contention

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/picture"
	"example.com/backoff/cmd/backoff/internal/picturetest"
	"example.com/backoff/sim/contention"
)

// The text of numbers of clients parses to the same numbers.
func TestClientCounts(t *testing.T) {
	for text, want := range map[string][]int{
		"7": {7}, "10:190:90": {10, 100, 190}, "1:4:2": {1, 3}, "5:5:1": {5}, " 3, 10:30:10 ,4": {3, 10, 20, 30, 4},
	} {
		var c clientCounts
		if err := c.Set(text); err != nil || !reflect.DeepEqual(c.counts, want) {
			t.Errorf("%q gives %v, %v; want %v", text, c.counts, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := clientCounts{rapid.SliceOfN(rapid.IntRange(1, 5), 1, 6).Draw(t, "counts")}
		var again clientCounts
		if err := again.Set(c.String()); err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%v is written %s, and read %v, %v", c.counts, c.String(), again.counts, err)
		}
	})
}

// CSV and JSON have the results of the model, to the last digit.
func TestContentionFormats(t *testing.T) {
	const text = "full-jitter(10ms, 2s) | take(4)"
	config := contention.Default()
	config.Schedule = clitest.Parse(t, text).Seeded
	config.Clients, config.Reps, config.Seed = []int{20, 10}, 30, 5
	config.Hop, config.HopDeviation = 7*time.Millisecond, 3*time.Millisecond
	want, err := contention.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"sim", "contention", text, "--clients", "20,10", "--reps", "30", "--seed", "5", "--hop", "7ms", "--hop-deviation", "3ms"}

	var fromCSV []contention.Cell
	for _, l := range clitest.Lines(t, clitest.Succeeds(t, underSim, clitest.With(args, "--format", "csv")...), "schedule,clients,reps,time_ms,time_se,calls,calls_se") {
		if l[0] != text {
			t.Errorf("the schedule is %s, want %s", l[0], text)
		}
		fromCSV = append(fromCSV, contention.Cell{
			Clients: int(clitest.Float(t, l[1])), Reps: int(clitest.Float(t, l[2])),
			Time:   time.Duration(math.Round(clitest.Float(t, l[3]) * 1e6)),
			TimeSE: time.Duration(math.Round(clitest.Float(t, l[4]) * 1e6)),
			Calls:  clitest.Float(t, l[5]), CallsSE: clitest.Float(t, l[6]),
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
	if err := json.Unmarshal([]byte(clitest.Succeeds(t, underSim, clitest.With(args, "--format", "json")...)), &fromJSON); err != nil {
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
		if got := digits.Milliseconds(d); got != want {
			t.Errorf("milliseconds(%d) = %s, want %s", d, got, want)
		}
	}
}

// The best is marked, and what differs from it by less than two standard errors. A
// schedule with clients that gave up is never marked.
func TestBestIsMarked(t *testing.T) {
	calls := measure{"calls", "", func(c contention.Cell) (string, float64, float64) { return "x", c.Calls, c.CallsSE }}
	for _, test := range []struct {
		cells []contention.Cell
		want  []string
	}{
		{[]contention.Cell{{Calls: 10}, {Calls: 9}, {Calls: 9}}, []string{"x  ", "x *", "x *"}},
		{[]contention.Cell{{Calls: 10, CallsSE: 3}, {Calls: 15.9, CallsSE: 0}, {Calls: 16}}, []string{"x *", "x *", "x  "}},
		{[]contention.Cell{{Calls: 10, CallsSE: 3}, {Calls: 19.9, CallsSE: 4}, {Calls: 20, CallsSE: 4}}, []string{"x *", "x *", "x  "}},
		{[]contention.Cell{{Calls: 1, GaveUp: 0.1}, {Calls: 9}}, []string{"x  ", "x *"}},
		{[]contention.Cell{{Calls: 1, GaveUp: 1}, {Calls: 2, GaveUp: 1}}, []string{"x  ", "x  "}},
		{[]contention.Cell{{Calls: 1}}, []string{"x"}}, // it is not compared
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

// The best is named in words, with the number of rows if there are several.
func TestWinners(t *testing.T) {
	calls := measure{"calls", "", func(c contention.Cell) (string, float64, float64) { return "", c.Calls, c.CallsSE }}
	contests := func(cells ...[]contention.Cell) []contest {
		var all []contest
		for i, c := range cells {
			all = append(all, contest{clitest.Parse(t, fmt.Sprintf("constant(%ds)", i)), c})
		}
		return all
	}
	one := func(calls float64) contention.Cell { return contention.Cell{Calls: calls} }
	gave := contention.Cell{Calls: 0, GaveUp: 1}
	for _, test := range []struct {
		contests []contest
		want     string
	}{
		{contests([]contention.Cell{one(2)}, []contention.Cell{one(1)}), "constant(1s)"},
		{contests([]contention.Cell{one(1)}, []contention.Cell{one(2)}, []contention.Cell{one(1)}), "constant(0s) or constant(2s)"},
		{contests([]contention.Cell{one(1), one(2)}, []contention.Cell{one(1), one(2)}), "all are the same, within two standard errors"},
		{contests([]contention.Cell{one(1), one(2)}, []contention.Cell{one(1), one(3)}), "constant(0s) in 2 of 2 rows, constant(1s) in 1"},
		{contests([]contention.Cell{gave}, []contention.Cell{gave}), "none, because clients of every schedule gave up"},
		{contests([]contention.Cell{gave, one(1)}, []contention.Cell{one(5), gave}), "constant(0s) in 1 of 2 rows, constant(1s) in 1"},
		{
			contests([]contention.Cell{one(3), one(3), one(1)}, []contention.Cell{one(2), one(2), one(2)}, []contention.Cell{one(9), one(9), one(9)}),
			"constant(1s) in 2 of 3 rows, constant(0s) in 1",
		},
	} {
		if got := calls.winners(test.contests, len(test.contests[0].cells)); got != test.want {
			t.Errorf("the winners are %s, want %s", got, test.want)
		}
	}
}

// Small experiments keep the tests fast.
var fewClients = []string{"sim", "contention", "--clients", "3,10", "--reps", "20"}

var underSim = clitest.Under("sim", New)

func TestContention(t *testing.T) {
	clitest.Goldens(t, underSim, map[string][]string{
		"contention-help": {"sim", "contention", "--help", "--workers", "2"},
		"contention":      fewClients,
		"contention-one":  {"sim", "contention", "--clients", "10", "--reps", "20"},
		"contention-once": {"sim", "contention", "--clients", "3,10", "--reps", "1", "constant(0s)"},
		"contention-ends": clitest.With(fewClients, "full-jitter(10ms, 2s) | take(2)", "full-jitter(10ms, 2s)", "list()"),
		"contention-log":  {"sim", "contention", "--clients", "10:30:10", "--reps", "20", "--log", "--seed", "7", "--hop", "5ms", "--hop-deviation", "0s"},
		"contention-csv":  clitest.With(fewClients, "--format", "csv"),
		"contention-json": clitest.With(fewClients, "full-jitter(10ms, 2s) | take(2)", "--format", "json"),
	})
}

func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	const wantCounts = "want numbers of clients such as 10,50,100 or 10:190:10 (from:to:step), 10000 at most"
	for _, test := range []struct {
		args string // after sim, with spaces between them
		want string
	}{
		{"contention constant(", "column 10: unexpected end of text, want a duration >= 0 for delay"},
		{"contention --format xml", `sim contention: --format is "xml", want one of table, csv, json`},
		{"contention --clients 10 --reps 1 --png " + nowhere, "sim contention: open " + nowhere + ": no such file or directory"},
		{"contention --clients=", `--clients is "", ` + wantCounts},
		{"contention --clients many", `--clients is "many", ` + wantCounts},
		{"contention --clients 0", `--clients is "0", ` + wantCounts},
		{"contention --clients 10,", `--clients is "10,", ` + wantCounts},
		{"contention --clients 10:20", `--clients is "10:20", ` + wantCounts},
		{"contention --clients 20:10:5", `--clients is "20:10:5", ` + wantCounts},
		{"contention --clients 10:20:0", `--clients is "10:20:0", ` + wantCounts},
		{"contention --clients 1:10001:1", `--clients is "1:10001:1", ` + wantCounts},
		{"contention --clients 1,1:10000:1", `--clients is "1,1:10000:1", ` + wantCounts},
		{"contention --clients 5,1000001", "sim contention: --clients is 1000001, want 1 to 1000000"},
		{"contention --reps 0", "sim contention: --reps is 0, want 1 to 1000000"},
		{"contention --reps x", `--reps is "x", want a whole number`},
		{"contention --seed -1", `--seed is "-1", want a whole number in [0, 2^64)`},
		{"contention --workers 0", "sim contention: --workers is 0, want >= 1"},
		{"contention --hop 0s", "sim contention: --hop is 0s, want above 0, at most 24h0m0s"},
		{"contention --hop soon", `--hop is "soon", want a duration such as 90s or 1m30s`},
		{"contention --hop-deviation -1ns", "sim contention: --hop-deviation is -1ns, want 0 to 24h0m0s"},
	} {
		clitest.Refuses(t, underSim, test.want, append([]string{"sim"}, strings.Split(test.args, " ")...)...)
	}
}

// The output depends on the seed, and not on --workers.
func TestReproduces(t *testing.T) {
	args := clitest.With(fewClients, "--format", "json")
	want := clitest.Succeeds(t, underSim, clitest.With(args, "--workers", "1")...)
	for _, workers := range []string{"2", "7"} {
		if got := clitest.Succeeds(t, underSim, clitest.With(args, "--workers", workers)...); got != want {
			t.Errorf("%q differs with %s workers", args, workers)
		}
	}
	if clitest.Succeeds(t, underSim, clitest.With(args, "--seed", "2")...) == want {
		t.Errorf("%q does not depend on the seed", args)
	}
}

// Every field of a configuration has a flag, which errors name.
func TestFieldsHaveFlags(t *testing.T) {
	clitest.FieldsHaveFlags(t, contention.Config{}, flagOfField, New(), "Schedule Seed Progress", nil)
}

// The default of the flag is the published experiment.
func TestFlagsAreThePublishedExperiment(t *testing.T) {
	published := contention.Default()
	var c clientCounts
	if err := c.Set(New().Flag("clients").DefValue); err != nil || !reflect.DeepEqual(c.counts, published.Clients) {
		t.Errorf("sim contention is for %v clients, %v; want %v", c.counts, err, published.Clients)
	}
}

// Both halves of the pictures have every curve.
func TestPictures(t *testing.T) {
	png := clitest.Drawn(t, underSim, "png", "sim", "contention", "--clients", "10,50", "--reps", "20", "--log")
	picturetest.CheckHalves(t, png, picture.Inks, 5, picture.Shade, 0)
	picturetest.CheckTexts(t, fewClients, picturetest.SvgTexts(t, clitest.Drawn(t, underSim, "svg", fewClients...)), append([]string{
		"Time until the last client has written, by clients", "Writes tried, by clients", "clients", "3.5s", "60",
	}, publishedSchedules...), nil)
}

func TestWriteErrors(t *testing.T) {
	clitest.FullDisk(t, "table", func(w io.Writer) error {
		f := flags{clients: clientCounts{[]int{2, 5}}}
		return f.write(w, []contest{{clitest.Parse(t, "list()"), []contention.Cell{{Clients: 2, Reps: 1}, {Clients: 5, Reps: 1}}}})
	})
	clitest.FullDisk(t, "csv", func(w io.Writer) error { return writeCSV(w, make([]contest, 0)) })
	clitest.FullDisk(t, "json", func(w io.Writer) error {
		return (&flags{}).writeJSON(w, []contest{{expr: clitest.Parse(t, "list()")}})
	})
}

// A context that is done before the command begins ends it.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	status := cli.Execute(ctx, cli.NewRoot(underSim()), fewClients, strings.NewReader(""), &stdout, &stderr)
	if status != 130 || stdout.Len() > 0 || stderr.String() != "backoff: sim contention: interrupted\n" {
		t.Errorf("status %d, standard output %q, standard error %q", status, stdout.String(), stderr.String())
	}
}
