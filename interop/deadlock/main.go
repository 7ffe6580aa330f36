// Command deadlock compares schedules by what they make of transactions that fail
// for each other's sake on a real database.
//
//	GOWORK=off go -C interop run ./deadlock --db sqlite|postgres|mysql [flags] ['EXPR' ...]
//
// In each round all workers start at once, and each has to commit a transaction
// that changes the same two rows as those of all others; package contest tells how
// the transactions of a mode fail. What fails is run again by retrysql.Tx, after
// the delays of one schedule, until all are committed. A row of the table is one
// schedule: how many transactions were tried, how many failed and by which code, how
// long it took until the last was committed, and how many were committed in a
// second. Each figure is the median of the rounds, with the least and the most for
// the time. The rounds of the schedules take turns, so that what else the machine
// does meets all of them.
//
// Without an EXPR, which is a schedule as package expr reads it, five schedules of
// one base are compared: no jitter, full, equal, top 25 % and decorrelated jitter.
//
// retrysql.Tx would take full jitter after every such failure, whatever the schedule
// says. That rule is off here, for it would make of all schedules one; --oslo turns
// it on.
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

// run is the command without its process.
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

// A comparison is what the command line asks for.
type comparison struct {
	contest.Settings
	schedules []schedule
	rounds    int
	timeout   time.Duration // of a round
	oslo      bool
}

type schedule struct {
	name string // of the default set
	expr *expr.Expr
}

func parse(args []string, stdout io.Writer) (*comparison, error) {
	var (
		c     comparison
		flags = flag.NewFlagSet("deadlock", flag.ContinueOnError)
		mode  string
		base  time.Duration
	)
	flags.SetOutput(io.Discard) // a bad flag is one line, which the caller writes
	flags.StringVar(&c.Database, "db", "sqlite", "the database: sqlite, postgres or mysql")
	flags.StringVar(&c.DSN, "dsn", "", "its data source name; sqlite: a temporary file, the servers: as in the tests")
	flags.StringVar(&mode, "mode", string(contest.Deadlock), "how transactions fail: deadlock, conflict or nowait")
	flags.IntVar(&c.Workers, "workers", 16, "how many update at the same time")
	flags.IntVar(&c.Transactions, "transactions", 1, "how many each of them has to commit")
	flags.DurationVar(&c.Hold, "hold", time.Millisecond, "the time between the two steps of a transaction")
	flags.DurationVar(&base, "base", 0, "the base of the five schedules; 1s for deadlocks of postgres, 10ms otherwise")
	flags.IntVar(&c.rounds, "rounds", 5, "how often each schedule is tried")
	flags.DurationVar(&c.timeout, "timeout", time.Minute, "the longest that a round may take")
	flags.BoolVar(&c.oslo, "oslo", false, "full jitter after every conflict, whatever the schedule, as retrysql.Tx has it by default")
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
		return nil, errors.New("--base is for the five schedules, and an EXPR has its own")
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

// baseFor returns the base of the five schedules: not less than the time in which
// the engine notices.
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

// fiveOf returns the schedules that are compared by default. Their limit is 32 bases.
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
			panic(err) // the texts are ours
		}
		set = append(set, schedule{s.name, e})
	}
	return set
}
