package retrygrpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrygrpc"
)

// hang does not answer.
func hang(s grpc.ServerStream) error {
	<-s.Context().Done()
	return status.FromContextError(s.Context().Err()).Err()
}

// take makes an attempt of step last for d.
func take(d time.Duration, do step) step {
	return func(s grpc.ServerStream) error {
		time.Sleep(d)
		return do(s)
	}
}

// The delays are exact, and each attempt carries the number of those before it.
func TestUnary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, connect := serve(t, fail(codes.Unavailable), fail(codes.Unavailable), fail(codes.Unavailable), answer("yes"))
		conn := connect(retrygrpc.DialOptions(backoff.Exponential(time.Second, 2))...)
		// As a proxy that passes on what it got.
		ctx := metadata.AppendToOutgoingContext(context.Background(), "grpc-previous-rpc-attempts", "7", "other", "kept")
		got, err := call(ctx, conn)
		if got != "yes" || err != nil {
			t.Errorf("got %q, %v, want yes", got, err)
		}
		request := []string{"request"}
		want := []arrival{{0, "7", request}, {time.Second, "1", request}, {3 * time.Second, "2", request}, {7 * time.Second, "3", request}}
		if d := cmp.Diff(want, s.seen()); d != "" {
			t.Errorf("attempts (-want +got):\n%s", d)
		}
	})
}

// outcome is an error as a caller sees it.
type outcome struct {
	Code     codes.Code
	Attempts int   // of a *retry.Error; 0 if there is none
	Cause    error // of that
	Last     codes.Code
	Ended    error // context.Canceled or context.DeadlineExceeded, if errors.Is finds it
}

func outcomeOf(err error) outcome {
	o := outcome{Code: status.Code(err)}
	if e, ok := errors.AsType[*retry.Error](err); ok {
		o.Attempts, o.Cause, o.Last = e.Attempts, e.Cause, status.Code(e.Last)
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) {
			o.Ended = ended
		}
	}
	return o
}

// kinds has one call of each interceptor. Its answers are not returned.
var kinds = []struct {
	name string
	call func(context.Context, *grpc.ClientConn) error
}{
	{"unary", func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := call(ctx, conn)
		return err
	}},
	{"stream", func(ctx context.Context, conn *grpc.ClientConn) error {
		stream, err := open(ctx, conn, answers)
		if err == nil {
			_, err = all(stream)
		}
		return err
	}},
}

// undated hides a deadline from the server. In a bubble it would otherwise notice the
// deadline in the same instant as the client, and either could be first.
type undated struct{ context.Context }

func (undated) Deadline() (time.Time, bool) { return time.Time{}, false }

var (
	undatedUnary = grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return invoker(undated{ctx}, method, req, reply, cc, opts...)
	})
	undatedStream = grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		return streamer(undated{ctx}, desc, cc, method, opts...)
	})
)

// limiter rejects one attempt with an error.
type limiter struct {
	attempt int
	err     error
}

func (l limiter) Allow(attempt int, _ error) error {
	if attempt == l.attempt {
		return l.err
	}
	return nil
}

func (limiter) Done(retry.Result) {}

