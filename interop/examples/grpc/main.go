// This program lets gRPC itself retry: adapt.GRPCServiceConfig writes the retryPolicy that
// comes closest to a schedule. gRPC shortens or lengthens each delay by up to 20 %, so the
// program asks for a quarter more, and no delay is shorter than that of the schedule.
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
	delays := backoff.Exponential(100*time.Millisecond, 2)
	config, err := adapt.GRPCServiceConfig(func(uint64) iter.Seq[time.Duration] {
		return backoff.Take(backoff.Scale(delays, 1.25), 4)
	})
	check(err)
	conn, err := grpc.NewClient(serve(), grpc.WithDefaultServiceConfig(config),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	_, err = health.NewHealthClient(conn).Check(context.Background(), &health.HealthCheckRequest{})
	check(err)
}

// serve starts a server that is not available three times, and returns its address.
func serve() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	attempt, start := 0, time.Time{}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if attempt++; attempt == 1 {
			start = time.Now()
		}
		fmt.Println("attempt", attempt, "after", time.Since(start).Round(10*time.Millisecond))
		if attempt <= 3 {
			return status.Error(codes.Unavailable, "not yet")
		}
		return stream.SendMsg(&health.HealthCheckResponse{})
	}))
	go server.Serve(l)
	return l.Addr().String()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
