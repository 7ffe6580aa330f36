package retrysql

import (
	"database/sql"
	"math/rand/v2"

	"example.com/backoff/internal/argument"
	"example.com/backoff/retry"
)

// An Option of [Tx]. If several options set one thing, the last one wins, except that
// [Retry] adds to earlier ones. The zero Option sets nothing.
type Option struct{ set func(config) config }

// config is the sum of the options of one call.
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

// Retry passes options of package retry on, such as retry.MaxElapsed, retry.WithLogger or
// retry.AttemptTimeout. With retry.If your function decides which errors are retried
// instead of [Retryable]:
//
//	retrysql.Retry(retry.If(func(err error) bool {
//		return retrysql.Retryable(err) || errors.Is(err, errStale)
//	}))
//
// Even then a commit with an unknown outcome is not retried without [Idempotent].
func Retry(opts ...retry.Option) Option {
	return Option{func(c config) config {
		c.retry = append(c.retry[:len(c.retry):len(c.retry)], opts...)
		return c
	}}
}

// TxOptions sets the isolation level of each transaction, or makes it read-only. Default:
// the driver's.
func TxOptions(opts sql.TxOptions) Option {
	return Option{func(c config) config {
		c.txOptions = &opts
		return c
	}}
}

// Idempotent retries a transaction after a commit with an unknown outcome, if the error of
// the commit is [Retryable]. Use it only if the transaction may take place twice, such as
// one that sets a value, or inserts a row under a key that the caller chose.
func Idempotent() Option {
	return Option{func(c config) config {
		c.idempotent = true
		return c
	}}
}

// KeepDelays waits for exactly the delays of the schedule, also after a [Conflict], where
// Tx otherwise takes full jitter. Use KeepDelays with a schedule whose jitter you chose,
// such as backoff.DecorrelatedJitter.
func KeepDelays() Option {
	return Option{func(c config) config {
		c.keepDelays = true
		return c
	}}
}

// WithSeed makes the jitter after a [Conflict] repeatable: each call of Tx draws from a
// [rand.PCG] of its own that starts from seed. Use it in tests. The schedule has its own
// seed.
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
