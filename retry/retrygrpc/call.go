package retrygrpc

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/backoff/retry"
)

// ErrRetryPolicy reports that the service config has a retryPolicy for the method, so that
// attempts would multiply. Remove the policy, or turn it off by [grpc.WithDisableRetry] and
// set [AllowRetryPolicy].
var ErrRetryPolicy = status.Error(codes.FailedPrecondition,
	"retrygrpc: the service config has a retryPolicy: remove it, or use grpc.WithDisableRetry and retrygrpc.AllowRetryPolicy")

// call is the state of one call.
type call struct {
	config
	ctx      context.Context // the caller's
	cc       *grpc.ClientConn
	method   string
	budget   *retry.Budget // nil: none
	attempts int           // begun so far
	timedOut bool          // the time of the latest attempt was over
}

func (c config) begin(ctx context.Context, cc *grpc.ClientConn, method string) (*call, error) {
	x := &call{config: c, ctx: ctx, cc: cc, method: method}
	if c.budgets != nil {
		x.budget = c.budgets.get(cc)
	}
	return x, x.refusal()
}

// refusal returns an error if gRPC itself retries the method, as far as the service config
// is known.
func (x *call) refusal() error {
	if x.allowPolicy || x.cc.GetMethodConfig(x.method).RetryPolicy == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", x.method, ErrRetryPolicy)
}

// do makes attempts. The caller's options come last, so that they win.
func (x *call) do(attempt func(context.Context) error) error {
	opts := []retry.Option{retry.MaxAfter(DefaultMaxAfter), retry.If(x.retryable)}
	if x.budget != nil {
		opts = append(opts, retry.WithBudget(x.budget))
	}
	err := retry.Do(x.ctx, x.delays, attempt, append(opts, x.retry...)...)
	e, ok := err.(*retry.Error)
	if !ok {
		return err
	}
	if ended := x.ctx.Err(); ended != nil {
		return &endedError{err, ended}
	}
	if _, ok := status.FromError(err); !ok && e.Last == nil {
		return &rejectedError{err}
	}
	return err
}

// next returns the context for the next attempt, with the number of those before it.
func (x *call) next(ctx context.Context) context.Context {
	before := x.attempts
	x.attempts++
	if before == 0 {
		return ctx
	}
	md, _ := metadata.FromOutgoingContext(ctx) // a copy
	if md == nil {
		md = metadata.MD{}
	}
	// A proxy may pass on the header of the call that it serves.
	md.Set("grpc-previous-rpc-attempts", strconv.Itoa(before))
	return metadata.NewOutgoingContext(ctx, md)
}

// judge returns the error of an attempt with marks for package retry. ctx is the context
// of the attempt.
func (x *call) judge(ctx context.Context, err error, trailer metadata.MD) error {
	if err == nil {
		return nil
	}
	if ended := x.ctx.Err(); ended != nil {
		switch status.Code(err) {
		case codes.Canceled, codes.DeadlineExceeded:
			return &endedError{err, ended} // which says no more than the context
		}
		return err
	}
	if refusal := x.refusal(); refusal != nil {
		return retry.Permanent(fmt.Errorf("%w: %w", refusal, err))
	}
	wait, stop := pushback(trailer)
	if stop {
		if x.budget != nil {
			x.budget.Failed()
		}
		return retry.Permanent(err)
	}
	deadline, ok := ctx.Deadline()
	x.timedOut = ok && !time.Now().Before(deadline)
	return retry.After(err, max(wait, retryDelay(err)))
}

// retryable reports whether err, of the latest attempt, is retried. It is if the time of
// the attempt is over, even if the server noticed that before the context's timer did.
func (x *call) retryable(err error) bool {
	return x.timedOut || slices.Contains(x.codes, status.Code(err))
}

// endedError is an error of a call whose context was done, with the status for that.
type endedError struct {
	error
	ended error // of the context
}

func (e *endedError) Unwrap() []error { return []error{e.error, e.ended} }

// GRPCStatus is called by package status.
func (e *endedError) GRPCStatus() *status.Status {
	return status.New(status.FromContextError(e.ended).Code(), e.Error())
}

// rejectedError is the error of a call whose first attempt a Limiter rejected.
type rejectedError struct{ error }

func (e *rejectedError) Unwrap() error { return e.error }

// GRPCStatus is called by package status.
func (e *rejectedError) GRPCStatus() *status.Status {
	return status.New(codes.Unavailable, e.Error())
}
