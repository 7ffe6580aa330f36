package expr_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/backofftest"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
	"example.com/backoff/sim/contention"
)

// parse is Parse of a correct text.
func parse(t interface {
	Helper()
	Fatal(...any)
}, text string,
) *expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return e
}

// first returns the first n delays.
func first(seq iter.Seq[time.Duration], n int) []time.Duration {
	return slices.Collect(backoff.Take(seq, n))
}

func TestString(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"constant(1s)", "constant(1s)"},
		{"  constant ( 1000ms )\n", "constant(1s)"},
		{"exponential(100ms,2)|cap(10s)|jitter(1)|take(8)", "exponential(100ms, 2) | cap(10s) | jitter(1) | take(8)"},
		{"exponential(\n\t100ms, 2)\n| cap(10s)", "exponential(100ms, 2) | cap(10s)"},
		{"list()", "list()"},
		{"list(0,1s , 1m0s,1h0m0s, 1h0m1s)", "list(0s, 1s, 1m, 1h, 1h0m1s)"},
		{"constant(+1.5s)", "constant(1.5s)"},
		{"constant(-0s)", "constant(0s)"},
		{"constant(1us)", "constant(1µs)"},
		{"constant(90s)", "constant(1m30s)"},
		{"exponential(1s, 2.50)", "exponential(1s, 2.5)"},
		{"exponential(1s, 1e3)", "exponential(1s, 1000)"},
		{"exponential(1s, 1e4)", "exponential(1s, 10000)"},
		{"exponential(1s, 100000)", "exponential(1s, 1e+05)"},
		{"exponential(1s, 1e300)", "exponential(1s, 1e+300)"},
		{"exponential(1s, 0x1p4)", "exponential(1s, 16)"},
		{"constant(1s) | scale(-0)", "constant(1s) | scale(0)"},
		{"constant(1s) | scale(0.00000001)", "constant(1s) | scale(1e-08)"},
		{"constant(1s) | take(007)", "constant(1s) | take(7)"},
		{"constant(1s) | take(2147483647)", "constant(1s) | take(2147483647)"},
		{"constant(1s) | cap(none)", "constant(1s) | cap(none)"},
		{"constant(1s) | cap(2562047h47m16.854775807s)", "constant(1s) | cap(none)"},
		{"constant(1s) | within(none)", "constant(1s) | within(none)"},
		{"full-jitter(1s, none)", "full-jitter(1s, none)"},
		{"constant(2562047h47m16.854775807s)", "constant(2562047h47m16.854775807s)"},
		{"constant(0)|then( linear(1s,2s)|max(list( )) )", "constant(0s) | then(linear(1s, 2s) | max(list()))"},
	} {
		if got := parse(t, test.text).String(); got != test.want {
			t.Errorf("Parse(%q) prints %q, want %q", test.text, got, test.want)
		}
	}
}

