package retrygrpc_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrygrpc"
)

// inform fails with a RetryInfo, after do has set a trailer.
func inform(info *durationpb.Duration, do step) step {
	return func(s grpc.ServerStream) error {
		do(s)
		st, err := status.New(codes.Unavailable, "scripted").WithDetails(&errdetails.RetryInfo{RetryDelay: info})
		if err != nil {
			return err
		}
		return st.Err()
	}
}

// What a server asks for, where the schedule has 1 s.
func TestPushback(t *testing.T) {
	none := fail(codes.Unavailable)
	const stops = -1
	for _, row := range []struct {
		name string
		do   step
		opts []retry.Option
		want time.Duration // between the attempts
	}{
		{name: "nothing", do: none, want: time.Second},
		{name: "0", do: push("0"), want: time.Second},
		{name: "shorter", do: push("999"), want: time.Second},
		{name: "longer", do: push("1001"), want: 1001 * time.Millisecond},
		{name: "the longest", do: push("300000"), want: 5 * time.Minute},
		{name: "longer than that", do: push("300001"), want: 5 * time.Minute},
		{name: "the largest", do: push("2147483647"), want: 5 * time.Minute},
		{name: "too large", do: push("2147483648"), want: stops},
		{name: "absurdly large", do: push("99999999999999999999"), want: stops},
		{name: "MaxAfter", do: push("60000"), opts: []retry.Option{retry.MaxAfter(10 * time.Second)}, want: 10 * time.Second},
		{name: "MaxAfter more", do: push("600000"), opts: []retry.Option{retry.MaxAfter(time.Hour)}, want: 10 * time.Minute},
		{name: "MaxAfter 0", do: push("60000"), opts: []retry.Option{retry.MaxAfter(0)}, want: time.Second},
		{name: "-1", do: push("-1"), want: stops},
		{name: "-1 and MaxAfter 0", do: push("-1"), opts: []retry.Option{retry.MaxAfter(0)}, want: stops},
		{name: "-1 and If", do: push("-1"), opts: []retry.Option{retry.If(func(error) bool { return true })}, want: stops},
		{name: "a word", do: push("never"), want: stops},
		{name: "a fraction", do: push("1.5"), want: stops},
		{name: "a unit", do: push("1500ms"), want: stops},
		{name: "empty", do: push(""), want: stops},
		{name: "two", do: push("1500", "1500"), want: stops},
		{name: "info", do: inform(durationpb.New(2*time.Second), none), want: 2 * time.Second},
		{name: "shorter info", do: inform(durationpb.New(time.Millisecond), none), want: time.Second},
		{name: "negative info", do: inform(durationpb.New(-time.Hour), none), want: time.Second},
		{name: "info without a delay", do: inform(nil, none), want: time.Second},
		{name: "absurd info", do: inform(&durationpb.Duration{Seconds: 1 << 62}, none), want: 5 * time.Minute},
		{name: "info after a longer pushback", do: inform(durationpb.New(2*time.Second), push("3000")), want: 3 * time.Second},
		{name: "info after a shorter pushback", do: inform(durationpb.New(3*time.Second), push("2000")), want: 3 * time.Second},
		{name: "info after a pushback that stops", do: inform(durationpb.New(3*time.Second), push("-1")), want: stops},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, connect := serve(t, row.do, answer("yes"))
					conn := connect(retrygrpc.DialOptions(backoff.Constant(time.Second), retrygrpc.Retry(row.opts...))...)
					want, wantErr := []time.Duration{0}, outcome{Code: codes.Unavailable}
					if row.want != stops {
						want, wantErr = append(want, row.want), outcome{}
					}
					err := kind.call(context.Background(), conn)
					if d := cmp.Diff(wantErr, outcomeOf(err)); d != "" {
						t.Errorf("outcome (-want +got):\n%s", d)
					}
					if d := cmp.Diff(want, s.times()); d != "" {
						t.Errorf("attempts (-want +got):\n%s", d)
					}
				})
			})
		}
	}
}

// A pushback does not make another code one that is retried.
func TestPushbackOfAnotherCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, connect := serve(t, func(stream grpc.ServerStream) error {
			push("1000")(stream)
			return status.Error(codes.NotFound, "scripted")
		})
		_, err := call(context.Background(), connect(retrygrpc.DialOptions(backoff.Constant(time.Second))...))
		if status.Code(err) != codes.NotFound || len(s.seen()) != 1 {
			t.Errorf("got %v after %d attempts, want NotFound after 1", err, len(s.seen()))
		}
	})
}

// A pushback that stops takes no token from a budget of the caller, as Retry says.
func TestPushbackAndOwnBudget(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				budget := retry.NewBudget(10, 0.5)
				_, connect := serve(t, push("0"), push("-1"))
				err := kind.call(context.Background(), connect(retrygrpc.DialOptions(backoff.Constant(time.Second),
					retrygrpc.Retry(retry.WithBudget(budget)))...))
				if got := budget.Tokens(); status.Code(err) != codes.Unavailable || got != 9 {
					t.Errorf("%v tokens after %v, want 9", got, err)
				}
			})
		})
	}
}
