// Package cookbook holds the Go of docs/cookbook.md that needs other modules, and tests
// that it does what the page says. The root's internal/cookbook checks that the page has
// the same text.
package cookbook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	_ "modernc.org/sqlite"

	"example.com/backoff"
	"example.com/backoff/retry"
)

var errRefused = errors.New("refused")

// millis is a schedule of n delays of a millisecond.
func millis(n int) iter.Seq[time.Duration] {
	return backoff.Take(backoff.Constant(time.Millisecond), n)
}

// Transfers that run at the same time fail with BUSY, are retried, and lose no money.
func TestTransfer(t *testing.T) {
	name := filepath.Join(t.TempDir(), "test.db")
	db, err := sql.Open("sqlite", "file:"+name+"?_txlock=immediate&_pragma=busy_timeout(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE account (id INTEGER PRIMARY KEY, cents INTEGER); INSERT INTO account VALUES (1, 1000), (2, 0)"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			// Ten retries may not be enough where another has the lock and no processor.
			_, err := transfer(t.Context(), db, 1, 2, 100)
			for calls := 1; errors.Is(err, retry.ErrExhausted) && calls < 100; calls++ {
				_, err = transfer(t.Context(), db, 1, 2, 100)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if balance, err := transfer(t.Context(), db, 1, 2, 500); balance != 100 || err != nil {
		t.Errorf("balance is %d, %v, want 100", balance, err)
	}
	if _, err := transfer(t.Context(), db, 1, 2, 500); err != errFunds {
		t.Errorf("error is %v, want %v", err, errFunds)
	}
	var cents string
	if err := db.QueryRow("SELECT group_concat(cents) FROM account").Scan(&cents); cents != "100,900" || err != nil {
		t.Errorf("accounts have %s, %v, want 100,900", cents, err)
	}
}

// health answers with these codes, and hangs where it is -1.
type health struct {
	healthpb.UnimplementedHealthServer
	codes []int
	calls atomic.Int32
}

func (h *health) Check(ctx context.Context, _ *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	code := h.codes[h.calls.Add(1)-1]
	if code < 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return new(healthpb.HealthCheckResponse), status.Error(codes.Code(code), "from the test")
}

func TestCheck(t *testing.T) {
	for _, row := range []struct {
		codes []int
		want  codes.Code
		calls int32
	}{
		{[]int{int(codes.Unavailable), int(codes.ResourceExhausted), int(codes.OK)}, codes.OK, 3},
		{[]int{-1, int(codes.OK)}, codes.OK, 2},
		{[]int{int(codes.Unavailable), int(codes.InvalidArgument)}, codes.InvalidArgument, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			listener := bufconn.Listen(1 << 16)
			h := &health{codes: row.codes}
			server := grpc.NewServer()
			defer server.Stop()
			healthpb.RegisterHealthServer(server, h)
			go server.Serve(listener)
			conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, err = check(t.Context(), healthpb.NewHealthClient(conn), millis(4))
			if status.Code(err) != row.want || h.calls.Load() != row.calls {
				t.Errorf("%v: %v after %d calls, want %v after %d", row.codes, err, h.calls.Load(), row.want, row.calls)
			}
		})
	}
}

func TestYAML(t *testing.T) {
	for text, want := range map[string]string{
		"url: http://a/\nretry: constant(1s) | take(3)\n": "constant(1s) | take(3)",
		"url: http://a/\n":              "",
		"retry: constant(1s) | take(x)": "column 21: take: n is x",
	} {
		c, err := load(strings.NewReader(text))
		if err != nil {
			if want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
			continue
		}
		if got := c.Retry.String(); got != want || c.Retry.IsZero() != (want == "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again, err := yaml.Marshal(c); string(again) != text || err != nil {
			t.Errorf("%q is written as %q, %v", text, again, err)
		}
	}
}

func TestBreaker(t *testing.T) {
	for _, row := range []struct {
		name string
		call func(context.Context, circuitbreaker.CircuitBreaker[any], iter.Seq[time.Duration], func(context.Context) error) error
		open int // calls of send until the breaker is open, in 6 calls of 3 attempts
	}{
		{"breakerInside", breakerInside, 5},
		{"breakerAround", breakerAround, 15},
	} {
		synctest.Test(t, func(t *testing.T) { // the breaker has a clock
			calls := 0
			send := func(context.Context) error {
				calls++
				return errRefused
			}
			breaker := newBreaker()
			var last error
			for range 6 {
				last = row.call(t.Context(), breaker, millis(2), send)
			}
			if calls != row.open || !errors.Is(last, circuitbreaker.ErrOpen) {
				t.Errorf("%s: %d attempts and %v, want %d until the breaker is open", row.name, calls, last, row.open)
			}
			if errors.As(last, new(*retry.Error)) {
				t.Errorf("%s: an open breaker was retried: %v", row.name, last)
			}
			breaker.Close()
			if err := row.call(t.Context(), breaker, millis(2), func(context.Context) error { return nil }); err != nil {
				t.Errorf("%s: closed again: %v", row.name, err)
			}
		})
	}
}

func TestHedged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		cancelled := make(chan struct{})
		got, err := hedged(t.Context(), millis(2), func(ctx context.Context) (string, error) {
			switch n := calls.Add(1); n {
			case 1:
				return "", errRefused // an error is the first answer: it is retried
			case 2:
				<-ctx.Done() // it hangs, until the hedge has an answer
				close(cancelled)
				return "", ctx.Err()
			default:
				return fmt.Sprint("request ", n), nil
			}
		})
		if got != "request 3" || err != nil {
			t.Errorf("got %q, %v, want the answer of request 3", got, err)
		}
		<-cancelled
	})
}
