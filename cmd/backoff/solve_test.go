package main

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/plan"
)

// givenFlags are the parameters of a schedule, by the names of their flags.
func givenFlags(g plan.Geometric, retries int, elapsed, delay time.Duration) *given {
	return &given{
		base: g.Base, factor: g.Factor, ratio: g.Factor - 1, limit: g.Limit,
		retries: retries, elapsed: elapsed, delay: delay, names: map[string]bool{},
	}
}

// From any three of a schedule's parameters follow the others.
func TestSolveAnyThree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{
			Base:   time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Minute)).Draw(t, "base")),
			Factor: 1 + math.Exp(rapid.Float64Range(-5, 1).Draw(t, "log(factor - 1)")),
			Limit:  backoff.NoLimit,
		}
		n := rapid.IntRange(2, 12).Draw(t, "retries")
		elapsed, delay := g.Elapsed(n), g.Delay(n+1)
		three := rapid.Permutation(parameters).Draw(t, "order")[:3]
		k := givenFlags(g, n, elapsed, delay)
		for _, name := range three {
			if name == "factor" && rapid.Bool().Draw(t, "as ratio") {
				name = "ratio"
			}
			k.names[name] = true
		}
		if err := k.check(); err != nil {
			t.Fatal(err)
		}
		// What is not given must not be looked at.
		for _, name := range parameters {
			if slices.Contains(three, name) {
				continue
			}
			switch name {
			case "base":
				k.base = 0
			case "factor":
				k.factor, k.ratio = 0, 0
			case "retries":
				k.retries = 0
			case "elapsed":
				k.elapsed = 0
			case "delay":
				k.delay = 0
			}
		}
		s, err := solve(k)
		if err != nil {
			t.Fatal(err)
		}
		// A nanosecond of a base of 1 ms is 10⁻⁶ of it, and the other quantities of
		// these schedules change by at most a few dozen times that.
		near := func(name string, got, want float64) {
			if !(math.Abs(got/want-1) < 1e-4) {
				t.Errorf("from %v %s is %v, want %v", three, name, got, want)
			}
		}
		near("base", s.schedule.Base.Seconds(), g.Base.Seconds())
		near("factor", s.schedule.Factor, g.Factor)
		near("retries", s.retries, float64(n))
		near("elapsed", s.elapsed.Seconds(), elapsed.Seconds())
		near("delay", s.delay.Seconds(), delay.Seconds())
		var names []string
		for _, a := range s.answers {
			names = append(names, a.name)
		}
		for _, name := range parameters {
			given := k.names[name]
			if slices.Contains(names, name) == given {
				t.Errorf("from %v: the answers are %v", three, names)
			}
		}
	})
}

// The limit that is found has the last retry come when it should, and the one below
// does not.
func TestSolveLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{Base: time.Second, Factor: rapid.Float64Range(1.01, 4).Draw(t, "factor"), Limit: backoff.NoLimit}
		n := rapid.IntRange(2, 40).Draw(t, "retries")
		least, most := time.Duration(n)*time.Second, min(g.Elapsed(n), 1000*time.Hour)
		elapsed := time.Duration(rapid.Int64Range(int64(least), int64(most)).Draw(t, "elapsed"))
		k := givenFlags(g, n, elapsed, 0)
		for _, name := range []string{"base", "factor", "retries", "elapsed"} {
			k.names[name] = true
		}
		s, err := solve(k)
		if err != nil {
			t.Fatal(err)
		}
		got := s.schedule
		if got.Elapsed(n) < elapsed {
			t.Errorf("with a limit of %v retry %d comes at %v, want %v", got.Limit, n, got.Elapsed(n), elapsed)
		}
		got.Limit--
		if got.Elapsed(n) >= elapsed && got.Limit >= got.Base {
			t.Errorf("a limit of %v is enough", got.Limit)
		}
	})
}

