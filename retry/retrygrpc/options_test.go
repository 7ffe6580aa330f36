package retrygrpc_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrygrpc"
)

func TestBadArguments(t *testing.T) {
	for _, row := range []struct {
		call func()
		want string
	}{
		{func() { retrygrpc.DialOptions(nil) }, "retrygrpc: DialOptions: delays is nil, want a schedule"},
		{func() { retrygrpc.UnaryClientInterceptor(nil) }, "retrygrpc: UnaryClientInterceptor: delays is nil, want a schedule"},
		{func() { retrygrpc.StreamClientInterceptor(nil) }, "retrygrpc: StreamClientInterceptor: delays is nil, want a schedule"},
		{func() { retrygrpc.Codes() }, "retrygrpc: Codes: retryable is none, want at least one code"},
		{func() { retrygrpc.Codes(codes.Aborted, codes.OK) }, "retrygrpc: Codes: retryable is OK, want codes of failures"},
		{func() { retrygrpc.Methods(nil) }, "retrygrpc: Methods: retried is nil, want a function"},
		{func() { retrygrpc.MaxBuffer(-1) }, "retrygrpc: MaxBuffer: bytes is -1, want >= 0"},
		{func() { retrygrpc.Throttle(0, 1) }, "retry: NewBudget: maxTokens is 0, want a value in [0.000001, 1e12]"},
		{func() { retrygrpc.Throttle(1, 0) }, "retry: NewBudget: ratio is 0, want a value in [0.000001, 1e12]"},
	} {
		func() {
			defer func() {
				if d := cmp.Diff(row.want, recover()); d != "" {
					t.Errorf("panic (-want +got):\n%s", d)
				}
			}()
			row.call()
		}()
	}
}

// The zero Option sets nothing, and an Option keeps its own copy of what it got.
func TestOptions(t *testing.T) {
	chosen := []codes.Code{codes.Aborted}
	option := retrygrpc.Codes(chosen...)
	chosen[0] = codes.Unavailable
	s, connect := serve(t, fail(codes.Aborted), fail(codes.Unavailable))
	conn := connect(retrygrpc.DialOptions(backoff.Constant(0), retrygrpc.Option{}, option)...)
	if _, err := call(context.Background(), conn); status.Code(err) != codes.Unavailable || len(s.seen()) != 2 {
		t.Errorf("%v after %d attempts, want Unavailable after 2", err, len(s.seen()))
	}
}

// lateContext is a context whose deadline has passed, and whose timer has not yet run.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-1), true }

// The server notices the end of an attempt before the timer of the client does.
func TestDeadlineNoticedByServer(t *testing.T) {
	_, connect := serve(t)
	unary := retrygrpc.UnaryClientInterceptor(backoff.Constant(0))
	err := unary(lateContext{context.Background()}, "/test.Service/Call", nil, nil, connect(),
		func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
			return status.Error(codes.DeadlineExceeded, "too late")
		})
	want := outcome{
		Code: codes.DeadlineExceeded, Attempts: 1, Cause: retry.ErrDeadline, Last: codes.DeadlineExceeded, Ended: context.DeadlineExceeded,
	}
	if d := cmp.Diff(want, outcomeOf(err), cmp.Comparer(func(a, b error) bool { return a == b })); d != "" {
		t.Errorf("outcome (-want +got):\n%s", d)
	}
}

// A call option of the caller is not overwritten by that of another call, though both
// slices share an array.
func TestCallOptions(t *testing.T) {
	_, connect := serve(t)
	conn := connect()
	unary := retrygrpc.UnaryClientInterceptor(backoff.Constant(0))
	opts := make([]grpc.CallOption, 1, 2)
	opts[0] = grpc.WaitForReady(true)
	marker := grpc.WaitForReady(false)
	opts[:2][1] = marker
	err := unary(context.Background(), "/test.Service/Call", nil, nil, conn,
		func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }, opts...)
	if err != nil || opts[:2][1] != marker {
		t.Errorf("error %v, and the array holds %v, want %v", err, opts[:2][1], marker)
	}
}

// The budget of a connection is dropped with the connection.
func TestBudgetIsDropped(t *testing.T) {
	throttle := retrygrpc.Throttle(10, 0.1)
	var e example
	_, connect := serve(&e, answer("yes"))
	if _, err := call(context.Background(), connect(ours(throttle)...)); err != nil {
		t.Fatal(err)
	}
	if got := retrygrpc.Budgets(throttle); got != 1 {
		t.Errorf("%d budgets, want 1", got)
	}
	e.end()
	e, connect = example{}, nil
	for range 1000 {
		runtime.GC()
		if retrygrpc.Budgets(throttle) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d budgets, want 0", retrygrpc.Budgets(throttle))
}
