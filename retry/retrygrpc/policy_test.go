package retrygrpc_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/retry/retrygrpc"
)

// policy is a service config with a retryPolicy of the most attempts that grpc-go makes,
// and with more members.
func policy(service, more string) string {
	return fmt.Sprintf(`{"methodConfig": [{
		"name": [{"service": %q}],
		"retryPolicy": {
			"maxAttempts": 5, "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]%s}`, service, more)
}

// The attempts of a retryPolicy do not multiply with those of the interceptors.
func TestRetryPolicy(t *testing.T) {
	for _, row := range []struct {
		name     string
		service  string
		opts     []retrygrpc.Option
		dial     []grpc.DialOption
		want     codes.Code
		refused  bool
		attempts int
	}{
		{name: "of the service", service: "test.Service", want: codes.FailedPrecondition, refused: true},
		{name: "of all services", service: "", want: codes.FailedPrecondition, refused: true},
		{name: "of another service", service: "test.Other", want: codes.Unavailable, attempts: 2},
		{
			name: "turned off, but nobody says that it is", service: "test.Service",
			dial: []grpc.DialOption{grpc.WithDisableRetry()},
			want: codes.FailedPrecondition, refused: true,
		},
		{
			name: "turned off", service: "test.Service",
			dial: []grpc.DialOption{grpc.WithDisableRetry()}, opts: []retrygrpc.Option{retrygrpc.AllowRetryPolicy()},
			want: codes.Unavailable, attempts: 2,
		},
		{
			name: "allowed", service: "test.Service", opts: []retrygrpc.Option{retrygrpc.AllowRetryPolicy()},
			want: codes.Unavailable, attempts: 10,
		},
		{
			name: "of a method that is not retried", service: "test.Service",
			opts: []retrygrpc.Option{retrygrpc.Methods(func(string) bool { return false })},
			want: codes.Unavailable, attempts: 5,
		},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var script []step
					for range 20 {
						script = append(script, fail(codes.Unavailable))
					}
					s, connect := serve(t, script...)
					conn := connect(append(append(
						retrygrpc.DialOptions(backoff.Take(backoff.Constant(time.Second), 1), row.opts...), row.dial...),
						grpc.WithDefaultServiceConfig(policy(row.service, "")))...)
					conn.Connect()
					synctest.Wait() // until the service config is known
					err := kind.call(context.Background(), conn)
					if got := status.Code(err); got != row.want || errors.Is(err, retrygrpc.ErrRetryPolicy) != row.refused {
						t.Errorf("error %v, want %v", err, row.want)
					}
					if got := len(s.seen()); got != row.attempts {
						t.Errorf("%d attempts, want %d", got, row.attempts)
					}
				})
			})
		}
	}
}

// A service config that is not known when the first call begins is seen when it fails.
func TestRetryPolicyArrives(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				names := manual.NewBuilderWithScheme("late")
				s, connect := serve(t, fail(codes.Unavailable), fail(codes.Unavailable), fail(codes.Unavailable), fail(codes.Unavailable), fail(codes.Unavailable))
				s.target = "late:///server"
				conn := connect(append(retrygrpc.DialOptions(backoff.Constant(time.Second)), grpc.WithResolvers(names))...)
				time.AfterFunc(time.Minute, func() {
					names.UpdateState(resolver.State{
						Addresses:     []resolver.Address{{Addr: "server"}},
						ServiceConfig: names.CC().ParseServiceConfig(policy("test.Service", "")),
					})
				})
				for i := range 2 {
					err := kind.call(context.Background(), conn)
					if !errors.Is(err, retrygrpc.ErrRetryPolicy) || status.Code(err) != codes.FailedPrecondition {
						t.Errorf("call %d: got %v, want ErrRetryPolicy", i, err)
					}
				}
				if got := len(s.seen()); got != 5 { // those of the policy
					t.Errorf("%d attempts, want 5", got)
				}
			})
		})
	}
}
