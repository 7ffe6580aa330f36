package retryhttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retryhttp"
)

// busyServer answers 503 to the first n requests.
func busyServer(n int) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n > 0 {
			n--
			w.Header().Set("Retry-After", "10000000000")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "hello")
	}))
}

func ExampleNewTransport() {
	server := busyServer(2)
	defer server.Close()

	delays := backoff.Exponential(time.Millisecond, 2)
	delays = backoff.Cap(delays, time.Second)
	delays = backoff.Jitter(delays, 1)
	delays = backoff.Take(delays, 5)
	client := &http.Client{Transport: retryhttp.NewTransport(http.DefaultTransport, delays,
		retry.AttemptTimeout(time.Minute),
		retry.MaxAfter(time.Millisecond),
		retry.OnRetry(func(e retry.Event) { fmt.Println("attempt", e.Attempt, "failed") }),
	)}

	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(text), err)
	// Output:
	// attempt 1 failed
	// attempt 2 failed
	// 200 hello <nil>
}

func ExampleStopped() {
	server := busyServer(10)
	defer server.Close()

	delays := backoff.Take(backoff.Constant(time.Millisecond), 2)
	client := &http.Client{Transport: retryhttp.NewTransport(http.DefaultTransport, delays, retry.MaxAfter(0))}

	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)

	var stopped *retry.Error
	if errors.As(retryhttp.Stopped(resp), &stopped) {
		fmt.Println(stopped.Attempts, "attempts:", stopped.Cause)
	}
	// Output:
	// 503 Service Unavailable
	// 3 attempts: attempts exhausted
}

func ExampleStatusError() {
	server := busyServer(1)
	defer server.Close()

	// Retry statuses except 500, and no errors.
	onlyBusy := retry.If(func(err error) bool {
		status, ok := errors.AsType[*retryhttp.StatusError](err)
		return ok && status.StatusCode != http.StatusInternalServerError
	})
	delays := backoff.Take(backoff.Constant(time.Millisecond), 2)
	client := &http.Client{Transport: retryhttp.NewTransport(http.DefaultTransport, delays, onlyBusy, retry.MaxAfter(0))}

	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

func ExampleStatusError_Error() {
	fmt.Println(&retryhttp.StatusError{StatusCode: 503, Status: "503 Service Unavailable", After: 3 * time.Second})
	fmt.Println(&retryhttp.StatusError{StatusCode: 502, Status: "502 Bad Gateway"})
	// Output:
	// server answered 503 Service Unavailable, retry after 3s
	// server answered 502 Bad Gateway
}

func ExampleStatusError_RetryAfter() {
	err := &retryhttp.StatusError{StatusCode: 429, Status: "429 Too Many Requests", After: 30 * time.Second}
	fmt.Println(err.RetryAfter())
	// Output: 30s
}