// Each stage makes the schedule that the direct call makes.
func TestSchedule(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	seed := backoff.WithSeed(7)
	second := backoff.WithStream(1)
	e := backoff.Exponential(s, 2)
	for _, test := range []struct {
		text string
		want iter.Seq[time.Duration]
	}{
		{"constant(3s)", backoff.Constant(3 * s)},
		{"linear(1s, 500ms)", backoff.Linear(s, 500*ms)},
		{"exponential(100ms, 2)", backoff.Exponential(100*ms, 2)},
		{"polynomial(100ms, 1.5)", backoff.Polynomial(100*ms, 1.5)},
		{"fibonacci(10ms)", backoff.Fibonacci(10 * ms)},
		{"uniform(1s, 2s)", backoff.Uniform(s, 2*s, seed)},
		{"uniform(1s, 1s)", backoff.Constant(s)},
		{"full-jitter(100ms, 10s)", backoff.FullJitter(100*ms, 10*s, seed)},
		{"equal-jitter(100ms, 10s)", backoff.EqualJitter(100*ms, 10*s, seed)},
		{"top-jitter(1s, 16s, 0.25)", backoff.TopJitter(s, 16*s, 0.25, seed)},
		{"decorrelated-jitter(100ms, 10s)", backoff.DecorrelatedJitter(100*ms, 10*s, seed)},
		{"smooth-jitter(100ms, 10s)", backoff.SmoothJitter(100*ms, 10*s, seed)},
		{"normal-jitter(100ms, 10m, 2.7, 0.1)", backoff.NormalJitter(100*ms, 600*s, 2.7, 0.1, seed)},
		{"full-jitter(100ms, none)", backoff.FullJitter(100*ms, backoff.NoLimit, seed)},
		{"list()", backoff.Concat()},
		{"list(1s, 0, 2s)", slices.Values([]time.Duration{s, 0, 2 * s})},
		{"exponential(1s, 2) | take(3)", backoff.Take(e, 3)},
		{"exponential(1s, 2) | drop(3)", backoff.Drop(e, 3)},
		{"exponential(1s, 2) | cap(5s)", backoff.Cap(e, 5*s)},
		{"exponential(1s, 2) | floor(5s)", backoff.Floor(e, 5*s)},
		{"exponential(1s, 2) | scale(0.3)", backoff.Scale(e, 0.3)},
		{"exponential(1s, 2) | jitter(0.3)", backoff.Jitter(e, 0.3, seed)},
		{"exponential(1s, 2) | spread(0.3)", backoff.Spread(e, 0.3, seed)},
		{"exponential(1s, 2) | within(10s)", backoff.Within(e, 10*s)},
		{"exponential(1s, 2) | take(2) | then(constant(3s))", backoff.Concat(backoff.Take(e, 2), backoff.Constant(3*s))},
		{"exponential(1s, 2) | max(constant(3s) | take(4))", backoff.Max(e, backoff.Take(backoff.Constant(3*s), 4))},
		{"exponential(1s, 2) | take(4) | min(constant(3s))", backoff.Min(backoff.Take(e, 4), backoff.Constant(3*s))},
		{
			"exponential(1s, 2) | jitter(1) | max(full-jitter(1s, 9s))",
			backoff.Max(backoff.Jitter(e, 1, seed), backoff.FullJitter(s, 9*s, seed, second)),
		},
		{ // a nested stage stands before what follows its parenthesis
			"constant(1s) | then(constant(2s)) | max(uniform(0, 9s) | take(20)) | spread(1)",
			backoff.Spread(backoff.Max(backoff.Constant(s), backoff.Take(backoff.Uniform(0, 9*s, seed), 20)), 1, seed, second),
		},
	} {
		got := first(parse(t, test.text).Schedule(seed), 20)
		if diff := cmp.Diff(first(test.want, 20), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

// The mean of the larger of two uniform variates is 2/3 if they are independent, and 1/2 if
// they are equal. Over 20,000 delays the standard deviation of the mean is 0.0017. The seed
// is fixed; another one would fail with a probability of 4e-9.
func TestRandomStagesAreIndependent(t *testing.T) {
	e := parse(t, "constant(1s) | jitter(1) | max(constant(1s) | jitter(1))")
	const draws = 20_000
	var sum float64
	for d := range backoff.Take(e.Schedule(backoff.WithSeed(1)), draws) {
		sum += d.Seconds()
	}
	if mean := sum / draws; math.Abs(mean-2./3) > 0.01 {
		t.Errorf("mean is %v, want 2/3", mean)
	}
}

// Seeded is Schedule with that seed, also as a method of a *Expr. Packages that take a
// schedule as a function of the seed take it.
func TestSeeded(t *testing.T) {
	e, err := expr.Parse("full-jitter(100ms, 10s) | spread(0.1) | take(8)")
	if err != nil {
		t.Fatal(err)
	}
	for _, newSchedule := range []func(uint64) iter.Seq[time.Duration]{e.Seeded, (*e).Seeded} {
		for seed := range uint64(5) {
			want := slices.Collect(e.Schedule(backoff.WithSeed(seed)))
			if diff := cmp.Diff(want, slices.Collect(newSchedule(seed))); diff != "" {
				t.Errorf("seed %d (-want +got):\n%s", seed, diff)
			}
		}
	}
	if p := plan.Of(e.Seeded, 10, plan.Draws(20)); len(p.Retries) != 8 || p.Retries[0].Delay.Exact() {
		t.Errorf("a plan of %d retries, the first exact: %v; want 8 and a random one", len(p.Retries), p.Retries[0].Delay.Exact())
	}
	config := contention.Default()
	config.Schedule, config.Clients, config.Reps = e.Seeded, []int{3}, 2
	if _, err := contention.Run(t.Context(), config); err != nil {
		t.Error(err)
	}
	backofftest.Run(t, e.Seeded, backofftest.Delays(8))
}

// Schedule neither changes nor keeps the caller's options, nor those behind them in the
// array.
func TestScheduleLeavesOptionsAlone(t *testing.T) {
	opts := make([]backoff.Option, 4)
	for i := range opts {
		opts[i] = backoff.WithSeed(1)
	}
	seq := parse(t, "uniform(0, 1h) | max(uniform(0, 1h))").Schedule(opts[:1]...)
	before := first(seq, 5)
	want := first(backoff.Uniform(0, time.Hour, backoff.WithSeed(1)), 5)
	for i, o := range opts {
		if diff := cmp.Diff(want, first(backoff.Uniform(0, time.Hour, o), 5)); diff != "" {
			t.Errorf("option %d was changed (-want +got):\n%s", i, diff)
		}
	}
	opts[0] = backoff.WithSeed(2)
	if diff := cmp.Diff(before, first(seq, 5)); diff != "" {
		t.Errorf("after the options changed (-want +got):\n%s", diff)
	}
}

func TestRandom(t *testing.T) {
	for text, want := range map[string]bool{
		"constant(1s)":                                       false,
		"constant(1s) | jitter(1)":                           true,
		"full-jitter(1s, 2s) | take(3)":                      true,
		"list() | then(linear(1s, 1s))":                      false,
		"list() | then(list() | min(smooth-jitter(1s, 2s)))": true,
	} {
		if got := parse(t, text).Random(); got != want {
			t.Errorf("Random of %s is %v, want %v", text, got, want)
		}
	}
	for _, s := range expr.Stages() {
		e := parse(t, s.Example)
		same := cmp.Equal(first(e.Schedule(backoff.WithSeed(1)), 20), first(e.Schedule(backoff.WithSeed(2)), 20))
		if e.Random() == same {
			t.Errorf("%s: Random is %v, two seeds are equal: %v", s.Example, e.Random(), same)
		}
	}
}

// An Expr that is not set has no text. Its Schedule panics instead of never retrying. The
// empty schedule is list().
func TestZero(t *testing.T) {
	var e expr.Expr
	if !e.IsZero() || e.Random() || e.String() != "" {
		t.Errorf("the zero Expr: IsZero is %v, Random %v, String %q; want true, false and no text", e.IsZero(), e.Random(), e.String())
	}
	if text, err := e.MarshalText(); len(text) > 0 || err != nil {
		t.Errorf("the zero Expr is marshalled as %q, %v; want no text", text, err)
	}
	for want, f := range map[string]func(){
		"expr: Schedule: the Expr is not set, want one from Parse, Set or UnmarshalText": func() { e.Schedule() },
		"expr: Seeded: the Expr is not set, want one from Parse, Set or UnmarshalText":   func() { e.Seeded(1) },
		"expr: Go: the Expr is not set, want one from Parse, Set or UnmarshalText":       func() { e.Go() },
	} {
		func() {
			defer func() {
				if diff := cmp.Diff(any(want), recover()); diff != "" {
					t.Errorf("panic (-want +got):\n%s", diff)
				}
			}()
			f()
		}()
	}
	for _, text := range []string{"list()", "constant(0)"} {
		if parse(t, text).IsZero() {
			t.Errorf("%s counts as not set", text)
		}
	}
}

// The empty text is an error from every source, and leaves the Expr as it is.
func TestEmptyText(t *testing.T) {
	const want = "column 1: unexpected end of text, want a schedule such as constant(1s)"
	for _, before := range []expr.Expr{{}, *parse(t, "constant(1s)")} {
		e := before
		for name, set := range map[string]func() error{
			"Set":           func() error { return e.Set("") },
			"UnmarshalText": func() error { return e.UnmarshalText(nil) },
			"JSON":          func() error { return json.Unmarshal([]byte(`""`), &e) },
		} {
			if err := set(); err == nil || err.Error() != want {
				t.Errorf("%s of the empty text: %v, want %s", name, err, want)
			}
			if e.String() != before.String() {
				t.Errorf("after %s of the empty text it is %q, want %q", name, e, before)
			}
		}
	}
}

func TestFlag(t *testing.T) {
	e := *parse(t, "constant(1s)")
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Var(&e, "delays", "the `schedule`")
	if err := set.Parse([]string{"-delays", "fibonacci( 1s )"}); err != nil {
		t.Fatal(err)
	}
	if got, want := e.String(), "fibonacci(1s)"; got != want {
		t.Errorf("after the flag: %s, want %s", got, want)
	}
	err := set.Parse([]string{"-delays", "fibonacci"})
	if err == nil || !strings.Contains(err.Error(), "column 10: unexpected end of text, want ( after fibonacci") {
		t.Errorf("the error is %v", err)
	}
	if got, want := e.String(), "fibonacci(1s)"; got != want {
		t.Errorf("after an error: %s, want %s", got, want)
	}
}

func TestJSON(t *testing.T) {
	type config struct{ Delays expr.Expr }
	var c config
	if err := json.Unmarshal([]byte(`{"Delays": "full-jitter(100ms,1m)"}`), &c); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(c) // by value: not addressable
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"Delays":"full-jitter(100ms, 1m)"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	err = json.Unmarshal([]byte(`{"Delays": "full-jitter(100ms, -1m)"}`), &c)
	if e, ok := errors.AsType[*expr.Error](err); !ok || e.Column != 20 {
		t.Errorf("the error is %v", err)
	}
}

// omitzero leaves out a field that is not set, and null leaves it as it is.
func TestJSONOfUnset(t *testing.T) {
	type config struct {
		Delays expr.Expr `json:"delays,omitzero"`
	}
	text, err := json.Marshal(config{})
	if err != nil || string(text) != "{}" {
		t.Errorf("%s, %v; want {}", text, err)
	}
	for _, text := range []string{"{}", `{"delays": null}`} {
		var c config
		if err := json.Unmarshal([]byte(text), &c); err != nil || !c.Delays.IsZero() {
			t.Errorf("%s gives %q, %v; want none", text, c.Delays, err)
		}
		c.Delays = *parse(t, "constant(1s)")
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Delays.String() != "constant(1s)" {
			t.Errorf("%s makes the default %q, %v; want constant(1s)", text, c.Delays, err)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "1ns": 1, "1.5µs": 1500, "100ms": 100 * time.Millisecond, "1m": time.Minute, "1m30s": 90 * time.Second,
		"10m": 10 * time.Minute, "1h": time.Hour, "1h0m1s": time.Hour + time.Second, "20h": 20 * time.Hour,
		"1h30m": 90 * time.Minute, "1h10m": 70 * time.Minute, "1m0.5s": time.Minute + time.Second/2, "-1m": -time.Minute,
		"2562047h47m16.854775807s": math.MaxInt64,
	} {
		if got := expr.FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", d, got, want)
		}
	}
}

// Stages has every function of package backoff that starts or changes a schedule, with its
// parameters, except Func and Map. In addition it has list.
func TestStagesAreTheFunctions(t *testing.T) {
	type function struct {
		Func   string
		Params []string
		Starts bool
		Random bool
	}
	var want []function
	for _, file := range []string{"../gens.go", "../smooth.go", "../take.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Name.Name == "Func" || f.Name.Name == "Map" {
				continue
			}
			w := function{Func: f.Name.Name, Starts: true}
			for _, p := range f.Type.Params.List {
				for _, name := range p.Names {
					switch name.Name {
					case "seq", "a":
						w.Starts = false
					case "seqs":
						w.Starts = false
						w.Params = append(w.Params, "EXPR")
					case "b":
						w.Params = append(w.Params, "EXPR")
					case "opts":
						w.Random = true
					default:
						w.Params = append(w.Params, name.Name)
					}
				}
			}
			want = append(want, w)
		}
	}
	var got []function
	for _, s := range expr.Stages() {
		if s.Name == "list" {
			continue
		}
		g := function{Func: s.Func, Starts: s.Starts, Random: s.Random}
		for _, p := range s.Params {
			g.Params = append(g.Params, p.Name)
		}
		got = append(got, g)
	}
	byName := func(a, b function) int { return strings.Compare(a.Func, b.Func) }
	slices.SortFunc(want, byName)
	slices.SortFunc(got, byName)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
}

func TestStages(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range expr.Stages() {
		if seen[s.Name] {
			t.Errorf("%s is there twice", s.Name)
		}
		seen[s.Name] = true
		if kebab := kebab(s.Func); s.Func != "" && s.Func != "Concat" && kebab != s.Name {
			t.Errorf("%s is called %s, want %s", s.Func, s.Name, kebab)
		}
		if s.Formula == "" || s.Use == "" || seen[s.Use] || len(s.Params) == 0 {
			t.Errorf("%s has no formula, no use of its own or no parameters", s.Name)
		}
		seen[s.Use] = true
		e := parse(t, s.Example)
		if e.String() != s.Example {
			t.Errorf("example %s prints %s", s.Example, e)
		}
		if !strings.Contains(s.Example, s.Name+"(") {
			t.Errorf("%s is not in its example %s", s.Name, s.Example)
		}
		if got := first(e.Schedule(), 3); len(got) < 3 {
			t.Errorf("%s has %d delays, want 3 at least", s.Example, len(got))
		}
	}
	expr.Stages()[0].Params[0].Name = "other"
	if got := expr.Stages()[0].Params[0].Name; got != "delay" {
		t.Errorf("a caller changed a parameter's name to %q", got)
	}
}

// kebab returns FullJitter as full-jitter.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r < 'a' {
			b.WriteByte('-')
		}
		fmt.Fprintf(&b, "%c", r|0x20)
	}
	return b.String()
}
