package retrygrpc_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/retry/retrygrpc"
)

// letters are the steps of a script in one letter each.
var letters = map[rune]step{
	'+': answer("yes"),
	'-': fail(codes.Unavailable),
	'0': push("0"),
	's': push("-1"),
	'i': fail(codes.Internal), // which is not retried
	'S': func(s grpc.ServerStream) error { // the server stops what would not be retried
		push("-1")(s)
		return status.Error(codes.Internal, "scripted")
	},
}

// result is one call of a script.
type result struct {
	Code     codes.Code
	Attempts int
}

// play makes calls until script is used up. Every third is a stream. There are
// connections of each set of options, which take turns.
func play(t scope, script string, dials ...[]grpc.DialOption) []result {
	var steps []step
	for _, letter := range script {
		steps = append(steps, letters[letter])
	}
	s, connect := serve(t, steps...)
	var conns []*grpc.ClientConn
	for _, dial := range dials {
		conns = append(conns, connect(dial...))
	}
	var results []result
	for n := 0; len(s.seen()) < len(script); n++ {
		before := len(s.seen())
		err := kinds[n%3/2].call(context.Background(), conns[n%len(conns)])
		results = append(results, result{status.Code(err), len(s.seen()) - before})
	}
	return results
}

// ours and theirs make 5 attempts with a budget of a connection.
func ours(throttle retrygrpc.Option) []grpc.DialOption {
	return retrygrpc.DialOptions(backoff.Take(backoff.Constant(time.Second), 4), throttle)
}

func theirs(maxTokens, ratio float64) []grpc.DialOption {
	throttling := fmt.Sprintf(`, "retryThrottling": {"maxTokens": %v, "tokenRatio": %v}`, maxTokens, ratio)
	return []grpc.DialOption{grpc.WithDefaultServiceConfig(policy("test.Service", throttling))}
}

// The table of grpc-go's own test of gRFC A6, against the interceptors and against
// grpc-go itself: of each call its code, its attempts and the tokens after it.
func TestThrottleTable(t *testing.T) {
	const script = "+--+--+---+++++-+--"
	want := []result{
		{codes.OK, 1},          // 10
		{codes.OK, 3},          // 8.5
		{codes.OK, 3},          // 7
		{codes.Unavailable, 2}, // 5: the first may be retried, the second may not
		{codes.Unavailable, 1}, // 4
		{codes.OK, 1},          // 4.5
		{codes.OK, 1},          // 5
		{codes.OK, 1},          // 5.5
		{codes.OK, 1},          // 6
		{codes.OK, 1},          // 6.5
		{codes.OK, 2},          // 6
		{codes.Unavailable, 1}, // 5
		{codes.Unavailable, 1}, // 4
	}
	for name, dial := range map[string][]grpc.DialOption{
		"ours":   ours(retrygrpc.Throttle(10, 0.5)),
		"theirs": theirs(10, 0.5),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if d := cmp.Diff(want, play(t, script, dial)); d != "" {
					t.Errorf("calls (-want +got):\n%s", d)
				}
			})
		})
	}
}

// Whatever the server does, the interceptors make as many attempts as grpc-go, if both
// have the same throttling.
func TestThrottleAsInGRPC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, testThrottleAsInGRPC) })
}

func testThrottleAsInGRPC(t *rapid.T) {
	// Ratios of which grpc-go adds up exact sums in float64.
	ratio := rapid.SampledFrom([]float64{0.125, 0.25, 0.5, 1, 3}).Draw(t, "ratio")
	maxTokens := float64(rapid.IntRange(1, 12).Draw(t, "maxTokens"))
	script := rapid.StringOfN(rapid.SampledFrom([]rune("+++---0sSi")), 1, 40, -1).Draw(t, "script")
	script += "+" // so that no call needs more
	want := play(t, script, theirs(maxTokens, ratio))
	got := play(t, script, ours(retrygrpc.Throttle(maxTokens, ratio)))
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("calls (-grpc-go +ours):\n%s", d)
	}
}

// A budget belongs to a connection: two share nothing, though they were dialled with the
// same options. The interceptors of one connection share it if they got one Option.
func TestThrottleOfConnection(t *testing.T) {
	delays := backoff.Take(backoff.Constant(time.Second), 4)
	throttle := retrygrpc.Throttle(4, 1)
	shared := ours(throttle)
	byHand := func(unary, stream retrygrpc.Option) []grpc.DialOption {
		return []grpc.DialOption{
			grpc.WithUnaryInterceptor(retrygrpc.UnaryClientInterceptor(delays, unary)),
			grpc.WithStreamInterceptor(retrygrpc.StreamClientInterceptor(delays, stream)),
		}
	}
	const script = "--------"
	two, one := result{codes.Unavailable, 2}, result{codes.Unavailable, 1}
	for _, row := range []struct {
		name  string
		dials [][]grpc.DialOption
		want  []result // unary, unary, stream, ...
	}{
		{"one connection", [][]grpc.DialOption{shared}, []result{two, one, one, one, one, one, one}},
		{"two connections", [][]grpc.DialOption{shared, shared}, []result{two, two, one, one, one, one}},
		{"one option", [][]grpc.DialOption{byHand(throttle, throttle)}, []result{two, one, one, one, one, one, one}},
		{
			"two options",
			[][]grpc.DialOption{byHand(retrygrpc.Throttle(4, 1), retrygrpc.Throttle(4, 1))},
			[]result{two, one, two, one, one, one},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if d := cmp.Diff(row.want, play(t, script, row.dials...)); d != "" {
					t.Errorf("calls (-want +got):\n%s", d)
				}
			})
		})
	}
}

// By default a connection allows 49 failures in a row to be retried.
func TestThrottleDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := make([]step, 60)
		for i := range script {
			script[i] = fail(codes.Unavailable)
		}
		s, connect := serve(t, script...)
		_, err := call(context.Background(), connect(retrygrpc.DialOptions(backoff.Constant(time.Second))...))
		if got := len(s.seen()); got != 50 {
			t.Errorf("%d attempts, want 50: %v", got, err)
		}
	})
}
