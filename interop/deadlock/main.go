// Command deadlock compares schedules for transactions that conflict on a real
// database. Use it to choose the schedule of retrysql.Tx.
//
//	GOWORK=off go -C interop run ./deadlock --db sqlite|postgres|mysql [flags] ['EXPR' ...]
//
// In each round all workers start at once, and each commits a transaction that changes
// the same two rows as the transactions of the others. Package contest describes how
// the transactions of each mode fail. retrysql.Tx runs a failed transaction again after
// the delays of one schedule, until all are committed.
//
// Each row of the table is one schedule: how many transactions were tried, how many
// failed and with which codes, the time until the last commit, and the commits per
// second. The figures are medians of the rounds, with min and max for the time. The
// schedules take turns, so that other load on the machine affects all of them.
//
// An EXPR is a schedule as package expr reads it. Without one, the command compares
// five schedules of one base: no jitter, full, equal, top 25 % and decorrelated jitter.
//
// By default retrysql.Tx takes full jitter of any schedule after such a failure. The
// command turns that rule off, because all schedules would be alike; --oslo turns it
// on.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.com/backoff/expr"
	"example.com/backoff/interop/contest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Statuses of the command.
const (
	ok       = 0
	failed   = 1
	badUsage = 2
)

// run runs the command and returns its status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return ok
	case err != nil:
		fmt.Fprintln(stderr, "deadlock:", oneLine(err))
		return badUsage
	}
	if err := c.run(ctx, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "deadlock:", oneLine(err))
		return failed
	}
	return ok
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// A comparison is the parsed command line.
type comparison struct {
	contest.Settings
	schedules []schedule
	rounds    int
	timeout   time.Duration // of a round
	oslo      bool
}

type schedule struct {
	name string // in the default set, otherwise empty
	expr *expr.Expr
}

func parse(args []string, stdout io.Writer) (*comparison, error) {
	var (
		c     comparison
		flags = flag.NewFlagSet("deadlock", flag.ContinueOnError)
		mode  string
		base  time.Duration
	)
	flags.SetOutput(io.Discard) // the caller writes a bad flag in one line
	flags.StringVar(&c.Database, "db", "sqlite", "database: sqlite, postgres or mysql")
	flags.StringVar(&c.DSN, "dsn", "", "data source name (default: a temporary file for sqlite, the servers of the tests for the others)")
	flags.StringVar(&mode, "mode", string(contest.Deadlock), "how transactions fail: deadlock, conflict or nowait")
	flags.IntVar(&c.Workers, "workers", 16, "workers that update at the same time")
	flags.IntVar(&c.Transactions, "transactions", 1, "transactions that each worker commits")
	flags.DurationVar(&c.Hold, "hold", time.Millisecond, "time between the two steps of a transaction")
	flags.DurationVar(&base, "base", 0, "base of the five schedules (default: 1s for deadlocks of postgres, otherwise 10ms)")
	flags.IntVar(&c.rounds, "rounds", 5, "rounds of each schedule")
	flags.DurationVar(&c.timeout, "timeout", time.Minute, "time limit of a round")
	flags.BoolVar(&c.oslo, "oslo", false, "full jitter after every conflict, as retrysql.Tx does by default")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: deadlock --db sqlite|postgres|mysql [flags] ['EXPR' ...]")
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return nil, err
	}
	c.Mode = contest.Mode(mode)
	switch {
	case c.rounds < 1:
		return nil, fmt.Errorf("--rounds is %d, want >= 1", c.rounds)
	case c.timeout <= 0:
		return nil, fmt.Errorf("--timeout is %v, want > 0", c.timeout)
	case base < 0:
		return nil, fmt.Errorf("--base is %v, want > 0", base)
	case base > 0 && flags.NArg() > 0:
		return nil, errors.New("--base is for the five default schedules; write the base in each EXPR")
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	if flags.NArg() == 0 {
		c.schedules = fiveOf(baseFor(base, c.Settings))
		return &c, nil
	}
	for _, text := range flags.Args() {
		e, err := expr.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		c.schedules = append(c.schedules, schedule{expr: e})
	}
	return &c, nil
}

// baseFor returns the base of the five schedules: at least the time that the engine
// takes to detect the conflict.
func baseFor(base time.Duration, s contest.Settings) time.Duration {
	switch {
	case base > 0:
		return base
	case s.Database == "postgres" && s.Mode == contest.Deadlock:
		return time.Second // its deadlock_timeout
	default:
		return 10 * time.Millisecond
	}
}

// fiveOf returns the default schedules. Their limit is 32 times the base.
func fiveOf(base time.Duration) []schedule {
	var set []schedule
	for _, s := range []struct{ name, text string }{
		{"no jitter", "exponential(%[1]v, 2) | cap(%[2]v)"},
		{"full", "full-jitter(%[1]v, %[2]v)"},
		{"equal", "equal-jitter(%[1]v, %[2]v)"},
		{"top 25 %", "top-jitter(%[1]v, %[2]v, 0.25)"},
		{"decorrelated", "decorrelated-jitter(%[1]v, %[2]v)"},
	} {
		e, err := expr.Parse(fmt.Sprintf(s.text, base, 32*base))
		if err != nil {
			panic(err) // the texts are constants
		}
		set = append(set, schedule{s.name, e})
	}
	return set
}
