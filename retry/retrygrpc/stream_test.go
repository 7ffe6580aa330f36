package retrygrpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/backoff"
	"example.com/backoff/retry"
	"example.com/backoff/retry/retrygrpc"
)

// The kinds of streams.
var (
	answers  = &grpc.StreamDesc{ServerStreams: true}
	requests = &grpc.StreamDesc{ClientStreams: true}
	both     = &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
)

// open opens a stream. It sends the request if there is one only, as generated code does.
func open(ctx context.Context, conn *grpc.ClientConn, desc *grpc.StreamDesc, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := conn.NewStream(ctx, desc, "/test.Service/Stream", opts...)
	if err != nil || desc.ClientStreams {
		return stream, err
	}
	if err := stream.SendMsg(text("request")); err != nil {
		return nil, err
	}
	return stream, stream.CloseSend()
}

// one receives a message.
func one(stream grpc.ClientStream) (string, error) {
	var m wrapperspb.StringValue
	err := stream.RecvMsg(&m)
	return m.Value, err
}

// steps does several steps until one fails.
func steps(do ...step) step {
	return func(s grpc.ServerStream) error {
		for _, f := range do {
			if err := f(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// send sends a message without receiving any.
func send(message string) step {
	return func(s grpc.ServerStream) error { return s.SendMsg(text(message)) }
}

// receiveOne receives one message.
func receiveOne(s grpc.ServerStream) error { return s.RecvMsg(new(wrapperspb.StringValue)) }

// broken fails without receiving anything.
func broken(grpc.ServerStream) error { return status.Error(codes.Unavailable, "scripted") }

// header sends headers.
func header(s grpc.ServerStream) error { return s.SendHeader(metadata.Pairs("color", "red")) }

// Streams of every kind, until and after their first message.
func TestStream(t *testing.T) {
	unavailable := fail(codes.Unavailable)
	sent, empty := []string{"a", "b", "c"}, []string{"", "", ""}
	for _, row := range []struct {
		name   string
		desc   *grpc.StreamDesc
		sent   []string // if there are several; nil: sent
		script []step
		opts   []retrygrpc.Option
		want   []string // received
		code   codes.Code
		times  []time.Duration
		got    [][]string // by the server, in each attempt
	}{
		{
			name: "answers", desc: answers, script: []step{unavailable, unavailable, answer("x", "y")},
			want: []string{"x", "y"}, times: []time.Duration{0, time.Second, 2 * time.Second},
			got: [][]string{{"request"}, {"request"}, {"request"}},
		},
		{
			name: "answers, the request is larger than the buffer", desc: answers, script: []step{unavailable, answer("x")},
			opts: []retrygrpc.Option{retrygrpc.MaxBuffer(0)},
			want: []string{"x"}, times: []time.Duration{0, time.Second}, got: [][]string{{"request"}, {"request"}},
		},
		{
			name: "no answer", desc: answers, script: []step{unavailable, answer()},
			times: []time.Duration{0, time.Second}, got: [][]string{{"request"}, {"request"}},
		},
		{
			name: "a failure after the first answer", desc: answers, script: []step{steps(answer("x"), unavailable)},
			want: []string{"x"}, code: codes.Unavailable, times: []time.Duration{0}, got: [][]string{{"request"}},
		},
		{
			name: "a failure after headers", desc: answers, script: []step{steps(header, unavailable), answer("x")},
			want: []string{"x"}, times: []time.Duration{0, time.Second}, got: [][]string{{"request"}, {"request"}},
		},
		{
			name: "requests", desc: requests, script: []step{unavailable, unavailable, answer("x")},
			want: []string{"x"}, times: []time.Duration{0, time.Second, 2 * time.Second}, got: [][]string{sent, sent, sent},
		},
		{
			name: "requests, of which the server reads some", desc: requests, script: []step{broken, steps(receiveOne, broken), answer("x")},
			want: []string{"x"}, times: []time.Duration{0, time.Second, 2 * time.Second}, got: [][]string{nil, {"a"}, sent},
		},
		{
			name: "requests that fit exactly", desc: requests, script: []step{unavailable, answer("x")},
			opts: []retrygrpc.Option{retrygrpc.MaxBuffer(24)}, // 8 bytes each
			want: []string{"x"}, times: []time.Duration{0, time.Second}, got: [][]string{sent, sent},
		},
		{
			name: "requests that do not fit", desc: requests, script: []step{unavailable},
			opts: []retrygrpc.Option{retrygrpc.MaxBuffer(23)},
			code: codes.Unavailable, times: []time.Duration{0}, got: [][]string{sent},
		},
		{
			name: "empty requests that fit exactly", desc: requests, sent: empty, script: []step{unavailable, answer("x")},
			opts: []retrygrpc.Option{retrygrpc.MaxBuffer(15)}, // 5 bytes each
			want: []string{"x"}, times: []time.Duration{0, time.Second}, got: [][]string{empty, empty},
		},
		{
			name: "empty requests that do not fit", desc: requests, sent: empty, script: []step{unavailable},
			opts: []retrygrpc.Option{retrygrpc.MaxBuffer(14)},
			code: codes.Unavailable, times: []time.Duration{0}, got: [][]string{empty},
		},
		{
			name: "no buffer", desc: requests, sent: []string{""}, script: []step{unavailable},
			opts: []retrygrpc.Option{retrygrpc.MaxBuffer(0)},
			code: codes.Unavailable, times: []time.Duration{0}, got: [][]string{{""}},
		},
		{
			name: "an answer after requests that do not fit", desc: requests, script: []step{answer("x")},
			opts: []retrygrpc.Option{retrygrpc.MaxBuffer(23)},
			want: []string{"x"}, times: []time.Duration{0}, got: [][]string{sent},
		},
		{
			name: "both", desc: both, script: []step{unavailable, steps(receiveOne, broken), answer("x", "y")},
			want: []string{"x", "y"}, times: []time.Duration{0, time.Second, 2 * time.Second}, got: [][]string{sent, {"a"}, sent},
		},
		{
			name: "both, and the server answers before it receives", desc: both, script: []step{broken, steps(send("x"), answer("y"))},
			want: []string{"x", "y"}, times: []time.Duration{0, time.Second}, got: [][]string{nil, sent},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, connect := serve(t, row.script...)
				conn := connect(retrygrpc.DialOptions(backoff.Constant(time.Second), row.opts...)...)
				stream, err := open(context.Background(), conn, row.desc)
				if err != nil {
					t.Fatal(err)
				}
				if row.desc.ClientStreams {
					messages := row.sent
					if messages == nil {
						messages = sent
					}
					for _, m := range messages {
						if err := stream.SendMsg(text(m)); err != nil {
							t.Errorf("send %s: %v", m, err)
						}
						synctest.Wait() // so that a failure comes before the next
					}
					stream.CloseSend()
				}
				var received []string
				if row.desc.ServerStreams {
					received, err = all(stream)
				} else {
					var m string
					if m, err = one(stream); err == nil {
						received = []string{m}
					}
				}
				if status.Code(err) != row.code {
					t.Errorf("error %v, want %v", err, row.code)
				}
				if d := cmp.Diff(row.want, received); d != "" {
					t.Errorf("received (-want +got):\n%s", d)
				}
				if d := cmp.Diff(row.times, s.times()); d != "" {
					t.Errorf("attempts (-want +got):\n%s", d)
				}
				var got [][]string
				for _, a := range s.seen() {
					got = append(got, a.Received)
				}
				if d := cmp.Diff(row.got, got); d != "" {
					t.Errorf("received by the server (-want +got):\n%s", d)
				}
			})
		})
	}
}

// connected opens a stream in a bubble.
func connected(t *testing.T, desc *grpc.StreamDesc, script []step, opts ...retrygrpc.Option) (*server, grpc.ClientStream) {
	s, connect := serve(t, script...)
	stream, err := open(context.Background(), connect(retrygrpc.DialOptions(backoff.Constant(time.Second), opts...)...), desc)
	if err != nil {
		t.Fatal(err)
	}
	return s, stream
}

// What is sent during a delay is sent by the next attempt. If it does not fit, it waits
// for that.
func TestSendDuringDelay(t *testing.T) {
	for _, row := range []struct {
		name  string
		limit int
		waits time.Duration
	}{
		{"it fits", 100, 0},
		{"it does not fit", 23, time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, stream := connected(t, both, []step{steps(receiveOne, broken), answer("x")}, retrygrpc.MaxBuffer(row.limit))
				received := make(chan string)
				go func() {
					m, _ := one(stream)
					received <- m
				}()
				for i, m := range []string{"a", "b", "c"} {
					if err := stream.SendMsg(text(m)); err != nil {
						t.Error(err)
					}
					if i == 0 {
						synctest.Wait() // it has failed, and the delay has begun
					}
				}
				if d := cmp.Diff(row.waits, time.Since(s.began)); d != "" {
					t.Errorf("sent after (-want +got):\n%s", d)
				}
				stream.CloseSend()
				if m := <-received; m != "x" {
					t.Errorf("received %q, want x", m)
				}
				if d := cmp.Diff([]string{"a", "b", "c"}, s.seen()[1].Received); d != "" {
					t.Errorf("received by the server (-want +got):\n%s", d)
				}
			})
		})
	}
}

