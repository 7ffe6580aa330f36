// Package natsreconnect verifies how the client of NATS keeps the delays of a schedule
// while its server is away.
//
// The client counts its calls of CustomReconnectDelay from 1, and begins at 1 again each
// time the connection is lost. It waits before it dials for the first time, so
// [adapt.FuncFrom] with 1 gives delay 0 of the schedule to that first wait. If it knows
// more than one server, it waits only after it has dialled all of them.
//
// A timer keeps each delay, so it lasts up to about 1 ms longer. The client gives up after
// MaxReconnects dials of a server, 60 by default, and never if that is −1.
//
// This is how nats.go 1.55.0 behaves.
package natsreconnect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

// A dialer connects once, and then records its calls, which fail.
type dialer struct {
	kept.Recorder
	connected atomic.Bool
	attempts  chan struct{} // one for each call that failed
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	if d.connected.CompareAndSwap(false, true) {
		return net.Dial(network, address)
	}
	d.Attempt()
	d.attempts <- struct{}{}
	return nil, errors.New("the server is away")
}

// Measure connects to a server in this process, stops the server, and returns the first n
// delays before the client dials again.
func Measure(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		return nil, err
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(2 * time.Minute) {
		return nil, errors.New("the NATS server does not start")
	}
	d := &dialer{attempts: make(chan struct{}, n+2)}
	delay := adapt.FuncFrom(1, seq)
	conn, err := nats.Connect(s.ClientURL(),
		nats.SetCustomDialer(d),
		nats.Timeout(time.Minute),
		nats.MaxReconnects(n),
		nats.CustomReconnectDelay(func(retry int) time.Duration { return d.Ask(delay(retry)) }))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	s.Shutdown()
	for range n {
		select {
		case <-d.attempts:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the client to dial: %w", ctx.Err())
		}
	}
	return d.Delays()[:n], nil
}
