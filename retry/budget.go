package retry

import (
	"math"
	"sync/atomic"
)

// A Budget stops the retries of a process while most of its requests fail (retry budget,
// retry throttling), because retries make an overload worse. Share one Budget among all
// calls to one server, by [WithBudget].
//
// A Budget is a bucket of tokens that starts full. A failure takes one token, and a
// success returns ratio tokens. Retries are allowed while the bucket is more than half
// full. With fewer than ratio failures for each success the bucket stays nearly full
// and every failure may be retried. With more it drains, and no failure is retried
// until successes have filled the bucket to more than half.
//
// Any number of goroutines may use a Budget at once. It needs no lock.
//
// It is the retryThrottling of [gRPC].
//
// [gRPC]: https://github.com/grpc/proposal/blob/master/A6-client-retries.md#throttling-retry-attempts-and-hedged-rpcs
type Budget struct {
	// In millionths of a token: sums of whole numbers need no rounding, and a ratio
	// of 0.1 is exact.
	tokens      atomic.Int64
	full, ratio int64
}

// The unit of a Budget, and its max tokens: twice their millionths must fit an int64.
const (
	token   = 1_000_000
	maxFull = 1e12
)

// NewBudget returns a full Budget of maxTokens tokens, to which a success adds ratio
// tokens. Both are rounded to millionths.
//
// NewBudget(10, 0.1) suits most clients: the fifth failure in a row is not retried, and
// over time at most one retry is allowed for ten successes.
//
// It panics if maxTokens or ratio is not in [0.000001, 1e12].
func NewBudget(maxTokens, ratio float64) *Budget {
	b := &Budget{full: millionths("maxTokens", maxTokens), ratio: millionths("ratio", ratio)}
	b.tokens.Store(b.full)
	return b
}

func millionths(name string, f float64) int64 {
	if !(f >= 1.0/token && f <= maxFull) {
		reject("NewBudget", name, f, "a value in [0.000001, 1e12]")
	}
	return int64(math.Round(f * token))
}

// Tokens returns the number of tokens, in [0, maxTokens]. Use it for a gauge. Other
// goroutines may have changed the number when it returns.
func (b *Budget) Tokens() float64 { return float64(b.tokens.Load()) / token }

// Failed takes one token, or the rest of one, and reports whether a retry may follow.
// [WithBudget] calls it; call it only in a retry loop of your own.
func (b *Budget) Failed() bool {
	for {
		t := b.tokens.Load()
		less := max(t-token, 0)
		if t == less || b.tokens.CompareAndSwap(t, less) {
			return 2*less > b.full
		}
	}
}

// Succeeded returns ratio tokens. [WithBudget] calls it; call it only in a retry loop of
// your own, as the counterpart of [Budget.Failed]. It only reads a full budget, so that
// goroutines that succeed do not contend.
func (b *Budget) Succeeded() {
	for {
		t := b.tokens.Load()
		more := min(t+b.ratio, b.full)
		if t == more || b.tokens.CompareAndSwap(t, more) {
			return
		}
	}
}
