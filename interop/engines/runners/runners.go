// Package runners runs libraries that retry an operation in their own loop, on a schedule
// that package adapt gives them.
//
// The libraries differ in who decides when the retries end. cenkalti/backoff and
// sethvargo/go-retry ask for each delay and can be told that there is none, so a schedule
// that ends there ends the retries. avast/retry-go and failsafe-go count attempts
// themselves, and a schedule that ends holds its last delay.
//
// Seen in their sources, and tested here:
//
//   - cenkalti/backoff from v5 on gives up after 15 minutes, whatever its BackOff says,
//     unless WithMaxElapsedTime says otherwise;
//   - sethvargo/go-retry retries only errors that RetryableError marks;
//   - avast/retry-go makes 10 attempts unless Attempts says otherwise, and 0 means
//     no limit;
//   - failsafe-go makes 3 attempts unless WithMaxRetries says otherwise, and −1 means
//     no limit. A delay function that returns −1 has no opinion.
package runners

import (
	"context"
	"errors"
	"iter"
	"time"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// A Runner is a library, at one of its major versions.
type Runner struct {
	Name   string
	Module string

	// Measure lets the library retry an operation that always fails, and returns the
	// first n delays as asked and as kept. There are fewer if the library gives up.
	Measure func(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error)

	// Engine is its row in package adapt. If Engine.Stops, the library gives up where the
	// schedule ends. If not, it holds the last delay.
	Engine adapt.Engine
}

// Runners returns all libraries.
func Runners() []Runner {
	return []Runner{
		{"cenkalti/backoff v4", "github.com/cenkalti/backoff/v4", cenkaltiV4, adapt.Cenkalti},
		{"cenkalti/backoff v5", "github.com/cenkalti/backoff/v5", cenkaltiV5, adapt.Cenkalti},
		{"cenkalti/backoff v6", "github.com/cenkalti/backoff/v6", cenkaltiV6, adapt.Cenkalti},
		{"cenkalti/backoff v7", "github.com/cenkalti/backoff/v7", cenkaltiV7, adapt.Cenkalti},
		{"sethvargo/go-retry", "github.com/sethvargo/go-retry", sethvargo, adapt.Sethvargo},
		{"avast/retry-go v4", "github.com/avast/retry-go/v4", avastV4, adapt.Avast},
		{"avast/retry-go v5", "github.com/avast/retry-go/v5", avastV5, adapt.Avast},
		{"failsafe-go", "github.com/failsafe-go/failsafe-go", failsafeGo, adapt.Failsafe},
	}
}

var errFailed = errors.New("failed")

// A job is an operation that fails until enough delays are recorded.
type job struct {
	kept.Recorder
	n int
}

// attempt runs the operation once.
func (j *job) attempt() error {
	j.Attempt()
	if len(j.Delays()) >= j.n {
		return nil
	}
	return errFailed
}

// done returns the delays after the library returned err. If ctx has ended, that is the
// error, even where the library returns it along with the operation's.
func (j *job) done(ctx context.Context, err error) ([]kept.Delay, error) {
	if ended := context.Cause(ctx); ended != nil {
		return nil, ended
	}
	if err != nil && !errors.Is(err, errFailed) {
		return nil, err
	}
	return j.Delays(), nil
}
