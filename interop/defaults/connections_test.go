package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/backoff/interop/observed"
)

// TestGRPCConnections: the real client dials an unreachable address in virtual time.
func TestGRPCConnections(t *testing.T) {
	const name = "gRPC connections"
	want := backoff.Config{BaseDelay: time.Second, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Minute}
	if d := cmp.Diff(want, backoff.DefaultConfig); d != "" {
		t.Errorf("the defaults (-want +got):\n%s", d)
	}

	const connections, retries = 2000, 15 // the cap is reached by retry 12
	rows := make([][]time.Duration, connections)
	synctest.Test(t, func(t *testing.T) {
		for i := range rows {
			rows[i] = observed.Gaps(func(attempt func()) {
				tried := make(chan struct{})
				conn, err := grpc.NewClient("passthrough:///nowhere",
					grpc.WithTransportCredentials(insecure.NewCredentials()),
					grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
						select {
						case tried <- struct{}{}:
						case <-ctx.Done():
						}
						return nil, errFailed
					}))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				conn.Connect()
				for range retries + 1 {
					<-tried
					attempt()
				}
			})
		}
	})
	for _, d := range clientNamed(t, name).observed().Differences(rows, false, 1) {
		t.Error(d)
	}
}

// TestGRPCCountsFromTheEnd: the delay begins when the attempt has ended.
func TestGRPCCountsFromTheEnd(t *testing.T) {
	const lasts = 5 * time.Second
	synctest.Test(t, func(t *testing.T) {
		delays := observed.Gaps(func(attempt func()) {
			tried := make(chan struct{}, 2)
			conn, err := grpc.NewClient("passthrough:///nowhere",
				grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
					attempt()
					tried <- struct{}{}
					time.Sleep(lasts)
					return nil, errFailed
				}))
			if err != nil {
				t.Fatal(err)
			}
			conn.Connect()
			<-tried
			<-tried
			conn.Close()
			time.Sleep(lasts) // until the last attempt has ended
		})
		if want := backoff.DefaultConfig.BaseDelay + lasts; delays[0] != want {
			t.Errorf("the second attempt begins %v after the first, want %v", delays[0], want)
		}
	})
}

// TestNATSReconnect: the client of NATS loses its connection and reconnects until it
// gives up, in virtual time.
func TestNATSReconnect(t *testing.T) {
	if got := nats.GetDefaultOptions().ReconnectJitterTLS; got != time.Second {
		t.Errorf("the jitter with TLS is %v, want 1s", got)
	}
	const connections = 1000
	rows := make([][]time.Duration, connections)
	synctest.Test(t, func(t *testing.T) {
		for i := range rows {
			rows[i] = observed.Gaps(func(attempt func()) {
				d := &onceDialer{failed: attempt}
				closed := make(chan struct{})
				_, err := nats.Connect("nats://127.0.0.1:4222",
					nats.SetCustomDialer(d),
					nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
				if err != nil {
					t.Fatal(err)
				}
				attempt() // the first delay follows the loss
				d.server.Close()
				<-closed
			})
		}
	})
	for _, d := range clientNamed(t, "NATS, reconnecting").observed().Differences(rows, true, 1) {
		t.Error(d)
	}
}

// A onceDialer makes one connection, to a server that only greets and answers pings.
// Later calls fail.
type onceDialer struct {
	server net.Conn
	failed func()
}

func (d *onceDialer) Dial(string, string) (net.Conn, error) {
	if d.server != nil {
		d.failed()
		return nil, errFailed
	}
	client, server := net.Pipe()
	d.server = server
	go func() {
		io.WriteString(server, "INFO {\"server_id\":\"X\",\"version\":\"2.10.0\",\"proto\":1,\"max_payload\":1048576}\r\n")
		lines := bufio.NewScanner(server)
		for lines.Scan() {
			if lines.Text() == "PING" {
				io.WriteString(server, "PONG\r\n")
			}
		}
	}()
	return client, nil
}
