package retrygrpc

import (
	"iter"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/backoff/retry"
)

// An Option of [DialOptions] and of the interceptors. If several options set one thing,
// the last one wins, except that [Retry] adds to earlier ones. The zero Option sets
// nothing.
type Option struct{ set func(config) config }

// config is the sum of the options of one interceptor.
type config struct {
	delays      iter.Seq[time.Duration]
	retry       []retry.Option
	codes       []codes.Code
	methods     func(string) bool // nil: all
	budgets     *budgets          // nil: none
	allowPolicy bool
	maxBuffer   int
}

// newConfig gathers options.
func newConfig(delays iter.Seq[time.Duration], opts []Option) config {
	c := config{delays: delays, codes: []codes.Code{codes.Unavailable}, maxBuffer: 256 << 10}
	for _, o := range opts {
		if o.set != nil {
			c = o.set(c)
		}
	}
	return c
}

// Retry passes options of package retry on, such as retry.AttemptTimeout, retry.Observe or
// retry.WithLogger. With retry.If your function decides which errors are retried, instead
// of [Codes]. With retry.WithBudget your budget is used instead of that of [Throttle].
//
// A failure after which the server asks not to retry takes a token from the budget of
// Throttle, but none from yours. A retry.Limiter gets it as a Result that is not Retryable.
func Retry(opts ...retry.Option) Option {
	return Option{func(c config) config {
		c.retry = append(c.retry[:len(c.retry):len(c.retry)], opts...)
		return c
	}}
}

// Codes retries an attempt whose status has one of these codes. Default: Unavailable
// alone. Use it when you know what another code means to your server.
//
// An attempt that ended after its retry.AttemptTimeout is retried in any case.
//
// It panics if there is no code, or if one is OK.
func Codes(retryable ...codes.Code) Option {
	if len(retryable) == 0 {
		reject("Codes", "retryable", "none", "at least one code")
	}
	if slices.Contains(retryable, codes.OK) {
		reject("Codes", "retryable", codes.OK, "codes of failures")
	}
	retryable = slices.Clone(retryable)
	return Option{func(c config) config {
		c.codes = retryable
		return c
	}}
}

// Methods retries only the methods for which retried returns true. It gets the full name
// of the method, such as "/grpc.health.v1.Health/Check". Calls of other methods are not
// changed. Default: all methods.
//
// Use Methods when the connection is used for calls that must not be done twice.
//
// It panics if retried is nil.
func Methods(retried func(method string) bool) Option {
	if retried == nil {
		reject("Methods", "retried", "nil", "a function")
	}
	return Option{func(c config) config {
		c.methods = retried
		return c
	}}
}

// Throttle limits the retries of each connection by a [retry.Budget] of its own, with
// maxTokens and ratio (retry throttling). All interceptors of one connection that got the
// same Option share its budget. It counts as the retryThrottling of gRPC does: a failure
// that may be retried, or after which the server asks not to retry, takes one token, and
// a success returns ratio tokens. A stream is a success when its first message arrives.
//
// It panics as [retry.NewBudget] does, if maxTokens or ratio is not in [0.000001, 1e12].
func Throttle(maxTokens, ratio float64) Option {
	retry.NewBudget(maxTokens, ratio) // panics now if they are wrong
	b := &budgets{maxTokens: maxTokens, ratio: ratio}
	return Option{func(c config) config {
		c.budgets = b
		return c
	}}
}

// MaxBuffer limits the messages that are kept for each stream until its first answer, to
// be sent again in another attempt, to bytes of serialized protobuf and of the 5 bytes
// before each message. Default: 256 KiB, as in grpc-go. A message that is not a
// proto.Message has no known size and does not fit.
//
// MaxBuffer(0) retries no stream on which the client sends several messages, once it has
// sent one.
//
// It panics if bytes < 0.
func MaxBuffer(bytes int) Option {
	if bytes < 0 {
		reject("MaxBuffer", "bytes", bytes, ">= 0")
	}
	return Option{func(c config) config {
		c.maxBuffer = bytes
		return c
	}}
}

// AllowRetryPolicy retries methods even if the service config has a retryPolicy for them.
// Use it together with [grpc.WithDisableRetry], which turns that policy off. Without that,
// the attempts of both multiply.
func AllowRetryPolicy() Option {
	return Option{func(c config) config {
		c.allowPolicy = true
		return c
	}}
}