// What stops a call, when, and the error for that, for unary calls and for streams.
func TestOutcomes(t *testing.T) {
	unavailable := fail(codes.Unavailable)
	errStopped, errQuota := errors.New("stopped"), status.Error(codes.ResourceExhausted, "quota")
	for _, row := range []struct {
		name    string
		script  []step
		retries int // in delays of 2 s; 0: 9
		opts    []retrygrpc.Option
		timeout time.Duration // of the caller; 0: none
		cancel  time.Duration // 0: never; < 0: before the call
		want    outcome
		times   []time.Duration
		end     time.Duration
	}{
		{
			name: "a code that is not retried", script: []step{fail(codes.Internal)},
			want: outcome{Code: codes.Internal}, times: []time.Duration{0},
		},
		{
			name: "such a code in a retry", script: []step{unavailable, fail(codes.Internal)},
			want: outcome{Code: codes.Internal}, times: []time.Duration{0, 2 * time.Second}, end: 2 * time.Second,
		},
		{
			name: "another code is chosen", script: []step{fail(codes.Aborted), unavailable},
			opts: []retrygrpc.Option{retrygrpc.Codes(codes.Aborted)},
			want: outcome{Code: codes.Unavailable}, times: []time.Duration{0, 2 * time.Second}, end: 2 * time.Second,
		},
		{
			name: "If decides", script: []step{fail(codes.Aborted), unavailable},
			opts: []retrygrpc.Option{retrygrpc.Retry(retry.If(func(err error) bool { return status.Code(err) == codes.Aborted }))},
			want: outcome{Code: codes.Unavailable}, times: []time.Duration{0, 2 * time.Second}, end: 2 * time.Second,
		},
		{
			name: "no further delay", script: []step{unavailable, unavailable, unavailable}, retries: 2,
			want:  outcome{Code: codes.Unavailable, Attempts: 3, Cause: retry.ErrExhausted, Last: codes.Unavailable},
			times: []time.Duration{0, 2 * time.Second, 4 * time.Second}, end: 4 * time.Second,
		},
		{
			name: "options of package retry", script: []step{unavailable, unavailable},
			opts: []retrygrpc.Option{
				retrygrpc.Retry(retry.MaxAttempts(5), retry.MaxElapsed(3*time.Second)), retrygrpc.Retry(retry.MaxAttempts(4)),
			},
			want:  outcome{Code: codes.Unavailable, Attempts: 2, Cause: retry.ErrElapsed, Last: codes.Unavailable},
			times: []time.Duration{0, 2 * time.Second}, end: 2 * time.Second,
		},
		{
			name: "a limiter rejects the first attempt",
			opts: []retrygrpc.Option{retrygrpc.Retry(retry.WithLimiter(limiter{1, retry.ErrThrottled}))},
			want: outcome{Code: codes.Unavailable, Cause: retry.ErrThrottled},
		},
		{
			name: "a limiter with a status rejects the first attempt",
			opts: []retrygrpc.Option{retrygrpc.Retry(retry.WithLimiter(limiter{1, errQuota}))},
			want: outcome{Code: codes.ResourceExhausted, Cause: errQuota},
		},
		{
			name: "a limiter rejects a retry", script: []step{fail(codes.Aborted)},
			opts:  []retrygrpc.Option{retrygrpc.Codes(codes.Aborted), retrygrpc.Retry(retry.WithLimiter(limiter{2, errQuota}))},
			want:  outcome{Code: codes.Aborted, Attempts: 1, Cause: errQuota, Last: codes.Aborted},
			times: []time.Duration{0},
		},
		{
			name: "no delay passes the deadline", script: []step{unavailable, unavailable, unavailable}, timeout: 5 * time.Second,
			want: outcome{
				Code: codes.Unavailable, Attempts: 3, Cause: retry.ErrDeadline, Last: codes.Unavailable, Ended: context.DeadlineExceeded,
			},
			times: []time.Duration{0, 2 * time.Second, 4 * time.Second}, end: 4 * time.Second,
		},
		{
			name: "the deadline during an attempt", script: []step{unavailable, hang}, timeout: 5 * time.Second,
			want: outcome{
				Code: codes.DeadlineExceeded, Attempts: 2, Cause: context.DeadlineExceeded, Last: codes.Unavailable, Ended: context.DeadlineExceeded,
			},
			times: []time.Duration{0, 2 * time.Second}, end: 5 * time.Second,
		},
		{
			name: "the deadline during the first attempt", script: []step{hang}, timeout: 5 * time.Second,
			want: outcome{
				Code: codes.DeadlineExceeded, Attempts: 1, Cause: context.DeadlineExceeded, Last: codes.DeadlineExceeded, Ended: context.DeadlineExceeded,
			},
			times: []time.Duration{0}, end: 5 * time.Second,
		},
		{
			name: "cancelled during a delay", script: []step{unavailable}, cancel: time.Second,
			want:  outcome{Code: codes.Canceled, Attempts: 1, Cause: errStopped, Last: codes.Unavailable, Ended: context.Canceled},
			times: []time.Duration{0}, end: time.Second,
		},
		{
			name: "cancelled during an attempt", script: []step{unavailable, hang}, cancel: 3 * time.Second,
			want:  outcome{Code: codes.Canceled, Attempts: 2, Cause: errStopped, Last: codes.Unavailable, Ended: context.Canceled},
			times: []time.Duration{0, 2 * time.Second}, end: 3 * time.Second,
		},
		{
			name: "cancelled before the call", cancel: -1,
			want: outcome{Code: codes.Canceled, Cause: errStopped, Ended: context.Canceled},
		},
		{
			name: "the time of an attempt is over", script: []step{hang, take(time.Second-1, answer("yes"))},
			opts:  []retrygrpc.Option{retrygrpc.Retry(retry.AttemptTimeout(time.Second))},
			times: []time.Duration{0, 3 * time.Second}, end: 4*time.Second - 1,
		},
		{
			name: "the time of all attempts is over", script: []step{hang, hang}, retries: 1,
			opts: []retrygrpc.Option{retrygrpc.Retry(retry.AttemptTimeout(time.Second))},
			want: outcome{
				Code: codes.DeadlineExceeded, Attempts: 2, Cause: retry.ErrExhausted, Last: codes.DeadlineExceeded,
			},
			times: []time.Duration{0, 3 * time.Second}, end: 4 * time.Second,
		},
		{
			name: "a server that gives up early", script: []step{fail(codes.DeadlineExceeded)},
			opts: []retrygrpc.Option{retrygrpc.Retry(retry.AttemptTimeout(time.Second))},
			want: outcome{Code: codes.DeadlineExceeded}, times: []time.Duration{0},
		},
		{
			name: "a method that is not retried", script: []step{unavailable},
			opts: []retrygrpc.Option{retrygrpc.Methods(func(method string) bool { return method == "/test.Service/Other" })},
			want: outcome{Code: codes.Unavailable}, times: []time.Duration{0},
		},
		{
			name: "a method that is retried", script: []step{unavailable, answer("yes")},
			opts: []retrygrpc.Option{retrygrpc.Methods(func(method string) bool {
				return method == "/test.Service/Call" || method == "/test.Service/Stream"
			})},
			times: []time.Duration{0, 2 * time.Second}, end: 2 * time.Second,
		},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, connect := serve(t, row.script...)
					retries := row.retries
					if retries == 0 {
						retries = 9
					}
					dial := retrygrpc.DialOptions(backoff.Take(backoff.Constant(2*time.Second), retries), row.opts...)
					if row.timeout > 0 {
						dial = append(dial, undatedUnary, undatedStream)
					}
					conn := connect(dial...)
					ctx, cancel := context.WithCancelCause(context.Background())
					defer cancel(nil)
					if row.timeout > 0 {
						var stop func()
						ctx, stop = context.WithTimeout(ctx, row.timeout)
						defer stop()
					}
					switch {
					case row.cancel < 0:
						cancel(errStopped)
					case row.cancel > 0:
						time.AfterFunc(row.cancel, func() { cancel(errStopped) })
					}
					err := kind.call(ctx, conn)
					if d := cmp.Diff(row.want, outcomeOf(err), cmp.Comparer(func(a, b error) bool { return a == b })); d != "" {
						t.Errorf("outcome (-want +got):\n%s%v", d, err)
					}
					st, ok := status.FromError(err)
					if e, stopped := errors.AsType[*retry.Error](err); !ok || stopped && st.Message() != e.Error() {
						t.Errorf("status %v (%t) of %v, want its text", st, ok, err)
					}
					if d := cmp.Diff(row.end, time.Since(s.began)); d != "" {
						t.Errorf("end (-want +got):\n%s", d)
					}
					if d := cmp.Diff(row.times, s.times()); d != "" {
						t.Errorf("attempts (-want +got):\n%s", d)
					}
				})
			})
		}
	}
}

