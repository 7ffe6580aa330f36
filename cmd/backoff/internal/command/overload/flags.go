package overload

import (
	"fmt"
	"maps"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/cmd/backoff/internal/serverflags"
	"example.com/backoff/sim/overload"
)

// scenario are what flags say of the clients, of the server and of what happens to it.
type scenario struct {
	clients   int
	think     time.Duration
	rate      float64
	timeout   time.Duration
	network   time.Duration
	budget    budgetValue
	processes int

	server    server.Rules
	perOpen   time.Duration
	failures  float64
	accept    time.Duration
	reconnect time.Duration

	warmup        time.Duration
	stop          time.Duration
	slowDown      time.Duration
	spike         time.Duration
	triggerFactor float64
	after         time.Duration
}

func (l *scenario) addFlags(cmd *cobra.Command) {
	d := overload.Default()
	flags := cmd.Flags()
	flags.SortFlags = false

	flags.IntVar(&l.clients, "clients", d.Clients, "how many clients there are")
	flags.DurationVar(&l.think, "think", d.Think, "mean time that a client thinks, exponentially distributed")
	flags.Float64Var(&l.rate, "rate", 0, "operations that begin a second, at random, instead of --clients")
	flags.DurationVar(&l.timeout, "timeout", d.Timeout, "when a client abandons its request")
	flags.DurationVar(&l.network, "network", d.Network, "mean time that a request is on its way, and an answer too, exponentially distributed")
	flags.Var(&l.budget, "budget", "retry `budget` of a process, tokens,ratio such as 10,0.1")
	flags.IntVar(&l.processes, "processes", d.Processes, "how many processes the clients are in, each with its --budget")

	serverflags.Add(cmd, &l.server)
	flags.DurationVar(&l.perOpen, "latency-per-open", 0, "how much longer it is for each open request, instead of --limit, --latency-factor and --latency-scale")
	flags.Float64Var(&l.failures, "failures", d.Failures, "share of requests that are answered by an error, in [0, 1]")
	flags.DurationVar(&l.accept, "accept", d.Accept, "time to take a request out of the accept queue")
	flags.DurationVar(&l.reconnect, "reconnect", d.Reconnect, "within which a request that found the accept queue full tries again")

	flags.DurationVar(&l.warmup, "warmup", d.Warmup, "time before the trigger")
	flags.DurationVar(&l.stop, "stop", d.Trigger.For, "how long the server is stopped; 0 for no trigger")
	flags.DurationVar(&l.slowDown, "slow-down", 0, "how long the server takes --factor times as long, instead of --stop")
	flags.DurationVar(&l.spike, "spike", 0, "how long --factor times as many operations begin, instead of --stop")
	flags.Float64Var(&l.triggerFactor, "factor", 2, "of --slow-down or --spike")
	flags.DurationVar(&l.after, "after", d.After, "time after the trigger")
}

// config returns the configuration that the flags describe, but for what is the same
// with every experiment.
func (l *scenario) config(cmd *cobra.Command) (overload.Config, error) {
	given := cmd.Flags().Changed
	c, err := l.server.Config()
	if err != nil {
		return c, err
	}
	c.Clients = l.clients
	c.Think = l.think
	c.Timeout = l.timeout
	c.Network = l.network
	c.Budget = l.budget.maker()
	c.Processes = l.processes
	c.Failures = l.failures
	c.Accept = l.accept
	c.Reconnect = l.reconnect
	c.Warmup = l.warmup
	c.After = l.after

	switch {
	case given("rate") && (given("clients") || given("think")):
		return c, fmt.Errorf("--rate is given, and so are --clients or --think, want one kind of arrivals")
	case given("rate") && l.rate == 0:
		return c, fmt.Errorf("--rate is 0, want a value above 0")
	case given("rate"):
		c.Clients, c.Rate = 0, l.rate
	case l.clients == 0:
		return c, fmt.Errorf("--clients is 0, want 1 to 10000000, or --rate")
	}

	if given("latency-per-open") {
		for _, flag := range []string{"limit", "latency-factor", "latency-scale"} {
			if given(flag) {
				return c, fmt.Errorf("--latency-per-open is given, and so is --%s, want one kind of latency", flag)
			}
		}
		c.Latency = overload.LinearLatency{Base: l.server.Base, PerOpen: l.perOpen}
	}

	c.Trigger = overload.Trigger{Kind: overload.Stop, For: l.stop, Factor: 1}
	triggers := 0
	for _, t := range []struct {
		flag string
		kind overload.TriggerKind
		long time.Duration
	}{
		{"stop", overload.Stop, l.stop},
		{"slow-down", overload.SlowDown, l.slowDown},
		{"spike", overload.Spike, l.spike},
	} {
		if !given(t.flag) {
			continue
		}
		triggers++
		c.Trigger.Kind, c.Trigger.For = t.kind, t.long
	}
	if triggers > 1 {
		return c, fmt.Errorf("more than one of --stop, --slow-down and --spike is given, want one trigger")
	}
	if c.Trigger.Kind != overload.Stop {
		c.Trigger.Factor = l.triggerFactor
	} else if given("factor") {
		return c, fmt.Errorf("--factor is given, want it with --slow-down or --spike")
	}
	return c, nil
}

// fields are the flags of the fields of overload.Config.
func (l *scenario) fields(c overload.Config) map[string]string {
	flags := maps.Clone(flagOfField)
	maps.Copy(flags, serverflags.Fields)
	trigger := "--" + c.Trigger.Kind.String()
	flags["Trigger.For"] = trigger
	flags["Warmup + Trigger.For + After"] = "--warmup + " + trigger + " + --after"
	return flags
}

var flagOfField = map[string]string{
	"Processes":       "--processes",
	"Clients":         "--clients",
	"Think":           "--think",
	"Rate":            "--rate",
	"Timeout":         "--timeout",
	"Network":         "--network",
	"Latency.PerOpen": "--latency-per-open",
	"Failures":        "--failures",
	"Accept":          "--accept",
	"Reconnect":       "--reconnect",
	"Warmup":          "--warmup",
	"Trigger.Factor":  "--factor",
	"After":           "--after",
	"Reps":            "--reps",
	"Reps × seconds":  "--reps × seconds",
	"Workers":         "--workers",
}
