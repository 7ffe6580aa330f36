package retry_test

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"example.com/backoff/retry"
)

// The signatures that callers outside of this repository compile against.
var (
	_ func(context.Context, iter.Seq[time.Duration], func(context.Context) error, ...retry.Option) error               = retry.Do
	_ func(context.Context, iter.Seq[time.Duration], func(context.Context) (int, error), ...retry.Option) (int, error) = retry.Value[int]
	_ func(context.Context, iter.Seq[time.Duration], ...retry.Option) *retry.Loop                                      = retry.NewLoop
	_ func(*retry.Loop) iter.Seq[int]                                                                                  = (*retry.Loop).Attempts
	_ func(*retry.Loop, error)                                                                                         = (*retry.Loop).Fail
	_ func(*retry.Loop) error                                                                                          = (*retry.Loop).Err
	_ func(error) error                                                                                                = retry.Permanent
	_ func(error, time.Duration) error                                                                                 = retry.After
	_ func(func(error) bool) retry.Option                                                                              = retry.If
	_ func(time.Duration) retry.Option                                                                                 = retry.AttemptTimeout
	_ func(time.Duration) retry.Option                                                                                 = retry.MaxElapsed
	_ func(int) retry.Option                                                                                           = retry.MaxAttempts
	_ func(time.Duration) retry.Option                                                                                 = retry.MaxAfter
	_ func(time.Duration) retry.Option                                                                                 = retry.ResetAfter
	_ func(func(retry.Event)) retry.Option                                                                             = retry.OnRetry
	_ func(*slog.Logger) retry.Option                                                                                  = retry.WithLogger
	_ func(int) retry.Option                                                                                           = retry.KeepErrors
	_ func(*retry.Budget) retry.Option                                                                                 = retry.WithBudget
	_ func(maxTokens, ratio float64) *retry.Budget                                                                     = retry.NewBudget
	_ func(maxTokens, ratio float64) *retry.TokenBucket                                                                = retry.NewTokenBucket
	_ func(maxTokens, retryCost, timeoutCost, noRetryIncrement int) *retry.Quota                                       = retry.NewQuota
	_ func(ratio, minPerSecond float64, window time.Duration) *retry.RatioBudget                                       = retry.NewRatioBudget
	_ func(k float64, window time.Duration) *retry.Throttle                                                            = retry.NewThrottle
	_                                                                                                                  = []retry.Limiter{(*retry.Budget)(nil), (*retry.TokenBucket)(nil), (*retry.Quota)(nil), (*retry.RatioBudget)(nil), (*retry.Throttle)(nil)}
	_                                                                                                                  = []error{retry.ErrThrottled, retry.ErrExhausted, retry.ErrDeadline, retry.ErrBudget, retry.ErrElapsed}
	_                                                                                                                  = retry.Error{Attempts: 1, Elapsed: time.Second, Last: nil, Cause: nil}
	_                                                                                                                  = retry.Event{Attempt: 1, Err: nil, Delay: time.Second, Elapsed: time.Second}
	_ func(*retry.Error) []error                                                                                       = (*retry.Error).Unwrap
)
