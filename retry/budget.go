package retry

import (
	"math"
	"sync/atomic"
)

// A Budget keeps the clients of one process from answering an overload with
// retries. It is a bucket of tokens, full at first: a failure takes one token away, a
// success puts ratio tokens back, and no retry is made while the bucket is at most
// half full. Where failures are fewer than ratio to each success, it stays full and
// all of them may be retried. Where they are more it runs down, and none is retried
// until successes have filled half of it again.
//
// Share one budget among all calls to one server, by [WithBudget]. Any number of
// goroutines may use it at once; it holds no lock.
//
// It is the retryThrottling of [gRPC].
//
// [gRPC]: https://github.com/grpc/proposal/blob/master/A6-client-retries.md#throttling-retry-attempts-and-hedged-rpcs
type Budget struct {
	// In millionths of a token. A whole number is added to without rounding,
	// and a ratio of 0.1 is exactly that.
	tokens      atomic.Int64
	full, ratio int64
}

// The unit of a Budget, and the most that it holds: twice that must fit an int64.
const (
	token   = 1_000_000
	maxFull = 1e12
)

// NewBudget returns a full Budget of maxTokens tokens, to which a success adds ratio
// tokens. It counts in millionths of a token, to which both are rounded. From 10
// tokens the fifth failure in a row is the first that is not retried.
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

// Tokens returns how many tokens there are, in [0, maxTokens]. It is for a gauge: what
// it says may have changed when it returns.
func (b *Budget) Tokens() float64 { return float64(b.tokens.Load()) / token }

// Failed takes one token, or what is left of one, and reports whether a retry may
// follow. The runner calls it, see [WithBudget]; a loop of one's own may too.
func (b *Budget) Failed() bool {
	for {
		t := b.tokens.Load()
		less := max(t-token, 0)
		if t == less || b.tokens.CompareAndSwap(t, less) {
			return 2*less > b.full
		}
	}
}

// Succeeded puts ratio tokens back, and is the other half of [Budget.Failed]. A full budget is only read, so that processors
// which all succeed do not contend.
func (b *Budget) Succeeded() {
	for {
		t := b.tokens.Load()
		more := min(t+b.ratio, b.full)
		if t == more || b.tokens.CompareAndSwap(t, more) {
			return
		}
	}
}
