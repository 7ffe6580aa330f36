package serverflags

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/sim/overload"
)

// rules returns what the flags say.
func rules(t *testing.T, args ...string) (server.Rules, error) {
	t.Helper()
	var f Flags
	cmd := &cobra.Command{}
	f.Add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return server.Rules{}, err
	}
	return f.Rules(cmd)
}

// The defaults are the published server, and each flag changes what it says.
func TestRules(t *testing.T) {
	published := func(change func(*overload.Config)) overload.Config {
		c := overload.Default()
		change(&c)
		return c
	}
	linear := func(perOpen time.Duration) func(*overload.Config) {
		return func(c *overload.Config) {
			c.Latency = overload.LinearLatency{Base: 100 * time.Millisecond, PerOpen: perOpen}
		}
	}
	for _, test := range []struct {
		args   []string
		change func(*overload.Config)
	}{
		{nil, func(*overload.Config) {}},
		{[]string{"--capacity", "500/s"}, linear(2 * time.Millisecond)},
		{[]string{"--capacity", "500"}, linear(2 * time.Millisecond)},
		{[]string{"--capacity", "30000/m"}, linear(2 * time.Millisecond)},
		{[]string{"--capacity", "1800000 / h"}, linear(2 * time.Millisecond)},
		{[]string{"--capacity", "0.001/s"}, linear(1000 * time.Second)},
		{[]string{"--capacity", "1e6"}, linear(time.Microsecond)},
		{[]string{"--latency-per-open", "2ms"}, linear(2 * time.Millisecond)},
		{[]string{"--latency-per-open", "0"}, linear(0)},
		{[]string{"--abandoned", "cancel"}, func(c *overload.Config) { c.Abandoned = overload.Cancel }},
		{[]string{"--abandoned", "drop"}, func(c *overload.Config) { c.Abandoned = overload.Cancel }},
		{[]string{"--base-latency", "1s", "--latency-limit", "5", "--latency-factor", "2", "--latency-scale", "3", "--poll", "0", "--queue", "7"}, func(c *overload.Config) {
			c.Latency = overload.ExponentialLatency{Base: time.Second, Limit: 5, Factor: 2, Scale: 3}
			c.Poll, c.Queue = 0, 7
		}},
	} {
		r, err := rules(t, test.args...)
		if err != nil {
			t.Errorf("%q: %v", test.args, err)
			continue
		}
		got, err := r.Config()
		if err != nil {
			t.Errorf("%q: %v", test.args, err)
		}
		if diff := cmp.Diff(published(test.change), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.args, diff)
		}
	}
}

func TestBadRules(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--capacity", "5", "--latency-per-open", "1s"}, "--capacity is given, and so is --latency-per-open, want one kind of latency"},
		{[]string{"--capacity", "5", "--latency-limit", "1"}, "--capacity is given, and so is --latency-limit, want one kind of latency"},
		{[]string{"--latency-per-open", "1s", "--latency-scale", "1"}, "--latency-per-open is given, and so is --latency-scale, want one kind of latency"},
	} {
		if _, err := rules(t, test.args...); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.args, err, test.want)
		}
	}
	for _, text := range []string{"", "x", "5/", "5/d", "/s", "0", "-5/s", "0.0009", "1000001", "NaN", "Inf", "5/s/s"} {
		if r, err := rules(t, "--capacity", text); err == nil {
			t.Errorf("--capacity %q is %+v, want an error", text, r)
		}
	}
}

// The text of a capacity parses as the same capacity.
func TestCapacityText(t *testing.T) {
	var c, again capacity
	if got := c.String(); got != "" {
		t.Errorf("no capacity is %q, want nothing", got)
	}
	if err := c.Set("90/m"); err != nil {
		t.Fatal(err)
	}
	if err := again.Set(c.String()); err != nil || again != c || c != 1.5 {
		t.Errorf("%q is %v, error %v, want 1.5", c.String(), again, err)
	}
}
