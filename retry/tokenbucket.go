package retry

// A TokenBucket pays for the retries of a process with its successes: each retry takes one
// token, and each success adds a part of one. It is a [Limiter].
//
// Use a TokenBucket to limit retries to a share of the successes, with a burst of
// maxTokens retries after a quiet time. A [Budget] counts failures, and stops when half of
// it is left. A TokenBucket counts retries, and spends its last token: while everything
// fails, all retries together are maxTokens, whatever the number of requests.
//
// Share one TokenBucket among all calls to one server, by [WithLimiter]. Any number of
// goroutines may use it at once.
//
// It is the adaptive strategy of [Fixing retries with token buckets and circuit breakers].
//
// [Fixing retries with token buckets and circuit breakers]: https://brooker.co.za/blog/2022/02/28/retries.html
type TokenBucket struct {
	bucket bucket
	ratio  int64
}

// NewTokenBucket returns a full TokenBucket of maxTokens tokens, to which a success adds
// ratio tokens. Both are rounded to millionths. With maxTokens < 1 no retry is allowed.
//
// NewTokenBucket(10, 0.1) allows a burst of 10 retries, and over time one retry for ten
// successes.
//
// It panics if maxTokens or ratio is not in [0.000001, 1e12].
func NewTokenBucket(maxTokens, ratio float64) *TokenBucket {
	b := new(TokenBucket)
	b.bucket.fill(millionths("NewTokenBucket", "maxTokens", maxTokens))
	b.ratio = millionths("NewTokenBucket", "ratio", ratio)
	return b
}

// Tokens returns the number of tokens, in [0, maxTokens]. Use it for a gauge. Other
// goroutines may have changed the number when it returns.
func (b *TokenBucket) Tokens() float64 { return b.bucket.tokens() }

// Allow takes one token for a retry, or returns [ErrBudget] if there is less than one. The
// first attempt is free.
func (b *TokenBucket) Allow(attempt int, _ error) error {
	if attempt > 1 && !b.bucket.take(token) {
		return ErrBudget
	}
	return nil
}

// Done adds ratio tokens for a success.
func (b *TokenBucket) Done(r Result) {
	if r.Err == nil {
		b.bucket.add(b.ratio)
	}
}
