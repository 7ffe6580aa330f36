// Package plan has the command that predicts what a schedule will do, or finds its
// parameters.
package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/chart"
	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/forecast"
	"example.com/backoff/cmd/backoff/internal/present"
	"example.com/backoff/cmd/backoff/internal/solve"
	"example.com/backoff/expr"
)

// New returns the command.
func New() *cobra.Command {
	var p forecast.Params
	var o present.Flags
	known := solve.Parameters{Limit: backoff.NoLimit}
	cmd := &cobra.Command{
		Use:        "plan [EXPR...]",
		Short:      "Predict what a schedule will do, or find its parameters",
		SuggestFor: []string{"predict", "forecast"},
		Long:       planLong,
		Example:    planExample,
		Args: func(cmd *cobra.Command, args []string) error {
			return wantPlannable(cmd.Flags(), args)
		},
		ValidArgsFunction: cli.CompleteExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Asked = changed(cmd.Flags())
			known.Set, known.Retries = p.Asked, p.Retries
			if len(args) == 0 {
				if err := o.CheckFormat("plan"); err != nil {
					return err
				}
				return known.Write(cmd.OutOrStdout(), o.Format)
			}
			if err := check(&p, &o); err != nil {
				return err
			}
			exprs, err := cli.ParseExprs(args)
			if err != nil {
				return err
			}
			return answer(cmd.OutOrStdout(), exprs, &p, &o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.IntVarP(&p.Retries, "retries", "n", 12, "how many retries to show, at most; without an expression, how many there are")
	flags.DurationVar(&p.Deadline, "deadline", 0, "how many attempts fit within this time?")
	flags.IntVar(&p.Clients, "clients", 0, "how many retries do this many clients send that fail together?")
	flags.Float64Var(&p.Fail, "fail", 0, "how many attempts does a request make if each fails with this probability?")
	flags.DurationVar(&p.AttemptTime, "attempt-time", 0, "how long each attempt lasts")
	flags.DurationVar(&p.Bin, "bin", 0, "count the retries of --clients in bins of this length (default: a round one, for less than 60 bins)")
	flags.Float64SliceVar(&p.Quantiles, "quantiles", []float64{0.05, 0.5, 0.95}, "show these quantiles of a random schedule, a `list`")
	flags.Lookup("quantiles").DefValue = "0.05,0.5,0.95"
	flags.BoolVar(&p.Compare, "compare", false, "compare two expressions or more")
	p.Sample.AddFlags(cmd)
	addParameterFlags(&known, flags)
	o.AddFlags(cmd)
	return cmd
}

// changed returns the names of the flags that the command line sets.
func changed(flags *pflag.FlagSet) map[string]bool {
	names := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) { names[f.Name] = true })
	return names
}

// wantPlannable checks that there is an expression, several with --compare, or parameters.
func wantPlannable(flags *pflag.FlagSet, args []string) error {
	asked := changed(flags)
	about := func(names []string) string {
		for _, name := range names {
			if asked[name] {
				return name
			}
		}
		return ""
	}
	switch parameter := about(onlyParameters); {
	case len(args) > 0 && parameter != "":
		return fmt.Errorf("plan: --%s and an expression, want one or the other: the parameters of %q are in it",
			parameter, args[0])
	case len(args) == 0 && asked["compare"]:
		return fmt.Errorf("plan: --compare and no expression, want two or more")
	case len(args) == 1 && asked["compare"]:
		return fmt.Errorf("plan: --compare and one expression, want two or more")
	case len(args) > 1 && !asked["compare"]:
		return fmt.Errorf("plan: %d expressions, want one, or --compare to compare them", len(args))
	case len(args) > 0:
		return nil
	case parameter == "" && !asked["retries"]:
		return fmt.Errorf("plan: no expression, want one such as 'full-jitter(100ms, 10s)', " +
			"or parameters such as --base 1s --factor 2 --retries 10")
	}
	if question := about(onlyExpressions); question != "" {
		return fmt.Errorf("plan: --%s and no expression, want one such as 'full-jitter(100ms, 10s)'", question)
	}
	return nil
}

