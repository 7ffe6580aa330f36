package overload

import (
	"fmt"
	"maps"
	"time"

	"github.com/spf13/cobra"

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

	base      time.Duration
	limit     int
	factor    float64
	scale     float64
	perOpen   time.Duration
	poll      time.Duration
	abandoned string
	failures  float64
	queue     int
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
	latency := d.Latency.(overload.ExponentialLatency)
	flags := cmd.Flags()
	flags.SortFlags = false

	flags.IntVar(&l.clients, "clients", d.Clients, "how many clients there are")
	flags.DurationVar(&l.think, "think", d.Think, "mean time that a client thinks, exponentially distributed")
	flags.Float64Var(&l.rate, "rate", 0, "operations that begin a second, at random, instead of --clients")
	flags.DurationVar(&l.timeout, "timeout", d.Timeout, "when a client abandons its request")
	flags.DurationVar(&l.network, "network", d.Network, "mean time that a request is on its way, and an answer too, exponentially distributed")
	flags.Var(&l.budget, "budget", "retry `budget` of a process, tokens,ratio such as 10,0.1")
	flags.IntVar(&l.processes, "processes", d.Processes, "how many processes the clients are in, each with its --budget")

	flags.DurationVar(&l.base, "base-latency", latency.Base, "the server's latency with few open requests")
	flags.IntVar(&l.limit, "limit", latency.Limit, "open requests up to which the latency stays there")
	flags.Float64Var(&l.factor, "latency-factor", latency.Factor, "how much longer it is ...")
	flags.Float64Var(&l.scale, "latency-scale", latency.Scale, "... for so many more open requests")
	flags.DurationVar(&l.perOpen, "latency-per-open", 0, "how much longer it is for each open request, instead of the three above")
	flags.DurationVar(&l.poll, "poll", d.Poll, "how often the server looks at a request again; 0 for never")
	flags.StringVar(&l.abandoned, "abandoned", d.Abandoned.String(), "whether the server goes on serving requests whose client has given up, `keep`, or not, drop")
	flags.Float64Var(&l.failures, "failures", d.Failures, "share of requests that are answered by an error, in [0, 1]")
	flags.IntVar(&l.queue, "queue", d.Queue, "requests that the accept queue holds")
	flags.DurationVar(&l.accept, "accept", d.Accept, "time to take a request out of it")
	flags.DurationVar(&l.reconnect, "reconnect", d.Reconnect, "within which a request that found it full tries again")

	flags.DurationVar(&l.warmup, "warmup", d.Warmup, "time before the trigger")
	flags.DurationVar(&l.stop, "stop", d.Trigger.For, "how long the server is stopped; 0 for no trigger")
	flags.DurationVar(&l.slowDown, "slow-down", 0, "how long the server takes --factor times as long, instead of --stop")
	flags.DurationVar(&l.spike, "spike", 0, "how long --factor times as many operations begin, instead of --stop")
	flags.Float64Var(&l.triggerFactor, "factor", 2, "of --slow-down or --spike")
	flags.DurationVar(&l.after, "after", d.After, "time after the trigger")

	complete := cobra.FixedCompletions([]cobra.Completion{"keep", "drop"}, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("abandoned", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
}

// config returns the configuration that the flags describe, but for what is the same
// with every experiment.
func (l *scenario) config(cmd *cobra.Command) (overload.Config, error) {
	given := cmd.Flags().Changed
	c := overload.Default()
	c.Clients = l.clients
	c.Think = l.think
	c.Timeout = l.timeout
	c.Network = l.network
	c.Budget = l.budget.maker()
	c.Processes = l.processes
	c.Poll = l.poll
	c.Failures = l.failures
	c.Queue = l.queue
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

	c.Latency = overload.ExponentialLatency{Base: l.base, Limit: l.limit, Factor: l.factor, Scale: l.scale}
	if given("latency-per-open") {
		for _, flag := range []string{"limit", "latency-factor", "latency-scale"} {
			if given(flag) {
				return c, fmt.Errorf("--latency-per-open is given, and so is --%s, want one kind of latency", flag)
			}
		}
		c.Latency = overload.LinearLatency{Base: l.base, PerOpen: l.perOpen}
	}

	switch l.abandoned {
	case overload.Keep.String():
		c.Abandoned = overload.Keep
	case overload.Drop.String():
		c.Abandoned = overload.Drop
	default:
		return c, fmt.Errorf("--abandoned is %q, want keep or drop", l.abandoned)
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
	"Latency.Base":    "--base-latency",
	"Latency.Limit":   "--limit",
	"Latency.Factor":  "--latency-factor",
	"Latency.Scale":   "--latency-scale",
	"Latency.PerOpen": "--latency-per-open",
	"Poll":            "--poll",
	"Failures":        "--failures",
	"Queue":           "--queue",
	"Accept":          "--accept",
	"Reconnect":       "--reconnect",
	"Warmup":          "--warmup",
	"Trigger.Factor":  "--factor",
	"After":           "--after",
	"Reps":            "--reps",
	"Reps × seconds":  "--reps × seconds",
	"Workers":         "--workers",
}