// A conversation goes on after the first answer.
func TestConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		echo := func(s grpc.ServerStream) error {
			for {
				var m wrapperspb.StringValue
				if err := s.RecvMsg(&m); err != nil {
					return nil
				}
				if err := s.SendMsg(&m); err != nil {
					return err
				}
			}
		}
		_, stream := connected(t, both, []step{broken, echo})
		for _, m := range []string{"a", "b", "c"} {
			if err := stream.SendMsg(text(m)); err != nil {
				t.Fatal(err)
			}
			if got, err := one(stream); got != m || err != nil {
				t.Errorf("got %q, %v, want %s", got, err, m)
			}
		}
		stream.CloseSend()
		if _, err := one(stream); err != io.EOF {
			t.Errorf("got %v, want EOF", err)
		}
	})
}

// Neither side waits for the other, though their messages fill all windows: the server
// sends while the client sends again what the server does not read.
func TestFlowControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, size = 30, 1 << 20
		large := strings.Repeat("x", size)
		var talk []step
		for range n {
			talk = append(talk, send(large))
		}
		s, stream := connected(t, both, []step{broken, steps(append(talk, answer())...)}, retrygrpc.MaxBuffer(2*n*size))
		go func() {
			for range n {
				stream.SendMsg(text(large))
			}
			stream.CloseSend()
		}()
		synctest.Wait() // the first attempt has failed or is about to
		got, err := all(stream)
		if len(got) != n || err != nil {
			t.Errorf("%d messages, %v, want %d", len(got), err, n)
		}
		if got := len(s.seen()[1].Received); got != n {
			t.Errorf("the server received %d messages, want %d", got, n)
		}
	})
}

