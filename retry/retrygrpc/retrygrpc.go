// Package retrygrpc retries gRPC calls in client interceptors, so that all code that uses
// a connection retries without changes.
//
//	delays := backoff.Take(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 5)
//	options := append(retrygrpc.DialOptions(delays), grpc.WithTransportCredentials(creds))
//	conn, err := grpc.NewClient("dns:///example.com:443", options...)
//
// Use it instead of the retryPolicy of a service config when that is too narrow: grpc-go's
// policy has one kind of schedule, exponential with 20 % of jitter to both sides, and at
// most 5 attempts unless the client raises that limit. Here any schedule is possible,
// [retry.Observe] sees every attempt, and a call gives up at once when its deadline would
// pass during the delay.
//
// # Get it
//
// This package is a module of its own, because it needs gRPC. Put a clone of the
// repository beside your module, as ../backoff, and add four lines to your go.mod:
//
//	require example.com/backoff v0.0.0
//	replace example.com/backoff => ../backoff
//	require example.com/backoff/retry/retrygrpc v0.0.0
//	replace example.com/backoff/retry/retrygrpc => ../backoff/retry/retrygrpc
//
// Then run go mod tidy, which adds gRPC.
//
// # Calls that are retried
//
// An attempt is retried if its status has the code Unavailable: the connection was
// refused or lost, or the server is overloaded or shuts down. [Codes] chooses others. Only
// Unavailable says by its definition that a retry is likely to help. Of the others, a
// ResourceExhausted may be a quota that is spent for the day, and an Aborted asks to
// repeat a whole transaction, not one call.
//
// Unavailable does not say that the server did nothing: if the connection is lost after
// the request was sent, only the answer may be missing. So use [Methods] to leave out
// calls that must not be done twice.
//
// # Streams
//
// A stream is retried until its first message is received. After that its failures are
// the caller's, because only the caller knows where to continue. Until then the messages
// that were sent are kept, and a new attempt sends them again. If they exceed [MaxBuffer],
// they are dropped and the stream is not retried. The single request of a call that
// streams only its answers is always kept.
//
// SendMsg does not notice a failure that is retried; RecvMsg does. So a client that sends
// a long stream before it receives should let MaxBuffer hold all of it. Do not change a
// message after SendMsg, as gRPC demands. If Header returns headers, the stream is not
// retried after that.
//
// Until the first message one goroutine waits with the stream, and calls the functions of
// the options. It ends with the stream at the latest, or with a delay that has begun.
//
// # Errors
//
// Every error is one that package status understands:
//
//	outcome                                   error                     status.Code(err)
//	the code is not retried                   of gRPC, unchanged        its own
//	the server asks not to retry              of gRPC, unchanged        its own
//	retrying stopped                          wraps a *retry.Error      of the last attempt
//	a Limiter rejected the first attempt      wraps a *retry.Error      of the Limiter's error, or Unavailable
//	the caller's context was done             wraps a *retry.Error      Canceled or DeadlineExceeded
//	the service config has a retryPolicy      wraps ErrRetryPolicy      FailedPrecondition
//
// # What the server asks for
//
// A server can ask for a longer delay by the trailer grpc-retry-pushback-ms or by a
// RetryInfo in the details of its status. The wait before the retry is the longest of the
// two and the schedule's delay. [retry.MaxAfter] limits what a server can ask for; default:
// [DefaultMaxAfter]. A pushback that is negative, is not a number of 32 bits, or is
// given twice asks not to retry, and the call ends with the error of the attempt.
//
// Each attempt after the first carries the number of attempts before it in
// grpc-previous-rpc-attempts, as grpc-go's own do.
//
// # Timeouts
//
// The deadline of the caller's context limits all attempts and delays together.
// [retry.AttemptTimeout] limits each attempt: a unary call until its answer, and a stream
// until its first message.
//
// # Retries of gRPC
//
// If the service config has a retryPolicy for a method, the attempts of both would
// multiply. So the interceptors refuse such calls with [ErrRetryPolicy], unless
// [AllowRetryPolicy] is set. The service config arrives with the first name resolution:
// gRPC's own policy retries a call that begins before that, and the call is refused if it
// still fails. The interceptors cannot see a policy that arrives by xDS.
//
// The transparent retry of gRPC stays: a request that provably did not reach the
// application is sent again at once, as part of the same attempt.
//
// # Differences from gRFC A6
//
// [A6] is the design of gRPC's own retries. There a pushback replaces the delay and starts
// the schedule again; here it only makes the delay longer. There a call whose headers have
// arrived is not retried; here it is, until the caller gets them or a message.
//
// # Dependencies
//
// google.golang.org/grpc is what this package is for. google.golang.org/genproto has the
// RetryInfo, and google.golang.org/protobuf the size of a message; grpc needs both itself.
//
// [A6]: https://github.com/grpc/proposal/blob/master/A6-client-retries.md
package retrygrpc

