// Package cookbook holds the Go of docs/cookbook.md, and tests that it does what the page
// says. The recipes are in recipes_test.go, and the mistakes with their remedies in
// mistakes_test.go. After a change copy the declarations to the page; TestPage compares.
package cookbook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// TestPage checks that each block of Go in the page stands in a file of this folder, or
// of the folder that the comment above it names. A block without a comment is a whole
// program, which the root's tests compile.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../docs/cookbook.md"))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, folder := range []string{"internal/cookbook", "interop/cookbook"} {
		names, err := filepath.Glob(filepath.FromSlash("../../" + folder + "/*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has %d files: %v", folder, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources[folder] += string(text)
		}
	}
	blocks := regexp.MustCompile("(?s)(?:<!-- compiled in (\\S+) -->\n)?```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	found := map[string]int{}
	for _, b := range blocks {
		folder, text := b[1], b[2]
		switch {
		case folder != "" && !strings.Contains(sources[folder], text):
			t.Errorf("this block is not in %s:\n%s", folder, text)
		case folder == "" && !strings.HasPrefix(text, "package main\n"):
			t.Errorf("this block is no program, and no comment says which folder compiles it:\n%s", text)
		}
		found[folder]++
	}
	if found[""] == 0 || found["internal/cookbook"] == 0 || found["interop/cookbook"] == 0 {
		t.Errorf("blocks by folder: %v, want some of each", found)
	}

	// And the other way round, so that no recipe is tested that nobody reads.
	for _, file := range []string{"recipes_test.go", "mistakes_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:func (?:\(.*?\) )?|type |var )(\w+)`).FindAllSubmatch(text, -1) {
			if !bytes.Contains(page, m[0]) {
				t.Errorf("%s: %s is not in docs/cookbook.md", file, m[0])
			}
		}
	}
}

var errRefused = errors.New("refused")

// failing returns an operation that fails n times with err, and counts its calls.
func failing(n int, err error, calls *int) func(context.Context) error {
	return func(context.Context) error {
		*calls++
		if *calls <= n {
			return err
		}
		return nil
	}
}

const always = 1 << 30

// seconds is a schedule of n delays of a second.
func seconds(n int) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(time.Second), n) }

// roundTripper is a transport made of a function of the number of the request, from 1.
type roundTripper struct {
	n      int
	answer func(n int, req *http.Request) (status int, header http.Header, err error)
}

func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	r.n++
	status, header, err := r.answer(r.n, req)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Header: header,
		Body: io.NopCloser(strings.NewReader("hello")), Request: req,
	}, nil
}

// statuses answers with these, and repeats the last one.
func statuses(list ...int) *roundTripper {
	return &roundTripper{answer: func(n int, _ *http.Request) (int, http.Header, error) {
		return list[min(n, len(list))-1], nil, nil
	}}
}

func TestClient(t *testing.T) {
	base := statuses(503, 200)
	defer func(before http.RoundTripper) { http.DefaultTransport = before }(http.DefaultTransport)
	http.DefaultTransport = base
	synctest.Test(t, func(t *testing.T) {
		text, err := get(t.Context(), newClient(), "http://a/")
		if string(text) != "hello" || err != nil || base.n != 2 {
			t.Errorf("get is %q, %v after %d requests, want hello after 2", text, err, base.n)
		}
	})
}

func TestGet(t *testing.T) {
	for _, row := range []struct {
		statuses []int
		want     string // error
		requests int
	}{
		{[]int{503, 200}, "<nil>", 2},
		{[]int{404}, "get http://a/: 404 Not Found", 1},
		{[]int{503}, "get http://a/: retry: 3 attempts in 2s: attempts exhausted: server answered 503 Service Unavailable", 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := statuses(row.statuses...)
			_, err := get(t.Context(), &http.Client{Transport: retryhttp.NewTransport(base, seconds(2))}, "http://a/")
			if fmt.Sprint(err) != row.want || base.n != row.requests {
				t.Errorf("%v: %v after %d requests, want %s after %d", row.statuses, err, base.n, row.want, row.requests)
			}
		})
	}
}