// The first answer arrives while a message is being sent that the server does not read.
func TestAnswerDuringSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stream := connected(t, both, []step{steps(send("x"), take(time.Minute, answer("y")))}, retrygrpc.MaxBuffer(1<<20))
		go func() {
			stream.SendMsg(text(strings.Repeat("x", 200<<10)))
			stream.CloseSend()
		}()
		if m, err := one(stream); m != "x" || err != nil {
			t.Errorf("got %q, %v, want x", m, err)
		}
		if d := cmp.Diff(time.Duration(0), time.Since(s.began)); d != "" {
			t.Errorf("received after (-want +got):\n%s", d)
		}
		if m, err := one(stream); m != "y" || err != nil {
			t.Errorf("got %q, %v, want y", m, err)
		}
	})
}

// AttemptTimeout ends an attempt before its first message, and not after it. The stream
// keeps the caller's deadline.
func TestStreamAttemptTimeout(t *testing.T) {
	for _, row := range []struct {
		name string
		last step
		end  time.Duration
		code codes.Code
	}{
		{"until its end", steps(take(time.Second, send("x")), take(time.Hour, send("y"))), time.Hour + 4*time.Second, codes.OK},
		{"until the deadline", steps(send("x"), take(time.Minute, send("y")), hang), 24 * time.Hour, codes.DeadlineExceeded},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, connect := serve(t, hang, row.last)
				conn := connect(retrygrpc.DialOptions(backoff.Constant(time.Second), retrygrpc.Retry(retry.AttemptTimeout(2*time.Second)))...)
				ctx, cancel := context.WithTimeout(context.Background(), 24*time.Hour)
				defer cancel()
				stream, err := open(ctx, conn, answers)
				if err != nil {
					t.Fatal(err)
				}
				got, err := all(stream)
				if d := cmp.Diff([]string{"x", "y"}, got); d != "" || status.Code(err) != row.code {
					t.Errorf("error %v, want %v; messages (-want +got):\n%s", err, row.code, d)
				}
				if d := cmp.Diff(row.end, time.Since(s.began)); d != "" {
					t.Errorf("end (-want +got):\n%s", d)
				}
				if d := cmp.Diff([]time.Duration{0, 3 * time.Second}, s.times()); d != "" {
					t.Errorf("attempts (-want +got):\n%s", d)
				}
			})
		})
	}
}

