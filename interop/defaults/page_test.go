package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/interop/page"
	"example.com/backoff/plan"
)

const file = "../../docs/defaults.md"

// TestPage fails if the command would change the page.
func TestPage(t *testing.T) {
	v, err := page.Versions("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]figures, len(clients))
	for i, c := range clients {
		all[i] = figureOf(c)
	}
	want, err := page.Update(got, generate(all, v)...)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Errorf("the page is out of date: run GOWORK=off go -C interop run ./defaults (-want +got):\n%s", d)
	}
}

// TestTexts: every expression is canonical, every module is in go.mod, and every
// client has a test or a source.
func TestTexts(t *testing.T) {
	v, err := page.Versions("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		if c.text == "" != (c.build != nil) || c.text == "" != (c.code != "") {
			t.Errorf("%s: want either a text, or a function and its code", c.name)
		}
		if c.text != "" {
			e, err := expr.Parse(c.text)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if d := cmp.Diff(e.String(), c.text); d != "" {
				t.Errorf("%s: not canonical (-want +got):\n%s", c.name, d)
			}
		}
		if c.module != "" && v[c.module] == "" {
			t.Errorf("%s: go.mod does not require %s", c.name, c.module)
		}
		if c.checked == "" && c.source == "" {
			t.Errorf("%s: neither checked nor documented", c.name)
		}
	}
}

// TestBounds compares the bounds with draws: none lies outside, and the draws come
// near them.
func TestBounds(t *testing.T) {
	for _, c := range clients {
		f := figureOf(c)
		if !f.endless && c.total == 0 && f.total < f.plan.Retries[len(f.plan.Retries)-1].Elapsed.Max {
			t.Errorf("%s: a total of %v was drawn, more than %v", c.name, f.plan.Retries[len(f.plan.Retries)-1].Elapsed.Max, f.total)
		}
		for i, b := range f.bounds {
			r := f.plan.Retries[i]
			if r.Delay.Min < b.Min || r.Delay.Max > b.Max {
				t.Errorf("%s: delay %d: [%v, %v] was drawn, outside [%v, %v]", c.name, i, r.Delay.Min, r.Delay.Max, b.Min, b.Max)
			}
			// The largest of 10,000 uniform draws lies below 0.98 of the interval
			// once in 10⁸⁷ times, and the seeds are fixed. A telescoping delay is
			// rarely near its bounds.
			near := (b.Max - b.Min) / 50
			if c.observed().Telescopes {
				near *= 5
			}
			if r.Share == 1 && (r.Delay.Min > b.Min+near || r.Delay.Max < b.Max-near) {
				t.Errorf("%s: delay %d: only [%v, %v] was drawn of [%v, %v]", c.name, i, r.Delay.Min, r.Delay.Max, b.Min, b.Max)
			}
		}
	}
}

// TestClosedForms compares the figures of geometric schedules with the formulas of
// package plan, which draw nothing.
func TestClosedForms(t *testing.T) {
	for name, g := range map[string]plan.Geometric{
		"Kubernetes workqueue":       {Base: 5 * time.Millisecond, Factor: 2, Limit: 1000 * time.Second},
		"hashicorp/go-retryablehttp": {Base: time.Second, Factor: 2, Limit: 30 * time.Second},
		"jpillora/backoff":           {Base: 100 * time.Millisecond, Factor: 2, Limit: 10 * time.Second},
		"Temporal, activities":       {Base: time.Second, Factor: 2, Limit: 100 * time.Second},
		"JetStream, a consumer":      {Base: 30 * time.Second, Factor: 1, Limit: backoff.NoLimit},
		"Polly":                      {Base: 2 * time.Second, Factor: 1, Limit: backoff.NoLimit},
		"Resilience4j":               {Base: 500 * time.Millisecond, Factor: 1, Limit: backoff.NoLimit},
		"Debian's retry":             {Base: 10 * time.Second, Factor: 1, Limit: backoff.NoLimit},
	} {
		f := figureOf(clientNamed(t, name))
		retries := backoff.NoLimit
		if !f.endless {
			retries = time.Duration(f.minAttempts - 1)
			if want := g.Elapsed(int(retries)); f.total != want || f.mean != want {
				t.Errorf("%s: total %v, mean %v, want %v", name, f.total, f.mean, want)
			}
		}
		for within, c := range map[time.Duration]count{time.Minute: f.minute, time.Hour: f.hour} {
			want := min(g.RetriesWithin(within), int(min(retries, 1<<30)))
			if c.low != want || c.up != want || c.mean != float64(want) {
				t.Errorf("%s: %+v retries within %v, want %d", name, c, within, want)
			}
		}
		worst := g.Limit
		if worst == backoff.NoLimit {
			worst = g.Base
		}
		if !f.endless {
			worst = g.Delay(f.minAttempts - 1)
		}
		if f.longest != worst {
			t.Errorf("%s: worst wait %v, want %v", name, f.longest, worst)
		}
	}
}

// TestShort: durations are rounded for a reader.
func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                     "0s",
		144 * time.Second:                     "2m24s",
		5242880 * time.Microsecond:            "5.24s",
		25*time.Hour + 12345*time.Millisecond: "25h",
		331776 * time.Second:                  "3.84 d",
		123456 * time.Nanosecond:              "123µs",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) = %q, want %q", d, got, want)
		}
	}
}

func clientNamed(tb testing.TB, name string) client {
	tb.Helper()
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
	if i < 0 {
		tb.Fatalf("no client is called %q", name)
	}
	return clients[i]
}

// figuresOf caches the figures of all clients.
var figuresOf = map[string]figures{}

func figureOf(c client) figures {
	f, ok := figuresOf[c.name]
	if !ok {
		f = figure(c)
		figuresOf[c.name] = f
	}
	return f
}
