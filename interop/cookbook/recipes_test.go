package cookbook

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrysql"
)

var errFunds = errors.New("insufficient funds")

// transfer moves cents between two accounts and returns the new balance of the first.
func transfer(ctx context.Context, db *sql.DB, from, to, cents int) (balance int, err error) {
	delays := backoff.Take(backoff.DecorrelatedJitter(10*time.Millisecond, time.Second), 10)
	err = retrysql.Tx(ctx, db, delays, func(ctx context.Context, tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, "UPDATE account SET cents = cents - ? WHERE id = ? RETURNING cents", cents, from)
		if err := row.Scan(&balance); err != nil { // sets balance, and adds nothing to it
			return err
		}
		if balance < 0 {
			return errFunds // not retryable: Tx rolls back and returns it
		}
		_, err := tx.ExecContext(ctx, "UPDATE account SET cents = cents + ? WHERE id = ?", cents, to)
		return err
	}, retrysql.KeepDelays()) // the schedule has its own jitter
	return balance, err
}

// check retries calls that the server did not process, or that took longer than 2 s.
func check(ctx context.Context, client healthpb.HealthClient, delays iter.Seq[time.Duration]) (*healthpb.HealthCheckResponse, error) {
	return retry.Value(ctx, delays, func(ctx context.Context) (*healthpb.HealthCheckResponse, error) {
		return client.Check(ctx, &healthpb.HealthCheckRequest{})
	},
		retry.AttemptTimeout(2*time.Second),
		retry.If(func(err error) bool {
			switch status.Code(err) {
			case codes.Unavailable, codes.ResourceExhausted:
				return true
			case codes.DeadlineExceeded: // of the attempt, which the server may notice first
				return true
			}
			return false
		}))
}

type config struct {
	URL   string    `yaml:"url"`
	Retry expr.Expr `yaml:"retry,omitempty"`
}

func load(r io.Reader) (config, error) {
	var c config
	err := yaml.NewDecoder(r).Decode(&c)
	return c, err
}

// newBreaker opens after 5 failures in a row, for 30 s. Share one for a server.
func newBreaker() circuitbreaker.CircuitBreaker[any] {
	return circuitbreaker.NewBuilder[any]().WithFailureThreshold(5).WithDelay(30 * time.Second).Build()
}

// breakerInside counts every attempt, and stops retrying while the breaker is open.
func breakerInside(ctx context.Context, breaker circuitbreaker.CircuitBreaker[any], delays iter.Seq[time.Duration], send func(context.Context) error) error {
	return retry.Do(ctx, delays, func(ctx context.Context) error {
		err := failsafe.With(breaker).Run(func() error { return send(ctx) })
		if errors.Is(err, circuitbreaker.ErrOpen) {
			return retry.Permanent(err)
		}
		return err
	})
}

// breakerAround counts a call with all its attempts once.
func breakerAround(ctx context.Context, breaker circuitbreaker.CircuitBreaker[any], delays iter.Seq[time.Duration], send func(context.Context) error) error {
	return failsafe.With(breaker).Run(func() error { return retry.Do(ctx, delays, send) })
}

// hedged sends a second request if the first one takes longer than 200 ms, takes the
// first answer, and retries if that is an error.
func hedged(ctx context.Context, delays iter.Seq[time.Duration], get func(context.Context) (string, error)) (string, error) {
	hedge := hedgepolicy.NewWithDelay[string](200 * time.Millisecond)
	return retry.Value(ctx, delays, func(ctx context.Context) (string, error) {
		return failsafe.With(hedge).WithContext(ctx).GetWithExecution(func(e failsafe.Execution[string]) (string, error) {
			return get(e.Context())
		})
	})
}
