package retry

// A Limiter decides whether an attempt may be made, from the results of those before it
// (retry budget, retry quota, client throttling). Share one Limiter among all calls to one
// server, by [WithLimiter]. Any number of goroutines may call its methods at once.
//
// Most callers should use [WithBudget]. The kinds differ in what limits retries:
//
//	Budget       failures: none is retried while half of the tokens or more are gone;
//	             as gRPC clients, and the one that stops first in an outage
//	TokenBucket  successes: each pays for a part of a retry, and all tokens can be spent;
//	             for a hard limit of the retries in an outage, whatever the load
//	Quota        costs: as the AWS SDKs, where a retry after a timeout costs more
//	RatioBudget  requests: at most 10 % more load, say; as Finagle and Linkerd
//	Throttle     accepts: limits first attempts too, when rejections alone are too much
//	             for the server; from the SRE book
//
// Each type's comment links its source.
type Limiter interface {
	// Allow is called before each attempt, the first included. Before a retry it is
	// called before the delay, when every other limit has allowed the retry. last is
	// the error of the attempt before, nil for the first. An error stops the call, as
	// the Cause of its [Error]. An attempt that was allowed may not take place, if the
	// context is done during the delay, and Done is not called then.
	Allow(attempt int, last error) error

	// Done is called with the result of each attempt, except one that failed because
	// the caller's context was done, and one that panics.
	Done(Result)
}

// A Result is the result of one attempt, for a [Limiter].
type Result struct {
	Attempt   int   // 1, 2, 3, ...: retry n is attempt n+1
	Last      error // of the attempt before, without marks; nil for the first
	Err       error // without marks; nil if the attempt succeeded
	Retryable bool  // whether a retry could cure Err: it is not marked by Permanent, nor does If refuse it
}

// WithLimiter counts each attempt in l, and stops when l allows none. Use one [Limiter]
// for all calls to one server. [WithBudget] may be set besides it, and decides first.
//
// It panics if l is nil.
func WithLimiter(l Limiter) Option {
	notNil("WithLimiter", "l", l == nil, "a limiter")
	return Option{func(c config) config {
		c.limiter = l
		return c
	}}
}