func TestReport(t *testing.T) {
	for _, row := range []struct {
		statuses []int
		want     string
		requests int
	}{
		{[]int{202, 503, 200}, "hello <nil>", 3},
		{[]int{202, 410}, " 410 Gone", 2},
		{[]int{202}, " retry: 4 attempts in 3s: attempts exhausted: 202 Accepted", 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := statuses(row.statuses...)
			text, err := report(t.Context(), &http.Client{Transport: base}, "http://a/", seconds(3))
			if got := fmt.Sprintf("%s %v", text, err); got != row.want || base.n != row.requests {
				t.Errorf("%v: %s after %d requests, want %s after %d", row.statuses, got, base.n, row.want, row.requests)
			}
		})
	}
}

func TestSendOrStop(t *testing.T) {
	cause := errors.New("shutdown")
	for _, row := range []struct {
		name         string
		failures     int
		stop, cancel time.Duration // 0: never
		want         error
		calls        int
		elapsed      time.Duration
	}{
		{"success at once", 0, 0, 0, nil, 1, 0},
		{"success later", 2, 0, 0, nil, 3, 2 * time.Second},
		{"the schedule ends", always, 0, 0, errRefused, 4, 3 * time.Second},
		{"success in the last attempt", 3, 0, 0, nil, 4, 3 * time.Second},
		{"stop", always, 1500 * time.Millisecond, 0, errStopped, 2, 1500 * time.Millisecond},
		{"cancel", always, 0, 2500 * time.Millisecond, cause, 3, 2500 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			stop := make(chan struct{})
			if row.stop > 0 {
				defer time.AfterFunc(row.stop, func() { close(stop) }).Stop()
			}
			if row.cancel > 0 {
				defer time.AfterFunc(row.cancel, func() { cancel(cause) }).Stop()
			}
			calls, start := 0, time.Now()
			err := sendOrStop(ctx, stop, seconds(3), failing(row.failures, errRefused, &calls))
			if !errors.Is(err, row.want) || calls != row.calls || time.Since(start) != row.elapsed {
				t.Errorf("%s: %v after %d calls and %v, want %v after %d and %v",
					row.name, err, calls, time.Since(start), row.want, row.calls, row.elapsed)
			}
			if row.want != nil && !errors.Is(err, errRefused) {
				t.Errorf("%s: %v, which has lost the error of send", row.name, err)
			}
		})
	}
}

func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		messages := make(chan string)
		go func() {
			for i := range 5 {
				time.Sleep(700 * time.Millisecond)
				messages <- fmt.Sprint(i)
			}
			close(messages)
		}()
		var handled []string
		var registered []time.Duration
		start := time.Now()
		err := serve(t.Context(), messages, seconds(3), func(context.Context) error {
			registered = append(registered, time.Since(start))
			time.Sleep(100 * time.Millisecond)
			if len(registered) < 3 {
				return errRefused
			}
			return nil
		}, func(m string) { handled = append(handled, m) })
		if err != nil || strings.Join(handled, "") != "01234" {
			t.Errorf("serve is %v and handled %v, want all 5 messages", err, handled)
		}
		want := []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond}
		if diff := cmp.Diff(want, registered); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}

		// The schedule ends, and the context.
		calls := 0
		err = serve(t.Context(), nil, seconds(2), failing(always, errRefused, &calls), nil)
		if err != errRefused || calls != 3 {
			t.Errorf("serve is %v after %d attempts, want %v after 3", err, calls, errRefused)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := serve(ctx, nil, seconds(2), failing(0, nil, &calls), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("serve is %v, want the end of its context", err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		err = serve(ctx, nil, seconds(2), failing(always, errRefused, &calls), nil)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errRefused) {
			t.Errorf("serve is %v, want the end of its context and the last error", err)
		}
	})
}

func TestStayConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Hour)
		defer cancel()
		dials, start := 0, time.Now()
		var waits []time.Duration // after a session of a day
		var ended time.Time
		err := stayConnected(ctx, func(ctx context.Context) (net.Conn, error) {
			if _, ok := ctx.Deadline(); !ok {
				t.Error("dialing has no deadline")
			}
			if !ended.IsZero() {
				waits = append(waits, time.Since(ended))
				ended = time.Time{}
			}
			dials++
			if dials != 10 {
				return nil, errRefused
			}
			client, server := net.Pipe()
			server.Close()
			return client, nil
		}, func(context.Context, net.Conn) error {
			time.Sleep(24*time.Hour - time.Since(start))
			ended = time.Now()
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) || len(waits) != 1 {
			t.Fatalf("it ended with %v after %d sessions, want its deadline after 1", err, len(waits))
		}
		if waits[0] > 3*time.Second {
			t.Errorf("the first delay after a day is %v, want about a second", waits[0])
		}
	})
}

func TestWaitReady(t *testing.T) {
	for _, row := range []struct {
		at    int // the poll that is not pending
		err   error
		want  error
		polls int
	}{
		{20, nil, nil, 20},
		{3, errRefused, errRefused, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			polls, last := 0, time.Now()
			err := waitReady(t.Context(), func(context.Context) (bool, error) {
				if wait := time.Since(last); wait > 30*time.Second {
					t.Errorf("poll %d comes after %v, want 30 s at most", polls, wait)
				}
				last = time.Now()
				polls++
				return polls == row.at && row.err == nil, map[bool]error{true: row.err}[polls == row.at]
			})
			if err != row.want || polls != row.polls {
				t.Errorf("%v after %d polls, want %v after %d", err, polls, row.want, row.polls)
			}
		})
	}
}

func TestWaitReadyDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := waitReady(ctx, func(context.Context) (bool, error) { return false, nil })
		if !errors.Is(err, errPending) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v, want that it was not ready at the deadline", err)
		}
	})
}

// delivery is a message whose queue redelivers it.
type delivery struct {
	n      int
	delays []time.Duration
	end    string
}

func (d *delivery) Deliveries() int { return d.n }
func (d *delivery) Ack() error      { d.end = "ack"; return nil }
func (d *delivery) Nack(delay time.Duration) error {
	d.delays = append(d.delays, delay)
	return nil
}

func (d *delivery) DeadLetter(reason error) error {
	d.end = "dead letter: " + reason.Error()
	return nil
}

func TestProcess(t *testing.T) {
	for failures, want := range map[int]string{0: "ack", 6: "ack", always: "dead letter: refused"} {
		d := new(delivery)
		calls := 0
		work := failing(failures, errRefused, &calls)
		for d.end == "" {
			d.n++
			if err := process(t.Context(), d, func(ctx context.Context, _ message) error { return work(ctx) }); err != nil {
				t.Fatal(err)
			}
		}
		if d.end != want || calls != min(failures, 6)+1 {
			t.Errorf("%d failures: %s after %d deliveries, want %s after %d", failures, d.end, calls, want, min(failures, 6)+1)
		}
		for i, delay := range d.delays {
			e := min(10*time.Second<<i, 10*time.Minute)
			if delay < e/2 || delay > e {
				t.Errorf("redelivery %d comes after %v, want %v to %v", i+1, delay, e/2, e)
			}
		}
	}
}

func TestShop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paths []string
		s := newShop(func(_ context.Context, path string) error {
			paths = append(paths, path)
			return nil
		})
		if err := s.order(t.Context()); err != nil || !slices.Equal(paths, []string{"/reserve", "/pay", "/ship"}) {
			t.Errorf("order is %v after %v, want three calls", err, paths)
		}

		// In an outage the budget allows 4 retries, of whatever calls.
		calls := 0
		s.send = func(context.Context, string) error { calls++; return errRefused }
		for range 10 {
			if err := s.order(t.Context()); err == nil {
				t.Error("an order succeeded in an outage")
			}
		}
		if calls != 10+4 {
			t.Errorf("%d calls of 10 orders, want 10 and 4 retries", calls)
		}

		// All calls of an order share its time.
		start := time.Now()
		s = newShop(func(ctx context.Context, path string) error { return backoff.Sleep(ctx, 12*time.Second) })
		if err := s.order(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 30*time.Second {
			t.Errorf("order is %v after %v, want its deadline after 30 s", err, time.Since(start))
		}
	})
}

