package retry

// A Quota limits the retries of a process by their costs, and a retry after a timeout may
// cost more than another one (retry quota). It is a [Limiter].
//
// Use a Quota to behave as the clients of AWS do. It is a bucket of tokens that starts
// full, and a retry takes its cost from it. If the retry succeeds, it gives its cost back;
// the retries before it do not. A first attempt that succeeds adds noRetryIncrement
// tokens. An error is a timeout if it has, or wraps an error that has, a method Timeout
// that returns true.
//
// Share one Quota among all calls to one server, by [WithLimiter]. Any number of
// goroutines may use it at once.
//
// It is the retry quota of the standard mode of the [AWS SDKs], as botocore has it.
// aws-sdk-go-v2 adds noRetryIncrement after a retry too.
//
// [AWS SDKs]: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
type Quota struct {
	bucket                                   bucket
	retryCost, timeoutCost, noRetryIncrement int64
}

// NewQuota returns a full Quota of maxTokens tokens. A retry costs retryCost tokens, or
// timeoutCost tokens if the attempt before it timed out. A success without a retry adds
// noRetryIncrement tokens.
//
// NewQuota(500, 5, 10, 1) has the numbers of the AWS SDKs.
//
// It panics if maxTokens is not in [1, 1e9], if a cost is not in [1, maxTokens], or if
// noRetryIncrement is not in [0, maxTokens].
func NewQuota(maxTokens, retryCost, timeoutCost, noRetryIncrement int) *Quota {
	in := func(name string, n, lo, hi int, want string) int64 {
		if n < lo || n > hi {
			reject("NewQuota", name, n, want)
		}
		return int64(n) * token
	}
	q := new(Quota)
	q.bucket.fill(in("maxTokens", maxTokens, 1, 1e9, "a value in [1, 1e9]"))
	q.retryCost = in("retryCost", retryCost, 1, maxTokens, "a value in [1, maxTokens]")
	q.timeoutCost = in("timeoutCost", timeoutCost, 1, maxTokens, "a value in [1, maxTokens]")
	q.noRetryIncrement = in("noRetryIncrement", noRetryIncrement, 0, maxTokens, "a value in [0, maxTokens]")
	return q
}

// Tokens returns the number of tokens, in [0, maxTokens]. Use it for a gauge. Other
// goroutines may have changed the number when it returns.
func (q *Quota) Tokens() float64 { return q.bucket.tokens() }

// Allow takes the cost of a retry, or returns [ErrBudget] if there are fewer tokens. The
// first attempt is free.
func (q *Quota) Allow(attempt int, last error) error {
	if attempt > 1 && !q.bucket.take(q.cost(last)) {
		return ErrBudget
	}
	return nil
}

// Done adds tokens for a success: what the attempt cost, or noRetryIncrement if it was the
// first.
func (q *Quota) Done(r Result) {
	switch {
	case r.Err != nil:
	case r.Attempt == 1:
		q.bucket.add(q.noRetryIncrement)
	default:
		q.bucket.add(q.cost(r.Last))
	}
}

// cost returns what a retry after an attempt that failed with last costs.
func (q *Quota) cost(last error) int64 {
	if isTimeout(last) {
		return q.timeoutCost
	}
	return q.retryCost
}
