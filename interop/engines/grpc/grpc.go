// Package grpc runs calls of gRPC whose service config comes from
// adapt.GRPCServiceConfig.
//
// Seen in google.golang.org/grpc v1.85.0: before retry k, counting from 0, it waits for
// min(initialBackoff · backoffMultiplierᵏ, maxBackoff) times a random number in
// [0.8, 1.2), so that maxBackoff is exceeded too. It makes at most 5 attempts unless
// grpc.WithMaxCallAttempts says otherwise, and does not say so. A trailer
// grpc-retry-pushback-ms replaces the delay and sets k to 0. Without a connection retries
// fail at once.
package grpc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// Measure makes a call that fails with codes.Unavailable, with retries after the first n
// delays of seq, and returns these delays as asked and as kept. Those that were kept lie
// within ±20 % of what was asked if gRPC can express the schedule.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	fail := func(context.Context) error { return status.Error(codes.Unavailable, "as wanted") }
	return measure(ctx, seq, n, fail)
}

// measure is Measure for a call that the server answers with the results of handle.
func measure(ctx context.Context, seq iter.Seq[time.Duration], n int, handle func(context.Context) error) ([]kept.Delay, error) {
	seq = backoff.Take(seq, n)
	config, err := adapt.GRPCServiceConfig(func(uint64) iter.Seq[time.Duration] { return seq })
	if inexact, ok := errors.AsType[*adapt.InexactError](err); err != nil && !ok || ok && inexact.Attempts != n+1 {
		return nil, err
	}
	server, err := serve(handle)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	attempts := &attempts{delay: adapt.Func(seq)}
	conn, err := server.dial(config, grpc.WithStatsHandler(attempts), grpc.WithMaxCallAttempts(n+1))
	if err != nil {
		return nil, err
	}
	defer conn.Close()

	err = call(ctx, conn)
	delays := attempts.recorder.Delays()
	if len(delays) < n {
		return nil, fmt.Errorf("the call made %d retries, want %d: %w", len(delays), n, err)
	}
	return delays, nil
}

// attempts records the attempts of one call at its client, which reports the end of one
// before it waits, and the begin of the next one after that.
type attempts struct {
	delay    func(retry int) time.Duration
	ended    int
	recorder kept.Recorder
}

func (a *attempts) HandleRPC(_ context.Context, s stats.RPCStats) {
	switch s := s.(type) {
	case *stats.Begin:
		a.recorder.Attempt()
	case *stats.End:
		if s.Error != nil {
			a.recorder.Ask(a.delay(a.ended))
			a.ended++
		}
	}
}

func (a *attempts) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (a *attempts) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (a *attempts) HandleConn(context.Context, stats.ConnStats)                       {}

// A server answers calls of the health service on a loopback address.
type server struct {
	grpc_health_v1.UnimplementedHealthServer
	handle  func(context.Context) error
	address string
	stop    func()
}

func serve(handle func(context.Context) error) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := grpc.NewServer()
	s := &server{handle: handle, address: l.Addr().String(), stop: g.Stop}
	grpc_health_v1.RegisterHealthServer(g, s)
	go g.Serve(l) // until stop
	return s, nil
}

// Check is the only method of the service that is called here.
func (s *server) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	return &grpc_health_v1.HealthCheckResponse{}, s.handle(ctx)
}

func (s *server) dial(config string, opts ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///"+s.address, append(opts,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(config))...)
}

func call(ctx context.Context, conn *grpc.ClientConn, opts ...grpc.CallOption) error {
	_, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}, opts...)
	return err
}
