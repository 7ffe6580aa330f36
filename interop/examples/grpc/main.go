// This program lets gRPC itself retry: adapt.GRPCServiceConfig writes the retryPolicy that
// comes closest to a schedule. gRPC adds ±20 % of jitter to each delay.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func main() {
	config, err := adapt.GRPCServiceConfig(func(uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.Exponential(100*time.Millisecond, 2), 4)
	})
	check(err)
	conn, err := grpc.NewClient(listen(), grpc.WithDefaultServiceConfig(config),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	defer conn.Close()
	_, err = health.NewHealthClient(conn).Check(context.Background(), &health.HealthCheckRequest{})
	check(err)
}

// server is not available three times.
type server struct {
	health.UnimplementedHealthServer
	attempts int
	start    time.Time
}

func (s *server) Check(context.Context, *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	if s.attempts++; s.attempts == 1 {
		s.start = time.Now()
	}
	fmt.Println("attempt", s.attempts, "after", time.Since(s.start).Round(10*time.Millisecond))
	if s.attempts <= 3 {
		return nil, status.Error(codes.Unavailable, "not yet")
	}
	return &health.HealthCheckResponse{}, nil
}

// listen starts the server and returns its address.
func listen() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	g := grpc.NewServer()
	health.RegisterHealthServer(g, new(server))
	go g.Serve(l)
	return l.Addr().String()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
