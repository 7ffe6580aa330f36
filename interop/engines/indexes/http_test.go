package indexes

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/olivere/elastic/v7"

	"example.com/backoff/adapt"
)

// A broken is a transport that always fails.
type broken struct{}

func (broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, errFailed }

// retryable is an error that the AWS SDK retries.
type retryable struct{}

func (retryable) Error() string        { return "failed" }
func (retryable) RetryableError() bool { return true }

func awsBackoffDelay(mode string) func(*testing.T, iter.Seq[time.Duration], *record) {
	return func(t *testing.T, seq iter.Seq[time.Duration], r *record) {
		t.Setenv("AWS_NEW_RETRIES_2026", mode)
		delays := adapt.BackoffDelay(seq)
		awsRequest(t, awsretry.NewStandard(func(o *awsretry.StandardOptions) {
			o.MaxAttempts = enough + 1
			o.Backoff = awsretry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
				d, err := delays.BackoffDelay(attempt, err)
				return r.call(attempt, d), err
			})
		}))
	}
}

// awsRequest is a request that always fails, in the middleware that makes the attempts.
func awsRequest(t *testing.T, r aws.Retryer) {
	m := awsretry.NewAttemptMiddleware(r, func(request any) any { return request })
	next := middleware.FinalizeHandlerFunc(func(context.Context, middleware.FinalizeInput) (middleware.FinalizeOutput, middleware.Metadata, error) {
		return middleware.FinalizeOutput{}, middleware.Metadata{}, retryable{}
	})
	_, _, err := m.HandleFinalize(t.Context(), middleware.FinalizeInput{}, next)
	wantError(t, err, retryable{})
}

func retryableBackoff(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := adapt.HTTPBackoff(seq, time.Minute, func(r *http.Response) http.Header { return r.Header })
	c := retryablehttp.NewClient()
	c.Logger, c.RetryMax, c.HTTPClient.Transport = nil, enough, broken{}
	c.Backoff = func(lo, hi time.Duration, n int, response *http.Response) time.Duration {
		return r.call(n, delay(lo, hi, n, response))
	}
	_, err := c.Get("http://localhost")
	wantError(t, err, errFailed)
}

func elasticRetryBackoff(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	wantError(t, elasticRequest(t, r.of(adapt.FuncFrom(1, seq)), enough), errFailed)
}

func elasticRequest(t *testing.T, delay func(int) time.Duration, maxRetries int) error {
	c, err := elastictransport.NewClient(
		elastictransport.WithURLs(&url.URL{Scheme: "http", Host: "localhost"}),
		elastictransport.WithTransport(broken{}),
		elastictransport.WithMaxRetries(maxRetries),
		elastictransport.WithRetryBackoff(delay),
	)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Perform(request)
	return err
}

// TestElasticWaitsOnceMore: elastic-transport-go also waits after the last attempt, for
// nothing. If this fails, it no longer does: correct the table of hooks.
func TestElasticWaitsOnceMore(t *testing.T) {
	r := newRecord()
	const retries = 2
	wantError(t, elasticRequest(t, r.of(func(int) time.Duration { return 0 }), retries), errFailed)
	if got := r.len(); got != retries+1 {
		t.Errorf("%d calls for %d retries, want one more", got, retries)
	}
}

// An olivere is the interface Backoff of olivere/elastic, without an end.
type olivere func(retry int) time.Duration

func (f olivere) Next(retry int) (time.Duration, bool) { return f(retry), true }

func olivereNext(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	delay := r.of(adapt.FuncFrom(1, seq))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wantError(t, olivereRequest(ctx, t, false, olivere(func(retry int) time.Duration {
		if retry == enough {
			cancel()
		}
		return delay(retry)
	})), nil)
}

// olivereRequest is a request that always fails.
func olivereRequest(ctx context.Context, t *testing.T, healthcheck bool, b elastic.Backoff) error {
	c, err := elastic.NewSimpleClient(
		elastic.SetURL("http://localhost"),
		elastic.SetHttpClient(&http.Client{Transport: cancelled{}}),
		elastic.SetHealthcheck(healthcheck),
		elastic.SetRetrier(elastic.NewBackoffRetrier(b)))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	_, err = c.PerformRequest(ctx, elastic.PerformRequestOptions{Method: http.MethodGet, Path: "/"})
	return err
}

// A cancelled is a transport that always fails, with the context's error if it has ended.
type cancelled struct{}

func (cancelled) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return nil, errFailed
}

// TestOlivereSkipsATick: SimpleBackoff of olivere/elastic itself counts from 0, so its
// first value is never waited for.
func TestOlivereSkipsATick(t *testing.T) {
	r := newRecord()
	simple := elastic.NewSimpleBackoff(11, 22)
	err := olivereRequest(t.Context(), t, false, recorded{simple, r})
	wantError(t, err, errFailed)
	if got := r.first(); len(got) != 2 || got[0] != (call{1, 22 * time.Millisecond}) || got[1].Delay != 0 {
		t.Errorf("%v, want 22 ms for retry 1, and the end", got)
	}
}

type recorded struct {
	elastic.Backoff
	r *record
}

func (b recorded) Next(retry int) (time.Duration, bool) {
	d, ok := b.Backoff.Next(retry)
	return b.r.call(retry, d), ok
}
