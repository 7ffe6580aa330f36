package indexes

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/backoff/adapt"
)

// An unavailable is a stream that opens and gives nothing.
type unavailable struct{ grpc.ClientStream }

func (unavailable) RecvMsg(any) error { return errUnavailable }
func (unavailable) CloseSend() error  { return nil }

var errUnavailable = status.Error(codes.Unavailable, "failed")

// grpcOptions lets the interceptor make attempts until enough delays are recorded.
// WithMax is the number of attempts.
func grpcOptions(seq iter.Seq[time.Duration], r *record) []retry.CallOption {
	delay := r.of(adapt.FuncFrom(1, seq))
	return []retry.CallOption{
		retry.WithMax(enough + 1),
		retry.WithBackoff(func(_ context.Context, attempt uint) time.Duration { return delay(int(attempt)) }),
	}
}

func grpcUnary(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	call := retry.UnaryClientInterceptor(grpcOptions(seq, r)...)
	attempts := 0
	wantError(t, call(t.Context(), "/service/method", nil, nil, nil,
		func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
			attempts++
			return errUnavailable
		}), errUnavailable)
	if attempts != enough+1 {
		t.Errorf("WithMax(%d) makes %d attempts, want as many", enough+1, attempts)
	}
}

func grpcStream(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	open := retry.StreamClientInterceptor(grpcOptions(seq, r)...)
	_, err := open(t.Context(), &grpc.StreamDesc{ServerStreams: true}, nil, "/service/method",
		func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
			return nil, errUnavailable
		})
	wantError(t, err, errUnavailable)
}

func grpcReceive(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	open := retry.StreamClientInterceptor(grpcOptions(seq, r)...)
	stream, err := open(t.Context(), &grpc.StreamDesc{ServerStreams: true}, nil, "/service/method",
		func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
			return unavailable{}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, stream.RecvMsg(nil), errUnavailable)
}