// onlyExpressions are the flags that need an expression.
var onlyExpressions = []string{
	"deadline", "clients", "fail", "attempt-time", "bin", "quantiles", "draws", "seed", "log", "picture", "png", "svg",
}

// mostClients keeps a load a number that can be read.
const mostClients = 1_000_000_000

func check(p *forecast.Params, o *present.Flags) error {
	if err := p.Check("plan", p.Asked["draws"]); err != nil {
		return err
	}
	for _, q := range p.Quantiles {
		if !(q >= 0 && q <= 1) {
			return fmt.Errorf("plan: --quantiles has %v, want numbers in [0, 1]", q)
		}
	}
	slices.Sort(p.Quantiles)
	p.Quantiles = slices.Compact(p.Quantiles)
	switch {
	case p.Asked["deadline"] && p.Deadline <= 0:
		return fmt.Errorf("plan: --deadline is %s, want more than 0", digits.Exact(p.Deadline))
	case p.Asked["clients"] && (p.Clients < 1 || p.Clients > mostClients):
		return fmt.Errorf("plan: --clients is %d, want a whole number in [1, %d]", p.Clients, mostClients)
	case p.Asked["fail"] && !(p.Fail >= 0 && p.Fail <= 1):
		return fmt.Errorf("plan: --fail is %v, want a probability in [0, 1]", p.Fail)
	case p.AttemptTime < 0:
		return fmt.Errorf("plan: --attempt-time is %s, want at least 0", digits.Exact(p.AttemptTime))
	case p.Asked["bin"] && p.Bin <= 0:
		return fmt.Errorf("plan: --bin is %s, want more than 0", digits.Exact(p.Bin))
	case p.Asked["bin"] && !p.Asked["clients"]:
		return fmt.Errorf("plan: --bin and no --clients, want --clients too: a bin counts their retries")
	}
	if err := o.CheckFormat("plan"); err != nil {
		return err
	}
	if o.Format == "csv" && p.Asked["fail"] {
		return fmt.Errorf("plan: --fail and --format csv, want --format table or json: CSV has only retries")
	}
	return nil
}

func answer(w io.Writer, exprs []*expr.Expr, p *forecast.Params, o *present.Flags) error {
	forecasts, err := forecast.New(exprs, p)
	if err != nil {
		return err
	}
	f := forecast.Figure(forecasts, p, o.Scale)
	if err := o.WritePictures(f); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	switch {
	case o.Format == "csv":
		return forecast.WriteCSV(w, forecasts, p)
	case o.Format == "json":
		return forecast.WriteJSON(w, forecasts, p)
	case p.Compare:
		err = forecast.WriteComparison(w, forecasts, p)
	default:
		err = forecast.Write(w, forecasts[0], p)
	}
	if err != nil {
		return err
	}
	return chart.Write(w, f)
}

const planExample = `  backoff plan 'full-jitter(100ms, 10s) | take(8)'
  backoff plan 'full-jitter(100ms, 10s)' --deadline 30s --clients 10000 --fail 0.5
  backoff plan 'exponential(100ms, 2) | jitter(1) | cap(10s)' -n 10
  backoff plan 'constant(1s) | take(5)' --attempt-time 200ms --quantiles 0.5,0.99
  backoff plan --compare 'full-jitter(100ms, 10s)' 'constant(1s)' --clients 10000
  backoff plan --base 1s --elapsed 1000s --ratio 0.1
  backoff plan --base 1s --factor 2 --elapsed 1000s --compare-factor 1.1
  backoff plan --retries 8 --elapsed 30s --base 1s --limit 10s`