// early is a context whose deadline, if it has one, is a day later than its end.
type early struct {
	context.Context
	dated bool
}

func (e early) Deadline() (time.Time, bool) { return time.Now().Add(24 * time.Hour), e.dated }

// A stream that has begun ends with the caller's context, although AttemptTimeout gave it
// one of its own, and whatever deadline the caller's context tells.
func TestStreamEndsWithContext(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		want codes.Code
	}{
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Minute, cancel)
			return ctx, cancel
		}, codes.Canceled},
		{"a deadline that it does not tell", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			return early{ctx, false}, cancel
		}, codes.DeadlineExceeded},
		{"a deadline before the one that it tells", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			return early{ctx, true}, cancel
		}, codes.DeadlineExceeded},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, connect := serve(t, steps(send("x"), hang))
				conn := connect(retrygrpc.DialOptions(backoff.Constant(time.Second), retrygrpc.Retry(retry.AttemptTimeout(time.Second)))...)
				ctx, cancel := row.end(context.Background())
				defer cancel()
				stream, err := open(ctx, conn, answers)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				_, err = all(stream)
				if got := time.Since(start); status.Code(err) != row.want || got != time.Minute {
					t.Errorf("got %v after %v, want %v after 1m", err, got, row.want)
				}
			})
		})
	}
}

// Observe's context reaches the attempt, and each attempt has an outcome. A stream that
// ends without a message is a success.
func TestStreamObserved(t *testing.T) {
	for _, messages := range [][]string{{"x", "y"}, {}} {
		synctest.Test(t, func(t *testing.T) {
			type key struct{}
			var spans []any
			var outcomes []string
			_, connect := serve(t, broken, answer(messages...))
			conn := connect(append(retrygrpc.DialOptions(backoff.Constant(time.Second), retrygrpc.Retry(
				retry.AttemptTimeout(time.Minute),
				retry.Observe(func(ctx context.Context, a retry.Attempt) (context.Context, func(retry.Outcome)) {
					return context.WithValue(ctx, key{}, a.Number), func(o retry.Outcome) {
						time.Sleep(time.Second) // the caller waits for it
						outcomes = append(outcomes, o.Result())
					}
				}),
			)), between(func(ctx context.Context, opts []grpc.CallOption) []grpc.CallOption {
				spans = append(spans, ctx.Value(key{}))
				return opts
			}))...)
			if err := kinds[1].call(context.Background(), conn); err != nil {
				t.Error(err)
			}
			if d := cmp.Diff([]any{1, 2}, spans); d != "" {
				t.Errorf("spans (-want +got):\n%s", d)
			}
			if d := cmp.Diff([]string{"retry", "success"}, outcomes); d != "" {
				t.Errorf("outcomes (-want +got):\n%s", d)
			}
		})
	}
}

// between adds an interceptor that changes the options of each attempt.
func between(change func(context.Context, []grpc.CallOption) []grpc.CallOption) grpc.DialOption {
	return grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		return streamer(ctx, desc, cc, method, change(ctx, opts)...)
	})
}

