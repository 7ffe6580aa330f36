package retry

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
// A Budget is a [Limiter] too. [WithBudget] does the same as [WithLimiter] and costs less.
// Any number of goroutines may use a Budget at once.
//
// It is the retryThrottling of [gRPC].
//
// [gRPC]: https://github.com/grpc/proposal/blob/master/A6-client-retries.md#throttling-retry-attempts-and-hedged-rpcs
type Budget struct {
	bucket bucket
	ratio  int64
}

// NewBudget returns a full Budget of maxTokens tokens, to which a success adds ratio
// tokens. Both are rounded to millionths.
//
// NewBudget(10, 0.1) suits most clients: the fifth failure in a row is not retried, and
// over time at most one retry is allowed for ten successes. With maxTokens <= 2 a single
// failure takes half of the tokens, so no retry is allowed after it.
//
// It panics if maxTokens or ratio is not in [0.000001, 1e12].
func NewBudget(maxTokens, ratio float64) *Budget {
	b := new(Budget)
	b.bucket.fill(millionths("NewBudget", "maxTokens", maxTokens))
	b.ratio = millionths("NewBudget", "ratio", ratio)
	return b
}

// Tokens returns the number of tokens, in [0, maxTokens]. Use it for a gauge. Other
// goroutines may have changed the number when it returns.
func (b *Budget) Tokens() float64 { return b.bucket.tokens() }

// Failed takes one token, or the rest of one, and reports whether a retry may follow.
// [WithBudget] calls it; call it only in a retry loop of your own.
func (b *Budget) Failed() bool { return b.allows(b.bucket.add(-token)) }

// Succeeded returns ratio tokens. [WithBudget] calls it; call it only in a retry loop of
// your own, as the counterpart of [Budget.Failed].
func (b *Budget) Succeeded() { b.bucket.add(b.ratio) }

// Allow returns [ErrBudget] for a retry while the bucket is at most half full.
func (b *Budget) Allow(attempt int, _ error) error {
	if attempt > 1 && !b.allows(b.bucket.left.Load()) {
		return ErrBudget
	}
	return nil
}

// Done counts a success as [Budget.Succeeded] does, and a failure that a retry could cure
// as [Budget.Failed] does.
func (b *Budget) Done(r Result) {
	switch {
	case r.Err == nil:
		b.Succeeded()
	case r.Retryable:
		b.Failed()
	}
}

func (b *Budget) allows(left int64) bool { return 2*left > b.bucket.full }