// several is an error that cannot be compared.
type several []string

func (s several) Error() string { return fmt.Sprint([]string(s)) }

// The cause of a context may be an error that cannot be compared.
func TestIncomparableCause(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, connect := serve(t, fail(codes.Unavailable))
				ctx, cancel := context.WithCancelCause(context.Background())
				time.AfterFunc(time.Second, func() { cancel(several{"a", "b"}) })
				err := kind.call(ctx, connect(retrygrpc.DialOptions(backoff.Constant(time.Minute))...))
				if _, ok := errors.AsType[several](err); status.Code(err) != codes.Canceled || !ok {
					t.Errorf("got %v, want Canceled with the cause", err)
				}
			})
		})
	}
}

// Over TCP and in real time an attempt may be late, and never early. In the bubbles of the
// other tests delays are exact.
func TestLoopback(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			s, connect := serveTCP(t, fail(codes.Unavailable), fail(codes.Unavailable), answer("yes"))
			delays := []time.Duration{20 * time.Millisecond, 10 * time.Millisecond}
			conn := connect(retrygrpc.DialOptions(slices.Values(delays))...)
			if err := kind.call(context.Background(), conn); err != nil {
				t.Fatal(err)
			}
			times := s.times()
			if len(times) != 3 {
				t.Fatalf("%d attempts, want 3", len(times))
			}
			for i, d := range delays {
				if got := times[i+1] - times[i]; got < d {
					t.Errorf("retry %d comes after %v, want %v or more", i+1, got, d)
				} else {
					t.Logf("retry %d is late by %v", i+1, got-d)
				}
			}
		})
	}
}