// Headers make an attempt the last one, once the caller has them.
func TestStreamHeader(t *testing.T) {
	red := []string{"red"}
	for _, row := range []struct {
		name   string
		script []step
		header []string
		want   []string
		code   codes.Code
		times  []time.Duration
	}{
		{"an answer", []step{steps(header, answer("x"))}, red, []string{"x"}, codes.OK, []time.Duration{0}},
		{"a retry before", []step{broken, steps(header, answer("x"))}, red, []string{"x"}, codes.OK, []time.Duration{0, time.Second}},
		{"no retry after", []step{steps(header, broken)}, red, nil, codes.Unavailable, []time.Duration{0}},
		{"never", []step{fail(codes.Internal)}, nil, nil, codes.Internal, []time.Duration{0}},
		{"no message", []step{broken, answer()}, nil, nil, codes.OK, []time.Duration{0, time.Second}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, stream := connected(t, answers, row.script)
				md, err := stream.Header()
				if err != nil {
					t.Error(err)
				}
				if d := cmp.Diff(row.header, md.Get("color")); d != "" {
					t.Errorf("header (-want +got):\n%s", d)
				}
				got, err := all(stream)
				if d := cmp.Diff(row.want, got); d != "" || status.Code(err) != row.code {
					t.Errorf("error %v, want %v; messages (-want +got):\n%s", err, row.code, d)
				}
				if d := cmp.Diff(row.times, s.times()); d != "" {
					t.Errorf("attempts (-want +got):\n%s", d)
				}
			})
		})
	}
}

// After its end a stream has the trailer of the last attempt, the error again, and no use
// for messages.
func TestStreamAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trailing := func(value string) step {
			return func(s grpc.ServerStream) error {
				s.SetTrailer(metadata.Pairs("attempt", value))
				return broken(s)
			}
		}
		_, stream := connected(t, both, []step{trailing("first"), trailing("second")}, retrygrpc.Retry(retry.MaxAttempts(2)))
		if md := stream.Context().Value("none"); md != nil {
			t.Error(md)
		}
		_, first := one(stream)
		_, second := one(stream)
		if e, ok := errors.AsType[*retry.Error](first); !ok || e.Attempts != 2 || first != second {
			t.Errorf("got %v and %v, want the same after 2 attempts", first, second)
		}
		if d := cmp.Diff([]string{"second"}, stream.Trailer().Get("attempt")); d != "" {
			t.Errorf("trailer (-want +got):\n%s", d)
		}
		if md, err := stream.Header(); md != nil || err != nil {
			t.Errorf("header %v, %v, want none", md, err)
		}
		if err := stream.SendMsg(text("late")); err != io.EOF {
			t.Errorf("send: %v, want EOF", err)
		}
		if err := stream.CloseSend(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// A stream that nobody receives from leaves no goroutine behind, which a bubble would
// report.
func TestStreamAbandoned(t *testing.T) {
	for _, row := range []struct {
		name string
		dial grpc.DialOption
		end  func(conn *grpc.ClientConn, cancel func())
	}{
		{"the connection is closed", grpc.EmptyDialOption{}, func(conn *grpc.ClientConn, _ func()) { conn.Close() }},
		{"the context is cancelled", grpc.EmptyDialOption{}, func(_ *grpc.ClientConn, cancel func()) { cancel() }},
		{
			"gRPC does not tell its end",
			between(func(context.Context, []grpc.CallOption) []grpc.CallOption { return nil }),
			func(_ *grpc.ClientConn, cancel func()) { cancel() },
		},
	} {
		for _, opts := range [][]retry.Option{nil, {retry.AttemptTimeout(24 * 365 * time.Hour)}} {
			t.Run(row.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					_, connect := serve(t, hang)
					conn := connect(append(retrygrpc.DialOptions(backoff.Constant(time.Hour), retrygrpc.Retry(opts...)), row.dial)...)
					ctx, cancel := context.WithCancel(context.Background())
					defer time.AfterFunc(24*time.Hour, cancel).Stop()
					if _, err := open(ctx, conn, both); err != nil {
						t.Fatal(err)
					}
					start := time.Now()
					row.end(conn, cancel)
					synctest.Wait()
					if got := time.Since(start); got != 0 {
						t.Errorf("it ends after %v, want at once", got)
					}
				})
			})
		}
	}
}

// A connection that is refused fails before there is a stream.
func TestStreamRefused(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, connect := serve(t, broken, answer("x"))
				dialled := 0
				conn := connect(append(retrygrpc.DialOptions(backoff.Constant(10*time.Second)),
					grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
						if dialled++; dialled < 3 {
							return nil, errors.New("connection refused")
						}
						return s.dial(ctx, address)
					}))...)
				if err := kind.call(context.Background(), conn); err != nil {
					t.Error(err)
				}
				if d := cmp.Diff(2, len(s.times())); d != "" {
					t.Errorf("attempts (-want +got):\n%s", d)
				}
			})
		})
	}
}
