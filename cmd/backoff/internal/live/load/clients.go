package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/live/server"
	"example.com/backoff/expr"
	"example.com/backoff/retry"
	"example.com/backoff/sim/overload"
)

// clients are the clients of the experiment: each thinks, sends requests until one succeeds
// or its schedule ends, and thinks again.
type clients struct {
	schedule *expr.Expr
	think    time.Duration // mean of an exponential distribution
	timeout  time.Duration
	seed     uint64
	url      string
	http     *http.Client
	record   *timeline
	lateness server.Lateness
	shortage atomic.Pointer[string] // what this machine had too few of, if a request failed for that
	refusal  atomic.Pointer[string] // why the first request failed that did not time out
}

// newHTTP returns the client that most programs in Go have: one transport for all requests,
// which keeps two idle connections and makes one for each other request. So the server has
// to accept a connection for nearly every request, and for every one while it is stopped,
// because a request that times out closes its connection.
//
// That transport goes on connecting for a request that has ended, and gives the connection
// to another one that waits. If the accept queue was full, thousands of attempts are on
// their way when the server resumes, some in every millisecond, so a request that still
// waits is connected at once, and not when the system tries again for it alone. The client
// uses no proxy and follows no redirect.
func newHTTP(dialTimeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// run is one client, until ctx is done.
func (c *clients) run(ctx context.Context, number int) {
	random := rand.New(rand.NewPCG(c.seed, uint64(number)))
	for {
		thinks := time.Duration(min(random.ExpFloat64()*float64(c.think), float64(time.Hour*24*365)))
		if backoff.Sleep(ctx, thinks) != nil {
			return
		}
		delays := c.schedule.Seeded(random.Uint64())
		again := false
		// The attempts have been counted, so the error is of no use.
		retry.Do(ctx, delays, func(attempt context.Context) error {
			c.record.count(func(s *overload.Second) {
				if again {
					s.Retries++
				} else {
					s.First++
				}
			})
			again = true
			err := c.request(attempt)
			if ctx.Err() == nil {
				c.record.count(func(s *overload.Second) { countEnd(s, err) })
				if err != nil && !timedOut(err) {
					c.refusal.CompareAndSwap(nil, new(err.Error()))
				}
				if what := server.Shortage(err); what != "" {
					c.shortage.Store(&what)
				}
			}
			return err
		}, retry.AttemptTimeout(c.timeout))
	}
}

// request makes one request.
func (c *clients) request(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	return nil
}

// countEnd counts the end of a request.
func countEnd(s *overload.Second, err error) {
	switch {
	case err == nil:
		s.OK++
	case timedOut(err):
		s.Timeouts++
	default:
		s.Refused++
	}
}

func timedOut(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
