package overload

import (
	"fmt"
	"maps"
	"time"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/serverflags"
	"example.com/backoff/sim/overload"
)

// A scenario is the values of the flags about the clients, the server and the trigger.
type scenario struct {
	clients   int
	think     time.Duration
	rate      float64
	timeout   time.Duration
	network   time.Duration
	budget    budgetValue
	processes int

	server    serverflags.Flags
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

	flags.IntVar(&l.clients, "clients", d.Clients, "number of clients")
	flags.DurationVar(&l.think, "think", d.Think, "mean time that a client thinks between operations, exponentially distributed")
	flags.Float64Var(&l.rate, "rate", 0, "operations that begin in a second, at random, instead of --clients")
	flags.DurationVar(&l.timeout, "timeout", d.Timeout, "time after which a client abandons its request")
	flags.DurationVar(&l.network, "network", d.Network, "mean time of a request to the server, and of its answer back, exponentially distributed")
	flags.Var(&l.budget, "budget", "retry `budget` of each process, tokens,ratio such as 10,0.1")
	flags.IntVar(&l.processes, "processes", d.Processes, "number of processes that the clients run in, each with its own --budget")

	l.server.Add(cmd)
	flags.Float64Var(&l.failures, "failures", d.Failures, "share of requests that get an error response, in [0, 1]")
	flags.DurationVar(&l.accept, "accept", d.Accept, "time that the server takes to accept a request from the queue")
	flags.DurationVar(&l.reconnect, "reconnect", d.Reconnect, "time within which a request that found the accept queue full tries again")

	flags.DurationVar(&l.warmup, "warmup", d.Warmup, "time before the outage or other trigger")
	flags.DurationVar(&l.stop, "stop", d.Trigger.For, "time that the server is stopped, the outage; 0 for no trigger")
	flags.DurationVar(&l.slowDown, "slow-down", 0, "time during which the latency is --trigger-factor times as long, instead of --stop")
	flags.DurationVar(&l.spike, "spike", 0, "time during which --trigger-factor times as many operations begin, instead of --stop")
	flags.Float64Var(&l.triggerFactor, "trigger-factor", 2, "factor of --slow-down or --spike")
	flags.DurationVar(&l.after, "after", d.After, "time after the outage or other trigger, to recover")
}

// config returns the configuration that the flags describe, without the fields that every
// experiment has.
func (l *scenario) config(cmd *cobra.Command) (overload.Config, error) {
	given := cmd.Flags().Changed
	rules, err := l.server.Rules(cmd)
	if err != nil {
		return overload.Config{}, err
	}
	c, err := rules.Config()
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
	case l.clients < 1 || l.clients > 10_000_000:
		return c, fmt.Errorf("--clients is %d, want 1 to 10000000, or --rate", l.clients)
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
	} else if given("trigger-factor") {
		return c, fmt.Errorf("--trigger-factor is given, want it with --slow-down or --spike")
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
	"Processes":      "--processes",
	"Clients":        "--clients",
	"Think":          "--think",
	"Rate":           "--rate",
	"Timeout":        "--timeout",
	"Network":        "--network",
	"Failures":       "--failures",
	"Accept":         "--accept",
	"Reconnect":      "--reconnect",
	"Warmup":         "--warmup",
	"Trigger.Factor": "--trigger-factor",
	"After":          "--after",
	"Reps":           "--reps",
	"Reps × seconds": "--reps × seconds",
	"Workers":        "--workers",
}
