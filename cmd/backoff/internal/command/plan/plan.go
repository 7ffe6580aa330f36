// Package plan is the command that tells what a schedule will do, or which parameters it
// needs.
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
		Use:     "plan [EXPR...]",
		Short:   "Tell what a schedule will do, or which parameters it needs",
		Long:    planLong,
		Example: planExample,
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
	flags.IntVarP(&p.Retries, "retries", "n", 12, "how many retries to look at, at most; or how many there are")
	flags.DurationVar(&p.Deadline, "deadline", 0, "how many attempts fit within this time?")
	flags.IntVar(&p.Clients, "clients", 0, "what do so many clients do that fail together?")
	flags.Float64Var(&p.Fail, "fail", 0, "what does a request cost if an attempt fails with this probability?")
	flags.DurationVar(&p.AttemptTime, "attempt-time", 0, "how long an attempt lasts")
	flags.DurationVar(&p.Bin, "bin", 0, "count the retries of --clients in steps of this time (default: a round time, at most 60 bins in all)")
	flags.Float64SliceVar(&p.Quantiles, "quantiles", []float64{0.05, 0.5, 0.95}, "the quantiles of a random schedule to show, a `list`")
	flags.Lookup("quantiles").DefValue = "0.05,0.5,0.95"
	flags.BoolVar(&p.Compare, "compare", false, "set two expressions or more side by side")
	p.Sample.AddFlags(cmd)
	addParameterFlags(&known, flags)
	o.AddFlags(cmd)
	flags.Lookup("log").Usage = "draw on a logarithmic axis"
	flags.Lookup("png").Usage = "draw the chart into this PNG `file`"
	flags.Lookup("svg").Usage = "draw the chart into this SVG `file`"
	return cmd
}

// changed returns the names of the flags that the command line sets.
func changed(flags *pflag.FlagSet) map[string]bool {
	names := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) { names[f.Name] = true })
	return names
}

// wantPlannable is the check of what plan is asked about: an expression, several of
// them, or parameters.
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
		return fmt.Errorf("plan: %d expressions, want one, or --compare to set them side by side", len(args))
	case len(args) > 0:
		return nil
	case parameter == "" && !asked["retries"]:
		return fmt.Errorf("plan: no expression, want one such as 'full-jitter(100ms, 10s)', " +
			"or what is known, such as --base 1s --factor 2 --retries 10")
	}
	if question := about(onlyExpressions); question != "" {
		return fmt.Errorf("plan: --%s and no expression, want one such as 'full-jitter(100ms, 10s)'", question)
	}
	return nil
}

// onlyExpressions are the flags that go with an expression alone.
var onlyExpressions = []string{
	"deadline", "clients", "fail", "attempt-time", "bin", "quantiles", "draws", "seed", "log", "png", "svg",
}

// mostClients keeps a load a number that can be read.
const mostClients = 1_000_000_000

func check(p *forecast.Params, o *present.Flags) error {
	if err := p.Check("plan"); err != nil {
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
		return fmt.Errorf("plan: --bin and no --clients, want how many: it is their retries that are counted")
	}
	if err := o.CheckFormat("plan"); err != nil {
		return err
	}
	for _, question := range []string{"clients", "fail"} {
		if o.Format == "csv" && p.Asked[question] {
			return fmt.Errorf("plan: --%s and --format csv, want --format table or json: CSV has the retries alone", question)
		}
	}
	return nil
}

func answer(w io.Writer, exprs []*expr.Expr, p *forecast.Params, o *present.Flags) error {
	forecasts, err := forecast.New(exprs, p)
	if err != nil {
		return err
	}
	f := forecast.Figure(forecasts, p, o.Logarithmic)
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
  backoff plan --compare 'full-jitter(1s, 1m)' 'smooth-jitter(1s, 1m)' --clients 10000 --deadline 5m --log
  backoff plan --base 1s --elapsed 1000s --ratio 0.1
  backoff plan --base 1s --factor 2 --elapsed 1000s --compare-factor 1.1
  backoff plan --retries 8 --elapsed 30s --base 1s --limit 10s`

var planLong = strings.TrimSpace(`
Tell what a schedule will do before it is used, or which parameters it needs.

Of an expression there is a table of retry, delay and elapsed time, and answers:

    --deadline 30s    how many attempts fit within 30s?
    --clients 10000   how many retries a second do 10000 clients make that fail
                      together?
    --fail 0.5        how many attempts does a request make if one fails with
                      probability 0.5, and does it succeed?

A schedule that is random is drawn from many times: the table then has the mean
and the quantiles of what was drawn. It is the same at every call, until --seed
changes it. A warning says where clients wait for exactly the same delay, which
is what jitter is there to prevent: often a cap that stands after it.

With --compare two expressions or more stand side by side.

Without an expression plan does the arithmetic of base, base·factor, base·factor²,
...: give what you know, and get what you do not, with the formula.

    --base            the first delay
    --factor          how many times the delay before it each delay is
    --ratio           factor - 1: what share of the time gone by a delay is
    --retries         how many there are
    --elapsed         the time from the first attempt to the last of the retries
    --delay           the delay that would follow then
    --limit           the largest delay; none unless given

Three of base, factor or ratio, retries, elapsed and delay have the others follow.
From base, factor, retries and elapsed together follows the limit. Elapsed times
are those of attempts that last no time. --compare-factor says what another
factor costs in retries.

Retry n is attempt n+1. Elapsed is the time from the start of the first attempt
to that of the retry; --attempt-time is how long each attempt lasts.

With --format csv or json all times are exact numbers of seconds. Each retry has

    retry        its number, from 1
    reached      the share of the draws that have it, in (0, 1]
    delay        min, mean, quantiles and max of the delay before it
    elapsed      min, mean, quantiles and max of the time until it
    alike        the largest share of clients that wait for exactly one delay, and
                 not by chance, and that delay; 0, or nothing in JSON, where there
                 is none
    fits         the share of clients for whom it fits within --deadline; in CSV,
                 where JSON has at_least, below

which are delay_min, delay_mean, delay_p5, ..., delay_max, elapsed_min, ..., alike,
alike_delay and fits in CSV, after a column expression; of --clients and --fail CSV
has nothing. In JSON delay and elapsed are objects with min, mean, p5, ..., max, and
each schedule is an object with expression, random, draws, seed, attempt_time,
goes_on (some draw has more retries than these), retries, warnings, and as far as
they are asked for

    within       deadline; min, mean and max of the number of attempts that fit;
                 at_least, the probability that 0, 1, 2, ... fit; open, the share
                 of draws in which more might fit than were looked at
    load         clients; per_second, the retries per second in each of the bins
                 that follow one another from 0 on; bin, how long they are; peak,
                 the time with the most: at, when it begins, bin, how long it is,
                 which is long enough for it to hold many of the draws, per_second,
                 and error, the standard error of that, 0 if it is exact; stops_at,
                 the time beyond which nothing was looked at, if less was than was
                 asked for
    cost         fail; attempts of a request, on average, or null if it does not
                 end; success, its probability; stopped_after, the retry at which
                 it is taken to end, if any

Of parameters CSV has a line, and JSON an object in answers, for each that follows,
with name, value (seconds where it is a time, and nothing or null where that is 292
years or more), formula and filled, which is the formula with the numbers in it.
JSON has those given as an object, given, and expression, the schedule with all of
them.

--png and --svg draw what the chart has: retries per second over time where
--clients are asked about, and else delay by retry.`)