var planLong = strings.TrimSpace(`
Predict what a schedule will do, or find the parameters that it needs.

With an expression, plan answers the questions that you ask, and then shows a
table and a chart of the delays:

    --deadline 30s   how many attempts fit within 30s? A retry at exactly 30s
                     counts.
    --clients 10000  how many retries do 10000 clients send that fail
                     together, as in an outage, and how many of them come at
                     once?
    --fail 0.5       how many attempts does a request make if each fails with
                     probability 0.5, and how often does it succeed? With
                     --deadline it makes the attempts that fit.

A random schedule is simulated with many clients, the draws: the table has the
mean and the quantiles of these. They are the same at every call, until you
change --seed; more --draws make them more accurate. If there are too many
draws to hold enough retries in memory, plan uses fewer and says so. Max is the
largest of the draws, and not a bound. Plan warns if clients wait for exactly
the same delay, because they come back as a thundering herd. Often the cause is
a cap after the jitter.

--clients counts the retries in the busiest instant, 1ms, 10ms, 100ms and 1s:
the expected number, of which a single outage has a few more. The windows
slide, and a share of clients that wait for exactly the same delay counts in
full. The chart has the retries per second, averaged over each bin, and a spike
for retries at the same instant.

With --compare, plan tells which of several schedules is the best at each
question. The best in a column has a *.

Without an expression, plan does the arithmetic of exponential backoff without
jitter, base, base·factor, base·factor², ...: give the parameters that you
know, and plan finds the others, with the formulas.

    --base     the first delay (initial delay)
    --factor   the ratio of each delay to the one before (multiplier)
    --ratio    each delay as a share of the elapsed time: factor - 1
    --retries  the number of retries (max retries)
    --elapsed  the time from the first attempt to the last retry
    --delay    the delay after that retry
    --limit    the largest delay (max delay); none unless given

Any three of base, factor (or ratio), retries, elapsed and delay determine the
others. Base, factor, retries and elapsed together determine the limit.
--compare-factor tells by how much another factor multiplies the retries.
Attempts take no time in these formulas.

Retry n is attempt n+1. Elapsed is the time from the start of the first
attempt to the start of the retry; --attempt-time is how long each attempt
lasts.

With --format csv or json, times are exact numbers of seconds. JSON has an
array with an object for each schedule:

    expression    the schedule
    random        whether any of the numbers is estimated from draws
    draws, seed   how many draws there are, 1 if nothing is random, and their
                  seed
    attempt_time  that of --attempt-time
    goes_on       whether some draw has more retries than these
    retries       an array with an object for each retry, below
    warnings      an array of sentences
    within        of --deadline: deadline; min, mean and max of the number of
                  attempts that fit; at_least, the probability that 0, 1, 2,
                  ... fit; open, the share of draws in which more might fit,
                  because plan examined no more
    load          of --clients: clients; bin, the length of each bin;
                  per_second, the retries per second in each bin, from 0 on;
                  most, the busiest windows: within, their length, 0 for an
                  instant, at, when each begins, retries, and error, the
                  standard error of these; peak, the busiest bins, as many as
                  it takes to hold enough draws: at, bin, their length,
                  per_second and error; stops_at, the time from which on plan
                  examined no more retries, if any are missing
    cost          of --fail, and within --deadline if that is given: fail;
                  attempts of a request on average, null if
                  it has no end; success, its probability; stopped_after, the
                  retry at which it is taken to end, because plan examined no
                  more

and each retry has

    retry    its number, from 1
    reached  the share of the draws that have it, in (0, 1]
    delay    min, mean, quantiles (p5, p50, p95) and max of the delay before
             it
    elapsed  min, mean, quantiles and max of the time until it
    alike    the delay that the largest share of clients wait for, and that
             share; missing if they are equal by chance

CSV has a line for each retry, with the columns expression, retry, reached,
delay_min, delay_mean, delay_p5, ..., delay_max, elapsed_min, ...,
elapsed_max, alike (a share, or 0), alike_delay, and fits, the share of
clients for which the retry fits within --deadline. With --clients it has the
load instead: expression; what, which is bin or most; at, when it begins;
within, how long it is; retries; and error.

Without an expression, CSV has a line for each parameter that follows, with
name, value (in seconds if it is a time; empty, in JSON null, from 292 years
on), formula, and filled, the formula with the numbers. JSON has an object
with given, the parameters that you gave, answers, those that follow, and
expression, the schedule.

A picture has the same curves as the chart.`)
