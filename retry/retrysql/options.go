package retrysql

import (
	"database/sql"
	"math/rand/v2"

	"example.com/backoff/internal/argument"
	"example.com/backoff/retry"
)

// An Option of [Tx]. If several set one thing, the last counts, except that [Retry]
// adds. The zero Option sets nothing.
type Option struct{ set func(config) config }

// config is what the options of one call amount to.
type config struct {
	retry      []retry.Option
	txOptions  *sql.TxOptions // nil: the driver's
	idempotent bool
	keepDelays bool
	draw       func() func(n uint64) uint64 // a uniform number in [0, n)
}

// newConfig gathers options.
func newConfig(opts []Option) config {
	c := config{draw: func() func(uint64) uint64 { return rand.Uint64N }}
	for _, o := range opts {
		if o.set != nil {
			c = o.set(c)
		}
	}
	return c
}

// Retry passes options on to the runner, see package retry. With retry.If the
// caller decides itself what is retried, and [Retryable] is not asked:
//
//	retrysql.Retry(retry.If(func(err error) bool {
//		return retrysql.Retryable(err) || errors.Is(err, errStale)
//	}))
//
// A commit whose outcome is unknown is not retried for that; [Idempotent] is what
// allows it.
func Retry(opts ...retry.Option) Option {
	return Option{func(c config) config {
		c.retry = append(c.retry[:len(c.retry):len(c.retry)], opts...)
		return c
	}}
}

// TxOptions begins each transaction with an isolation level, or read-only. Unless
// set both are the driver's own choice.
func TxOptions(opts sql.TxOptions) Option {
	return Option{func(c config) config {
		c.txOptions = &opts
		return c
	}}
}

// Idempotent says that a transaction which took place may take place a second time:
// after a commit whose outcome is unknown it is tried again, if the commit's error
// is [Retryable].
func Idempotent() Option {
	return Option{func(c config) config {
		c.idempotent = true
		return c
	}}
}

// KeepDelays waits for exactly the delays of the schedule, after a [Conflict] too,
// where Tx otherwise takes full jitter. It is for a schedule that is jittered as it
// ought to be.
func KeepDelays() Option {
	return Option{func(c config) config {
		c.keepDelays = true
		return c
	}}
}

// WithSeed makes the jitter after a [Conflict] replayable: each call draws from a
// [rand.PCG] of its own that starts from seed. It does nothing to the randomness of
// the schedule.
func WithSeed(seed uint64) Option {
	return Option{func(c config) config {
		c.draw = func() func(uint64) uint64 { return rand.New(rand.NewPCG(seed, 0)).Uint64N }
		return c
	}}
}

// reject panics about one argument.
func reject(function, name string, got any, want string) {
	argument.Reject("retrysql", function, name, got, want)
}
