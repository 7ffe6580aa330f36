package retrygrpc_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrygrpc"
)

// example is the scope of an example.
type example struct{ cleanups []func() }

func (e *example) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

func (e *example) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (e *example) end() {
	for _, f := range e.cleanups {
		defer f()
	}
}

// The server is not available twice.
func ExampleDialOptions() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), fail(codes.Unavailable), answer("hello"))

	delays := backoff.Take(backoff.FullJitter(time.Millisecond, time.Second), 5)
	conn := connect(retrygrpc.DialOptions(delays)...)
	fmt.Println(call(context.Background(), conn))
	// Output: hello <nil>
}

// The error of a call that was retried has the code of its last attempt.
func ExampleDialOptions_error() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), fail(codes.Unavailable), fail(codes.Unavailable))

	delays := backoff.Take(backoff.Constant(time.Millisecond), 2)
	conn := connect(retrygrpc.DialOptions(delays)...)
	_, err := call(context.Background(), conn)
	fmt.Println(status.Code(err))
	if stopped, ok := errors.AsType[*retry.Error](err); ok {
		fmt.Println(stopped.Attempts, "attempts:", stopped.Cause)
	}
	// Output:
	// Unavailable
	// 3 attempts: attempts exhausted
}

func ExampleUnaryClientInterceptor() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), answer("hello"))

	delays := backoff.Constant(time.Millisecond)
	conn := connect(grpc.WithUnaryInterceptor(retrygrpc.UnaryClientInterceptor(delays)))
	fmt.Println(call(context.Background(), conn))
	// Output: hello <nil>
}

func ExampleStreamClientInterceptor() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), answer("hello", "world"))

	delays := backoff.Constant(time.Millisecond)
	conn := connect(grpc.WithStreamInterceptor(retrygrpc.StreamClientInterceptor(delays)))
	stream, err := open(context.Background(), conn, answers)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all(stream))
	// Output: [hello world] <nil>
}

func ExampleRetry() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), answer("hello"))

	delays := backoff.Constant(time.Millisecond)
	conn := connect(retrygrpc.DialOptions(delays, retrygrpc.Retry(
		retry.AttemptTimeout(time.Minute),
		retry.OnRetry(func(e retry.Event) { fmt.Println(e.Attempt, e.Err) }),
	))...)
	fmt.Println(call(context.Background(), conn))
	// Output:
	// 1 rpc error: code = Unavailable desc = scripted
	// hello <nil>
}

// The server limits the rate of its clients, and a retry helps.
func ExampleCodes() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.ResourceExhausted), answer("hello"))

	delays := backoff.Constant(time.Millisecond)
	conn := connect(retrygrpc.DialOptions(delays, retrygrpc.Codes(codes.Unavailable, codes.ResourceExhausted))...)
	fmt.Println(call(context.Background(), conn))
	// Output: hello <nil>
}

func ExampleMethods() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable))

	delays := backoff.Constant(time.Millisecond)
	conn := connect(retrygrpc.DialOptions(delays, retrygrpc.Methods(func(method string) bool {
		return method != "/test.Service/Call" // it must not be done twice
	}))...)
	_, err := call(context.Background(), conn)
	fmt.Println(err)
	// Output: rpc error: code = Unavailable desc = scripted
}

// The second failure leaves 2 of 4 tokens, and retries stop at half.
func ExampleThrottle() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), fail(codes.Unavailable))

	delays := backoff.Constant(time.Millisecond)
	conn := connect(retrygrpc.DialOptions(delays, retrygrpc.Throttle(4, 0.1))...)
	_, err := call(context.Background(), conn)
	fmt.Println(errors.Is(err, retry.ErrBudget))
	// Output: true
}

// A client that sends up to 4 MiB before the server answers.
func ExampleMaxBuffer() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), answer("received"))

	delays := backoff.Constant(time.Millisecond)
	conn := connect(retrygrpc.DialOptions(delays, retrygrpc.MaxBuffer(4<<20))...)
	stream, err := open(context.Background(), conn, requests)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range []string{"a", "b", "c"} {
		if err := stream.SendMsg(text(m)); err != nil {
			fmt.Println(err)
		}
	}
	stream.CloseSend()
	fmt.Println(one(stream))
	// Output: received <nil>
}

// The service config of the server has a retryPolicy, which this client does not use.
func ExampleAllowRetryPolicy() {
	var e example
	defer e.end()
	_, connect := serve(&e, fail(codes.Unavailable), answer("hello"))

	delays := backoff.Constant(time.Millisecond)
	options := retrygrpc.DialOptions(delays, retrygrpc.AllowRetryPolicy())
	options = append(options, grpc.WithDisableRetry(),
		grpc.WithDefaultServiceConfig(policy("test.Service", ""))) // as if it came from the server
	conn := connect(options...)
	fmt.Println(call(context.Background(), conn))
	// Output: hello <nil>
}