import (
	"context"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"example.com/backoff/internal/argument"
)

// DefaultMaxAfter limits what a server asks for, unless [retry.MaxAfter] is set.
const DefaultMaxAfter = 5 * time.Minute

// DialOptions returns both interceptors for [grpc.NewClient], which share the options.
// Unless opts has another [Throttle], each connection gets the budget of Throttle(100, 0.1):
// the fiftieth failure in a row is not retried.
//
// Interceptors that are chained before these see each call once. Those after them, and
// call options such as [grpc.OnFinish], see each attempt.
//
// It panics if delays is nil.
func DialOptions(delays iter.Seq[time.Duration], opts ...Option) []grpc.DialOption {
	check("DialOptions", delays)
	c := newConfig(delays, append([]Option{Throttle(100, 0.1)}, opts...))
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(c.unary),
		grpc.WithChainStreamInterceptor(c.stream),
	}
}

// UnaryClientInterceptor returns an interceptor that retries unary calls. Use
// [DialOptions] unless only these are retried, or the order of interceptors matters. The
// package comment has the rules.
//
// It panics if delays is nil.
func UnaryClientInterceptor(delays iter.Seq[time.Duration], opts ...Option) grpc.UnaryClientInterceptor {
	check("UnaryClientInterceptor", delays)
	return newConfig(delays, opts).unary
}

// StreamClientInterceptor returns an interceptor that retries streams until their first
// message. Use [DialOptions] unless only these are retried, or the order of interceptors
// matters. The package comment has the rules.
//
// It panics if delays is nil.
func StreamClientInterceptor(delays iter.Seq[time.Duration], opts ...Option) grpc.StreamClientInterceptor {
	check("StreamClientInterceptor", delays)
	return newConfig(delays, opts).stream
}

func check(function string, delays iter.Seq[time.Duration]) {
	if delays == nil {
		reject(function, "delays", "nil", "a schedule")
	}
}

// reject panics about one argument.
func reject(function, name string, got any, want string) {
	argument.Reject("retrygrpc", function, name, got, want)
}

// unary is a [grpc.UnaryClientInterceptor].
func (c config) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if c.methods != nil && !c.methods(method) {
		return invoker(ctx, method, req, reply, cc, opts...)
	}
	x, err := c.begin(ctx, cc, method)
	if err != nil {
		return err
	}
	return x.do(func(ctx context.Context) error {
		var trailer metadata.MD
		err := invoker(x.next(ctx), method, req, reply, cc, with(opts, grpc.Trailer(&trailer))...)
		return x.judge(ctx, err, trailer)
	})
}

// stream is a [grpc.StreamClientInterceptor].
func (c config) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if c.methods != nil && !c.methods(method) {
		return streamer(ctx, desc, cc, method, opts...)
	}
	x, err := c.begin(ctx, cc, method)
	if err != nil {
		return nil, err
	}
	return newStream(x, desc, func(ctx context.Context, o grpc.CallOption) (grpc.ClientStream, error) {
		return streamer(ctx, desc, cc, method, with(opts, o)...)
	})
}

// with returns a copy of opts with one more, because other calls may share its array.
func with(opts []grpc.CallOption, o grpc.CallOption) []grpc.CallOption {
	return append(opts[:len(opts):len(opts)], o)
}