// The source's numbers, through the command.
func TestSolveSource(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--base 1s --factor 2 --retries 10", "elapsed 1023"},
		{"--base 1s --factor 2 --retries 10", "delay 1024"},
		{"--base 1s --factor 1.1 --retries 48", "elapsed 960.172337849"},
		{"--base 1s --factor 1.1 --retries 49", "elapsed 1057.189571634"},
		{"--base 1s --elapsed 1000s --ratio 0.1", "factor 1.1"},
		{"--base 1s --elapsed 1000s --ratio 0.1", "delay 101"},
		{"--retries 10 --elapsed 1023s --factor 2", "base 1"},
		{"--base 1s --elapsed 1023s --delay 1024s", "factor 2"},
		{"--base 1s --elapsed 1023s --delay 1024s", "retries 10"},
		{"--factor 2 --elapsed 1023s --delay 1024s", "base 1"},
		{"--base 1s --factor 2 --delay 1024s", "elapsed 1023"},
	} {
		var solved struct {
			Answers []struct {
				Name  string
				Value json.Number
			}
		}
		text := succeeds(t, append([]string{"plan", "--format", "json"}, strings.Fields(test.args)...)...)
		if err := json.Unmarshal([]byte(text), &solved); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, a := range solved.Answers {
			all = append(all, a.Name+" "+a.Value.String())
		}
		if !slices.Contains(all, test.want) {
			t.Errorf("%s: %q is not among %q", test.args, test.want, all)
		}
	}
}

// What is too long for a time.Duration is marked, and nothing follows from it that
// is not so.
func TestSolveBeyondDurations(t *testing.T) {
	for _, test := range []struct {
		args string
		want []string
	}{
		{"--base 1s --retries 300 --factor 1.1 --format json", []string{`"value": null`, "1s·1.1^300"}},
		{"--base 1s --retries 300 --factor 1.1 --format csv", []string{"\nelapsed,,", "\ndelay,,"}},
		{"--base 1s --retries 300 --factor 1.1", []string{"1s·1.1^300 = ≥ 292 years"}},
		{"--base 1s --retries 2147483647 --factor 1.1 --limit 10s", []string{"min(10s, 1s·1.1^2147483647) = 10s"}},
		{"--base 1s --factor 1.001 --delay 2600h", []string{"log(9360000s/1s)/log(1.001) = 16059.98", "Retry 16059 comes"}},
		{"--base 1s --factor 1.0000000000000002 --delay 2h", []string{"log(1.0000000000000002) = 400002"}},
	} {
		got := succeeds(t, append([]string{"plan"}, strings.Fields(test.args)...)...)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", test.args, want, got)
			}
		}
	}
}

// What cannot be is said of a flag that was given.
func TestSolveImpossible(t *testing.T) {
	refuses(t, "plan: --delay is 1.5s, want at least base·factor, 2s, the delay that follows retry 1",
		"plan", "--base", "1s", "--factor", "2", "--delay", "1500ms")
	refuses(t, "plan: --ratio alone, want 2 more of --base, --retries, --elapsed, --delay", "plan", "--ratio", "0.1", "--limit", "1m")
	refuses(t, "plan: --compare-factor is 2 and the retries take ≥ 292 years, want a shorter time to compare them in",
		"plan", "--base", "1s", "--factor", "1.1", "--retries", "300", "--compare-factor", "2")
}

// A factor is shown so closely that what is shown of it gives the result.
func TestFactorText(t *testing.T) {
	for factor, want := range map[float64]string{
		1: "1", 1.1: "1.1", 2: "2", 1 + 1e-7: "1.0000001", 1.00023043680146: "1.000230437", 1.0999999: "1.0999999", 1.5: "1.5",
		1 + 1e-12: "1.000000000001", 1 + 0x1p-52: "1.0000000000000002", 1.9999999: "2", 123.4567: "123.457", 1e300: "1e+300",
	} {
		if got := factorText(factor); got != want {
			t.Errorf("factorText(%v) = %s, want %s", factor, got, want)
		}
	}
}

// The expression of a solution is its schedule.
func TestSolutionExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := plan.Geometric{
			Base:   time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "base")),
			Factor: rapid.Float64Range(1, 10).Draw(t, "factor"),
			Limit:  rapid.SampledFrom([]time.Duration{backoff.NoLimit, time.Second, 90 * time.Minute}).Draw(t, "limit"),
		}
		n := rapid.IntRange(1, 50).Draw(t, "retries")
		e, err := expr.Parse((&solution{schedule: g, retries: float64(n) + 0.5}).expression())
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Collect(backoff.Take(g.Schedule(), n))
		if got := slices.Collect(e.Schedule()); !slices.Equal(got, want) {
			t.Fatalf("%s is %v, want %v", e, got, want)
		}
	})
}
