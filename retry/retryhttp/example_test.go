package retryhttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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

// A plain POST is sent once. It is retried with a key by which the server recognizes the
// same request, or with the options AnyMethod and Repeatable.
func ExampleNewTransport_post() {
	for _, key := range []string{"", "order-1"} {
		server := busyServer(1)
		defer server.Close()
		client := &http.Client{Transport: retryhttp.NewTransport(nil, backoff.Constant(time.Millisecond), retry.MaxAfter(0))}

		req, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader("amount=100"))
		if err != nil {
			fmt.Println(err)
			return
		}
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		resp, err := client.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// 503 Service Unavailable
	// 200 OK
}

// answering is a base transport that answers 200 after these statuses, without a network.
func answering(codes ...int) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		code := http.StatusOK
		if len(codes) > 0 {
			code, codes = codes[0], codes[1:]
		}
		fmt.Println(req.Method, req.URL.Path, code)
		return &http.Response{StatusCode: code, Body: http.NoBody, Request: req}, nil
	})
}

func ExampleStatuses() {
	client := &http.Client{Transport: retryhttp.NewTransport(answering(409, 520), backoff.Constant(time.Millisecond),
		retryhttp.Statuses(409, 520))}

	client.Get("http://example.com/")
	// Output:
	// GET / 409
	// GET / 520
	// GET / 200
}

func ExampleServerErrors() {
	client := &http.Client{Transport: retryhttp.NewTransport(answering(501, 599), backoff.Constant(time.Millisecond),
		retryhttp.ServerErrors())}

	client.Get("http://example.com/")
	// Output:
	// GET / 501
	// GET / 599
	// GET / 200
}

func ExampleAnyMethod() {
	client := &http.Client{Transport: retryhttp.NewTransport(answering(503), backoff.Constant(time.Millisecond),
		retryhttp.AnyMethod())}

	client.Post("http://example.com/", "text/plain", strings.NewReader("text"))
	// Output:
	// POST / 503
	// POST / 200
}

func ExampleRepeatable() {
	searches := retryhttp.Repeatable(func(req *http.Request) bool {
		return retryhttp.Idempotent(req) || req.URL.Path == "/search"
	})
	delays := backoff.Constant(time.Millisecond)

	client := &http.Client{Transport: retryhttp.NewTransport(answering(503), delays, searches)}
	client.Post("http://example.com/search", "text/plain", strings.NewReader("text"))
	client = &http.Client{Transport: retryhttp.NewTransport(answering(503), delays, searches)}
	client.Post("http://example.com/pay", "text/plain", strings.NewReader("text"))
	// Output:
	// POST /search 503
	// POST /search 200
	// POST /pay 503
}

func ExampleIdempotent() {
	for _, method := range []string{"GET", "PUT", "POST"} {
		req, err := http.NewRequest(method, "http://example.com/", nil)
		fmt.Println(method, retryhttp.Idempotent(req), err)
	}
	// Output:
	// GET true <nil>
	// PUT true <nil>
	// POST false <nil>
}

func ExampleWithAttemptHeader() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempt := r.Header.Get("X-Attempt")
		fmt.Println("attempt", attempt)
		if attempt != "3" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	client := &http.Client{Transport: retryhttp.NewTransport(nil, backoff.Constant(time.Millisecond),
		retryhttp.WithAttemptHeader("X-Attempt"))}

	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	// Output:
	// attempt 1
	// attempt 2
	// attempt 3
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