func TestLimits(t *testing.T) {
	for _, row := range []struct {
		name    string
		send    func(context.Context) error
		cause   error
		elapsed time.Duration
	}{
		{"attempts that hang end after 5 s, the last begins at 18 s", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, retry.ErrElapsed, 23 * time.Second},
		{"attempts that ignore their context: none begins after 20 s", func(ctx context.Context) error {
			time.Sleep(8 * time.Second)
			return errRefused
		}, retry.ErrElapsed, 26 * time.Second},
		{"quick failures", func(ctx context.Context) error { return errRefused }, retry.ErrElapsed, 20 * time.Second},
		{"the deadline", func(ctx context.Context) error {
			time.Sleep(31 * time.Second)
			return errRefused
		}, context.DeadlineExceeded, 31 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := limits(t.Context(), backoff.Constant(time.Second), row.send)
			if !errors.Is(err, row.cause) || time.Since(start) != row.elapsed {
				t.Errorf("%s: %v after %v, want %v after %v", row.name, err, time.Since(start), row.cause, row.elapsed)
			}
		})
	}
}

func TestThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		calls := 0
		err := retry.Do(t.Context(), seconds(1), failing(1, fmt.Errorf("get: %w", &throttled{5 * time.Second}), &calls))
		if err != nil || time.Since(start) != 5*time.Second {
			t.Errorf("%v after %v, want a success after 5 s", err, time.Since(start))
		}
	})
}

func TestObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outcomes.Init() // the counters of the process
		var out bytes.Buffer
		calls := 0
		opts := observed("sync", slog.New(slog.NewTextHandler(&out, nil)))
		_ = retry.Do(t.Context(), seconds(3), failing(2, errRefused, &calls), opts...)
		calls = 0
		_ = retry.Do(t.Context(), seconds(3), failing(always, errRefused, &calls), opts...)
		calls = 0
		_ = retry.Do(t.Context(), seconds(3), failing(1, retry.Permanent(errRefused), &calls), opts...)
		if n := strings.Count(out.String(), `msg="attempt failed, retrying" operation=sync attempt=`); n != 5 {
			t.Errorf("%d log lines, want 5:\n%s", n, &out)
		}
		want := `{"sync: exhausted": 1, "sync: permanent": 1, "sync: retry": 5, "sync: success": 1}`
		if got := outcomes.String(); got != want {
			t.Errorf("counters are %s, want %s", got, want)
		}
	})
}

func TestSendThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick, slow := seconds(9), backoff.Take(backoff.Exponential(time.Minute, 2), 2)
		errs := []error{errRefused, new(throttled), errRefused, new(throttled), new(throttled)}
		var at []time.Duration
		start := time.Now()
		err := sendThrottled(t.Context(), quick, slow, func(context.Context) error {
			at = append(at, time.Since(start).Round(time.Second))
			return errs[len(at)-1]
		})
		want := []time.Duration{0, time.Second, 61 * time.Second, 62 * time.Second, 182 * time.Second}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		if err != errs[4] {
			t.Errorf("error is %v, want that of the last attempt", err)
		}
	})
}

func TestConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		`{"url": "http://a/", "retry": "constant(1s) | take(3)"}`: "constant(1s) | take(3)",
		`{"url": "http://a/"}`:                        "full-jitter(100ms, 10s) | take(5)",
		`{"retry": "exponential(1s, 2) | capp(10s)"}`: `retry: column 22: unknown stage "capp", did you mean cap?`,
		`{"retry": "constant(1s)"`:                    "unexpected EOF",
	} {
		c, err := load(strings.NewReader(text))
		got := c.Retry.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if err == nil {
			if again, err := json.Marshal(c); err != nil || !strings.Contains(string(again), fmt.Sprintf("%q", want)) {
				t.Errorf("%s is written as %s, %v", text, again, err)
			}
		}
	}
	if text, err := json.Marshal(config{}); err != nil || string(text) != `{"url":""}` {
		t.Errorf("a configuration without a schedule is written as %s, %v", text, err)
	}

	c, err := load(strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("COOKBOOK_RETRY", "constant(2s)")
	if err := fromEnvironment(&c.Retry, "COOKBOOK_RETRY"); err != nil || c.Retry.String() != "constant(2s)" {
		t.Errorf("of the environment: %v, %v", c.Retry, err)
	}
	t.Setenv("COOKBOOK_RETRY", "constant(2 s")
	if err := fromEnvironment(&c.Retry, "COOKBOOK_RETRY"); err == nil || !strings.HasPrefix(err.Error(), "COOKBOOK_RETRY: column ") {
		t.Errorf("error is %v, want the name of the variable and the column", err)
	}
	if err := fromEnvironment(&c.Retry, "COOKBOOK_OTHER"); err != nil || c.Retry.String() != "constant(2s)" {
		t.Errorf("without the variable: %v, %v", c.Retry, err)
	}

	flags := flag.NewFlagSet("app", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	retryFlag(flags, &c.Retry)
	if err := flags.Parse([]string{"--retry", "fibonacci(1s)"}); err != nil || c.Retry.String() != "fibonacci(1s)" {
		t.Errorf("of a flag: %v, %v", c.Retry, err)
	}
	if err := flags.Parse([]string{"--retry", ""}); err == nil {
		t.Error("an empty flag is accepted")
	}
}

func TestShared(t *testing.T) {
	for range 2 {
		if n := len(slices.Collect(apiDelays)); n != 5 {
			t.Errorf("%d delays, want 5 each time", n)
		}
	}
}

// Each mistake does what the page says of it, and its remedy does not.

type sender func(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error

func TestAttemptsAndSleeps(t *testing.T) {
	for _, row := range []struct {
		name     string
		loop     sender
		attempts int
		elapsed  time.Duration
	}{
		{"sleepsAfterTheLast", func(ctx context.Context, delays iter.Seq[time.Duration], send func(context.Context) error) error {
			return sleepsAfterTheLast(delays, func() error { return send(ctx) })
		}, 2, 2 * time.Second}, // as long as 3 attempts take
		{"sleepsBetween", sleepsBetween, 3, 2 * time.Second},
		{"heedsTheContext", heedsTheContext, 3, 2 * time.Second},
		{"losesTheError", losesTheError, 3, 2 * time.Second},
		{"keepsTheError", keepsTheError, 3, 2 * time.Second},
		{"failsFirst", failsFirst, 3, 2 * time.Second},
		{"forgetsToFail", forgetsToFail, 1, 0},
		{"retriesInRetries", retriesInRetries, 27, 26 * time.Second},
		{"retriesOnce", retriesOnce, 3, 2 * time.Second},
		{"retriesOutermost", retriesOutermost, 3, 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls, start := 0, time.Now()
			err := row.loop(t.Context(), seconds(2), failing(always, errRefused, &calls))
			if calls != row.attempts || time.Since(start) != row.elapsed {
				t.Errorf("%s: %d attempts in %v, want %d in %v", row.name, calls, time.Since(start), row.attempts, row.elapsed)
			}
			if (err == nil) != (row.name == "forgetsToFail") {
				t.Errorf("%s: error is %v", row.name, err)
			}
		})
	}
}

func TestHeedsTheContext(t *testing.T) {
	for _, row := range []struct {
		name    string
		loop    sender
		elapsed time.Duration
	}{
		{"ignoresTheContext", ignoresTheContext, time.Hour},
		{"heedsTheContext", heedsTheContext, time.Second},
		{"sleepsBetween", sleepsBetween, time.Second},
		{"losesTheError", losesTheError, time.Second},
		{"keepsTheError", keepsTheError, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(time.Second, cancel).Stop()
			start, calls := time.Now(), 0
			err := row.loop(ctx, backoff.Constant(time.Hour), failing(always, errRefused, &calls))
			if err == nil || time.Since(start) != row.elapsed {
				t.Errorf("%s: %v after %v, want an error after %v", row.name, err, time.Since(start), row.elapsed)
			}
			if errors.Is(err, errRefused) == (row.name == "losesTheError") {
				t.Errorf("%s: %v, and only losesTheError should lose the error of send", row.name, err)
			}
		})
	}
}

