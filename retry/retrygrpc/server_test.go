package retrygrpc_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A step is what the server does with one attempt.
type step func(grpc.ServerStream) error

// fail receives what the client sends and fails.
func fail(code codes.Code) step {
	return func(s grpc.ServerStream) error {
		receive(s)
		return status.Error(code, "scripted")
	}
}

// push fails with Unavailable and a pushback for each value.
func push(values ...string) step {
	return func(s grpc.ServerStream) error {
		s.SetTrailer(metadata.MD{"grpc-retry-pushback-ms": values})
		return fail(codes.Unavailable)(s)
	}
}

// answer receives what the client sends and answers each of the messages.
func answer(messages ...string) step {
	return func(s grpc.ServerStream) error {
		receive(s)
		for _, m := range messages {
			if err := s.SendMsg(text(m)); err != nil {
				return err
			}
		}
		return nil
	}
}

// receive returns what the client sends, until it closes.
func receive(s grpc.ServerStream) []string {
	var all []string
	for {
		var m wrapperspb.StringValue
		if s.RecvMsg(&m) != nil {
			return all
		}
		all = append(all, m.Value)
	}
}

func text(s string) *wrapperspb.StringValue { return wrapperspb.String(s) }

// server plays a script: each attempt is the next step, whatever its method.
type server struct {
	began  time.Time
	target string // for clients
	dial   func(context.Context, string) (net.Conn, error)

	mu       sync.Mutex
	script   []step
	arrivals []arrival
}

// arrival is an attempt as the server sees it.
type arrival struct {
	At       time.Duration // since the server began
	Previous string        // grpc-previous-rpc-attempts
	Received []string      // the messages
}

func (s *server) handle(_ any, stream grpc.ServerStream) error {
	md, _ := metadata.FromIncomingContext(stream.Context())
	s.mu.Lock()
	n := len(s.arrivals)
	s.arrivals = append(s.arrivals, arrival{
		At:       time.Since(s.began),
		Previous: strings.Join(md.Get("grpc-previous-rpc-attempts"), ","),
	})
	do := fail(codes.Internal) // the script is over
	if n < len(s.script) {
		do = s.script[n]
	}
	s.mu.Unlock()
	return do(&recorded{stream, s, n})
}

// recorded is a stream whose messages are kept.
type recorded struct {
	grpc.ServerStream
	server *server
	n      int
}

func (r *recorded) RecvMsg(m any) error {
	err := r.ServerStream.RecvMsg(m)
	if err == nil {
		r.server.mu.Lock()
		defer r.server.mu.Unlock()
		a := &r.server.arrivals[r.n]
		a.Received = append(a.Received, m.(*wrapperspb.StringValue).Value)
	}
	return err
}

// seen returns the arrivals so far.
func (s *server) seen() []arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]arrival(nil), s.arrivals...)
}

// times returns when the attempts arrived.
func (s *server) times() []time.Duration {
	var all []time.Duration
	for _, a := range s.seen() {
		all = append(all, a.At)
	}
	return all
}

// scope is a [testing.T], a [rapid.T] or an example.
type scope interface {
	Cleanup(func())
	Fatal(...any)
}

// serve starts a server in memory that plays script, and returns it with a function that
// connects to it.
func serve(t scope, script ...step) (*server, func(...grpc.DialOption) *grpc.ClientConn) {
	listener := bufconn.Listen(1 << 20)
	s := &server{target: "passthrough:///server", script: script}
	s.dial = func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	return s, s.start(t, listener)
}

// serveTCP is serve over the network.
func serveTCP(t scope, script ...step) (*server, func(...grpc.DialOption) *grpc.ClientConn) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{target: "passthrough:///" + listener.Addr().String(), script: script}
	s.dial = func(ctx context.Context, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}
	return s, s.start(t, listener)
}

func (s *server) start(t scope, listener net.Listener) (connect func(...grpc.DialOption) *grpc.ClientConn) {
	s.began = time.Now()
	g := grpc.NewServer(grpc.UnknownServiceHandler(s.handle))
	served := make(chan error, 1)
	go func() { served <- g.Serve(listener) }()
	t.Cleanup(func() {
		g.Stop()
		<-served
	})
	return func(opts ...grpc.DialOption) *grpc.ClientConn {
		conn, err := grpc.NewClient(s.target, append([]grpc.DialOption{
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(s.dial),
		}, opts...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
}

// call makes a unary call and returns the answer.
func call(ctx context.Context, conn *grpc.ClientConn, opts ...grpc.CallOption) (string, error) {
	var reply wrapperspb.StringValue
	err := conn.Invoke(ctx, "/test.Service/Call", text("request"), &reply, opts...)
	return reply.Value, err
}

// all receives until the end of a stream.
func all(stream grpc.ClientStream) ([]string, error) {
	var got []string
	for {
		var m wrapperspb.StringValue
		err := stream.RecvMsg(&m)
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, m.Value)
	}
}
