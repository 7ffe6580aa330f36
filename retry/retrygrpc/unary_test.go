package retrygrpc_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"example.com/backoff"
	"example.com/backoff/retry/retrygrpc"
)

// The delays are exact, and each attempt carries the number of those before it.
func TestUnary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, connect := serve(t, fail(codes.Unavailable), fail(codes.Unavailable), fail(codes.Unavailable), answer("yes"))
		conn := connect(retrygrpc.DialOptions(backoff.Exponential(time.Second, 2))...)
		got, err := call(context.Background(), conn)
		if got != "yes" || err != nil {
			t.Errorf("got %q, %v, want yes", got, err)
		}
		request := []string{"request"}
		want := []arrival{{0, "", request}, {time.Second, "1", request}, {3 * time.Second, "2", request}, {7 * time.Second, "3", request}}
		if d := cmp.Diff(want, s.seen()); d != "" {
			t.Errorf("attempts (-want +got):\n%s", d)
		}
	})
}