// Retry 10 of most clients comes after exactly 10 s where the cap follows the jitter.
func TestCapThenJitter(t *testing.T) {
	const clients = 2000
	atTheCap := func(delays func() iter.Seq[time.Duration]) (n int) {
		for range clients {
			if d, _ := backoff.At(delays(), 9); d == 10*time.Second {
				n++
			}
		}
		return n
	}
	// The share is 1 - 10/51.2 = 0.805. The draws have no seed. 0.75 and 0.86 are
	// more than six standard deviations away, so one run in 10⁹ fails by chance.
	if n := atTheCap(jitterThenCap); n < 0.75*clients || n > 0.86*clients {
		t.Errorf("jitter, then cap: %d of %d clients wait for 10 s, want 80.5 %%", n, clients)
	}
	if n := atTheCap(capThenJitter); n > 2 {
		t.Errorf("cap, then jitter: %d of %d clients wait for 10 s, want none", n, clients)
	}
}

func TestRetriesForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), 0
		if err := retriesForever(failing(2000, errRefused, &calls)); err != nil || time.Since(start) < 10*time.Hour {
			t.Errorf("%v after %v, want a success after more than 10 h", err, time.Since(start))
		}
		start, calls = time.Now(), 0
		err := retriesForTenMinutes(t.Context(), failing(always, errRefused, &calls))
		if !errors.Is(err, retry.ErrDeadline) || time.Since(start) > 10*time.Minute {
			t.Errorf("%v after %v, want to give up within 10 minutes", err, time.Since(start))
		}
	})
}

// The server carries out each payment whose key it does not know, and its first answer is
// lost.
func TestPayments(t *testing.T) {
	for want, pay := range map[int]func(context.Context, *http.Client, string, iter.Seq[time.Duration]) error{2: paysTwice, 1: paysOnce} {
		synctest.Test(t, func(t *testing.T) {
			payments := map[string]bool{}
			base := &roundTripper{answer: func(n int, req *http.Request) (int, http.Header, error) {
				payments[req.Header.Get("Idempotency-Key")] = true
				if n == 1 {
					return 0, nil, errRefused
				}
				return 201, nil, nil
			}}
			if err := pay(t.Context(), &http.Client{Transport: base}, "http://a/", seconds(3)); err != nil || len(payments) != want {
				t.Errorf("%v after %d payments, want %d", err, len(payments), want)
			}
		})
	}
}

func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		elapsed := func(f func(context.Context, func(context.Context) error) error) time.Duration {
			start, calls := time.Now(), 0
			if err := f(t.Context(), failing(1, errRefused, &calls)); err != nil {
				t.Error(err)
			}
			return time.Since(start)
		}
		p := new(policy)
		for i := range 10 {
			if got, want := elapsed(func(ctx context.Context, send func(context.Context) error) error {
				return sharesState(ctx, p, send)
			}), 2*time.Second<<i; got != want {
				t.Errorf("call %d with a shared policy waits for %v, want %v", i, got, want)
			}
			if got := elapsed(sharesAValue); got != 2*time.Second {
				t.Errorf("call %d with a shared schedule waits for %v, want 2 s", i, got)
			}
		}
		p.n = 33
		if d := p.Next(); d >= 0 {
			t.Errorf("after 33 failures the policy waits for %v, want an overflow", d)
		}
	})
}

func TestLimitsTheServer(t *testing.T) {
	for want, loop := range map[time.Duration]sender{365 * 24 * time.Hour: trustsTheServer, time.Minute: limitsTheServer} {
		synctest.Test(t, func(t *testing.T) {
			start, calls := time.Now(), 0
			err := loop(t.Context(), seconds(1), failing(1, &throttled{365 * 24 * time.Hour}, &calls))
			if err != nil || time.Since(start) != want {
				t.Errorf("%v after %v, want a success after %v", err, time.Since(start), want)
			}
		})
	}
}
