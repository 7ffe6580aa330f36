package adapt_test

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

var update = flag.Bool("update", false, "write the table of the package comment")

const (
	ms = time.Millisecond
	s  = time.Second
)

func TestCheck(t *testing.T) {
	custom := adapt.Engine{Name: "mine", Floor: 2 * s, Grain: s, Ceiling: 5 * s}
	for _, row := range []struct {
		name   string
		engine adapt.Engine
		seq    iter.Seq[time.Duration]
		n      int
		want   string
	}{
		{"kept", adapt.Temporal, backoff.Exponential(s, 2), 8, ""},
		{"kept, at the floor", adapt.Temporal, backoff.Constant(s), 8, ""},
		{"kept, by any engine that sets a timer", adapt.Avast, backoff.Exponential(1, 3), 50, ""},
		{"below the floor", adapt.Temporal, backoff.Exponential(250*ms, 2), 8, "adapt: Temporal waits at least 1s: 2 of 8 delays are shorter, the first before retry 1 (250ms), want delays >= 1s"},
		{"1 ns below the floor", adapt.Temporal, backoff.Constant(s - 1), 2, "adapt: Temporal waits at least 1s: 2 of 2 delays are shorter, the first before retry 1 (999.999999ms), want delays >= 1s"},
		{"below the floor later", adapt.Temporal, list(s, s, 400*ms, s), 4, "adapt: Temporal waits at least 1s: 1 of 4 delays is shorter, the first before retry 3 (400ms), want delays >= 1s"},
		{"below the floor after the last retry", adapt.Temporal, list(s, s, 400*ms, s), 2, ""},
		{"0 that is not a delay", adapt.Temporal, list(0, s, 0), 3, "adapt: Temporal takes 0 for unset: 2 of 3 delays are 0, the first before retry 1 (0s), want delays > 0"},
		{"0 that is kept below the floor", adapt.JetStream, list(0, 10*ms), 2, ""},
		{"below 0, kept as 0 below the floor", adapt.JetStream, list(-1, 10*ms), 2, ""},
		{"0 below the floor", adapt.Asynq, list(s, 0), 2, "adapt: asynq waits at least 1s: 1 of 2 delays is shorter, the first before retry 2 (0s), want delays >= 1s"},
		{"below 0", adapt.Temporal, list(-1, s), 2, "adapt: Temporal takes 0 for unset: 1 of 2 delays is 0, the first before retry 1 (-1ns), want delays > 0"},
		{"between two steps", adapt.SQS, list(0, 1, s, 2*s+ms), 4, "adapt: SQS counts in steps of 1s: 2 of 4 delays are between two steps, the first before retry 2 (1ns), want multiples of 1s"},
		{"the ceiling", adapt.SQS, backoff.Constant(12 * time.Hour), 3, ""},
		{"above the ceiling", adapt.SQS, backoff.Exponential(s, 10), 6, "adapt: SQS waits at most 12h0m0s: 1 of 6 delays is longer, the first before retry 6 (27h46m40s), want delays <= 12h0m0s"},
		{"a delay without limit", adapt.PubSub, backoff.Constant(backoff.NoLimit), 1, "adapt: Pub/Sub waits at most 10m0s: 1 of 1 delays is longer, the first before retry 1 (2562047h47m16.854775807s), want delays <= 10m0s"},
		{"the end", adapt.River, list(s, s), 3, "adapt: River decides itself when it stops: the schedule ends after 2 of 3 delays and the last one is held, want 3 delays"},
		{"the end after the last retry", adapt.River, list(s, s), 2, ""},
		{"the end of an engine that stops there", adapt.Cenkalti, list(s, s), 3, ""},
		{"empty", adapt.River, list(), 1, "adapt: River decides itself when it stops: the schedule is empty and every delay is then 0, want 1 delay"},
		{"an engine without a name", adapt.Engine{Floor: s}, list(1), 1, "adapt: the engine waits at least 1s: 1 of 1 delays is shorter, the first before retry 1 (1ns), want delays >= 1s"},
		{"all of it", custom, list(0, 2*s, 3*s+1, 6*s), 5, "adapt: mine waits at least 2s: 1 of 5 delays is shorter, the first before retry 1 (0s), want delays >= 2s; " +
			"it waits at most 5s: 1 of 5 delays is longer, the first before retry 4 (6s), want delays <= 5s; " +
			"it counts in steps of 1s: 1 of 5 delays is between two steps, the first before retry 3 (3.000000001s), want multiples of 1s; " +
			"it decides itself when it stops: the schedule ends after 4 of 5 delays and the last one is held, want 5 delays"},
		// All of the 100 ranges, or none, have a delay below 1 s with probability 2⁻⁹⁹.
		{"random, sometimes below the floor", adapt.Temporal, backoff.Take(backoff.Uniform(0, 2*s), 1), 1, "adapt: Temporal waits at least 1s: 1 of 1 delays can be shorter, the first before retry 1 ("},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			if err := row.engine.Check(row.seq, row.n); err != nil {
				got = err.Error()
			}
			if strings.HasSuffix(row.want, "(") {
				got = got[:min(len(row.want), len(got))]
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckError(t *testing.T) {
	engine := adapt.Engine{Name: "mine", Floor: 2 * s, Grain: s, Ceiling: 5 * s, Zero: "nothing"}
	err := engine.Check(list(s, 0, 7*s, s+1, 0, 3*s+1), 8)
	want := &adapt.CheckError{
		Engine: engine, Retries: 8, Delays: 6, MaxDelays: 6,
		Zero:   adapt.Misfit{Retries: 2, Always: true, First: 2, Delay: 0},
		Short:  adapt.Misfit{Retries: 2, Always: true, First: 1, Delay: s},
		Long:   adapt.Misfit{Retries: 1, Always: true, First: 3, Delay: 7 * s},
		Uneven: adapt.Misfit{Retries: 1, Always: true, First: 6, Delay: 3*s + 1},
	}
	got, ok := errors.AsType[*adapt.CheckError](err)
	if !ok {
		t.Fatalf("the error is a %T, want a *CheckError", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The schedule gives short delays in some of its ranges, and ends early in another.
func TestCheckRangesOften(t *testing.T) {
	drawn, ranges := 0, 0
	seq := func(yield func(time.Duration) bool) {
		ranges++
		for n := range 10 {
			drawn++
			d := s
			if ranges == 37 && n == 2 || ranges >= 50 && ranges <= 60 && n == 1 {
				d = time.Duration(ranges)
			}
			if ranges == 99 && n == 8 {
				return
			}
			if !yield(d) {
				return
			}
		}
	}
	err := adapt.Temporal.Check(seq, 9)
	want := &adapt.CheckError{Engine: adapt.Temporal, Retries: 9, Delays: 8, MaxDelays: 9, Short: adapt.Misfit{Retries: 2, First: 2, Delay: 50}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const end = "; it decides itself when it stops: the schedule can end after 8 of 9 delays and the last one is held, want 9 delays"
	if !strings.HasSuffix(err.Error(), end) {
		t.Errorf("the error is %q, want %q at its end", err, end)
	}
	if ranges != 100 || drawn != 900 {
		t.Errorf("%d ranges with %d delays, want 100 with 900", ranges, drawn)
	}
}

// One retry always has a short delay, and the one before it in every second range.
func TestCheckAlways(t *testing.T) {
	ranges := 0
	err := adapt.Temporal.Check(func(yield func(time.Duration) bool) {
		ranges++
		_ = yield(s-time.Duration(ranges%2)) && yield(1)
	}, 2)
	want := &adapt.CheckError{Engine: adapt.Temporal, Retries: 2, Delays: 2, MaxDelays: 2, Short: adapt.Misfit{Retries: 2, First: 1, Delay: s - 1}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckRefuses(t *testing.T) {
	seq := backoff.Constant(0)
	for want, f := range map[string]func(){
		"adapt: Engine.Check: seq is nil, want a schedule":                    func() { adapt.River.Check(nil, 1) },
		"adapt: Engine.Check: n is 0, want >= 1":                              func() { adapt.River.Check(seq, 0) },
		"adapt: Engine.Check: Ceiling is 1s, want 0 or >= Floor, which is 2s": func() { adapt.Engine{Floor: 2 * s, Ceiling: s}.Check(seq, 1) },
		"adapt: Engine.Check: Floor is -1ns, want >= 0":                       func() { adapt.Engine{Floor: -1}.Check(seq, 1) },
		"adapt: Engine.Check: Grain is -1ns, want >= 0":                       func() { adapt.Engine{Grain: -1}.Check(seq, 1) },
		"adapt: Engine.Check: Ceiling is -1ns, want >= 0":                     func() { adapt.Engine{Ceiling: -1}.Check(seq, 1) },
	} {
		if got := panicOf(f); got != any(want) {
			t.Errorf("panic %v, want %v", got, want)
		}
	}
	if err := adapt.River.Check(backoff.Take(seq, 0), math.MaxInt); err == nil {
		t.Error("no error for an empty schedule and math.MaxInt retries")
	}
}

// TestEnginesAreComplete verifies what the table says against the rules that it is written
// by. Every exported Engine is in it.
func TestEnginesAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, e := range adapt.Engines() {
		if e.Name == "" || e.Hook == "" || e.Call == "" || e.Trap == "" {
			t.Errorf("%+v lacks a text", e)
		}
		if names[e.Name] {
			t.Errorf("%s is there twice", e.Name)
		}
		names[e.Name] = true
		if e.First != 0 && e.Number == "" {
			t.Errorf("%s counts from %d, but has no number", e.Name, e.First)
		}
		if strings.Contains(e.Call, "delayOf") != (strings.Contains(e.Call, "adapt.") == false) {
			t.Errorf("%s calls %s, want either delayOf or a function of adapt", e.Name, e.Call)
		}
		if e.Ceiling != 0 && e.Ceiling < e.Floor {
			t.Errorf("%s keeps %v to %v", e.Name, e.Floor, e.Ceiling)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "engines.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	exported := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].IsExported() {
			exported++
		}
		return true
	})
	if exported != len(names) {
		t.Errorf("%d engines are exported, and %d in the table", exported, len(names))
	}
	adapt.Engines()[0].Name = ""
	if adapt.Engines()[0].Name == "" {
		t.Error("Engines returns its own slice")
	}
}

// keeps says which delays an engine keeps, or nothing if it keeps all.
func keeps(e adapt.Engine) string {
	var words []string
	if e.AtOnce {
		words = append(words, "0")
	}
	if e.Zero != "" && e.Floor == 0 {
		words = append(words, "more than 0")
	}
	if e.Floor > 0 {
		words = append(words, fmt.Sprintf("%v or more", e.Floor))
	}
	if e.Ceiling > 0 {
		words = append(words, fmt.Sprintf("at most %v", e.Ceiling))
	}
	if e.Grain > 0 {
		words = append(words, fmt.Sprintf("multiples of %v", e.Grain))
	}
	if e.Zero != "" {
		words = append(words, fmt.Sprintf("0 is %s", e.Zero))
	}
	return strings.Join(words, ", ")
}

// table returns the lines of the table in the package comment.
func table() (lines []string) {
	for i, e := range adapt.Engines() {
		if i > 0 {
			lines = append(lines, "//")
		}
		first := "no number"
		if e.Number != "" {
			first = fmt.Sprintf("%s is %d", e.Number, e.First)
		}
		lines = append(lines, "//\t"+e.Name)
		for _, line := range [][2]string{{"hook ", e.Hook}, {"first", first}, {"keeps", keeps(e)}, {"write", e.Call}, {"trap ", e.Trap}} {
			if line[1] != "" {
				lines = append(lines, "//\t    "+line[0]+"  "+line[1])
			}
		}
	}
	return lines
}

// TestPackageComment compares the table of the package comment with Engines. With -update
// it writes the table.
func TestPackageComment(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	start := slices.Index(lines, "// returns the table as values.") + 2
	end := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "// olivere/elastic") }) - 1
	if start < 2 || end < start {
		t.Fatal("the table is not where it should be")
	}
	if *update {
		lines = slices.Replace(lines, start, end, table()...)
		if err := os.WriteFile("doc.go", []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(table(), lines[start:end]); diff != "" {
		t.Errorf("the table differs from Engines; -update writes it (-want +got):\n%s", diff)
	}
}

// list returns a schedule of these delays, even negative ones.
func list(delays ...time.Duration) iter.Seq[time.Duration] { return slices.Values(delays) }

// panicOf returns what f panics with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
