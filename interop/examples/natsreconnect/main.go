// Command natsreconnect connects to a NATS server that is away at first. The server, which
// the command runs itself, answers the fourth time.
package main

import (
	"errors"
	"fmt"
	"log"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// A dialer fails three times.
type dialer struct {
	attempts int
	start    time.Time
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	if d.attempts++; d.attempts == 1 {
		d.start = time.Now()
	}
	fmt.Printf("attempt %d after %v\n", d.attempts, time.Since(d.start).Round(10*time.Millisecond))
	if d.attempts <= 3 {
		return nil, errors.New("the server is away")
	}
	return net.Dial(network, address)
}

func main() {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT})
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	s.ReadyForConnections(time.Minute)
	connected := make(chan bool)
	conn, err := nats.Connect(s.ClientURL(),
		nats.SetCustomDialer(new(dialer)),
		nats.RetryOnFailedConnect(true),
		nats.CustomReconnectDelay(adapt.FuncFrom(1, backoff.Exponential(100*time.Millisecond, 2))),
		nats.ConnectHandler(func(*nats.Conn) { close(connected) }))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	<-connected
}
