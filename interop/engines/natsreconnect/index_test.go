package natsreconnect

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"example.com/backoff/interop/kept"
)

// TestIndex: the client counts waits from 1, from the start in each outage, and with two
// servers it dials both before it waits again.
func TestIndex(t *testing.T) {
	for _, tt := range []struct {
		servers int
		dials   string // what becomes of each dial: k connects, x fails, c connects and breaks
		want    string // d is a dial, and a number the one that the client gives for a delay
	}{
		{1, "c" + "xxc" + "xk", "d 1d2d3d 1d2d"},
		{1, "c" + "c" + "c" + "k", "d 1d 1d 1d"},
		{2, "c" + "xxxxk", "d d1dd2dd"},
	} {
		got := events(t, tt.servers, tt.dials)
		if diff := cmp.Diff(strings.ReplaceAll(tt.want, " ", ""), got); diff != "" {
			t.Errorf("%d servers, dials %s (-want +got):\n%s", tt.servers, tt.dials, diff)
		}
	}
}

// scripted dials as its script says.
type scripted struct {
	script  string
	address string
	got     *strings.Builder
	broken  net.Conn // the next connection that breaks
}

func (s *scripted) Dial(network, _ string) (net.Conn, error) {
	s.got.WriteByte('d')
	what := s.script[0]
	s.script = s.script[1:]
	if what == 'x' {
		return nil, errors.New("the server is away")
	}
	conn, err := net.Dial(network, s.address)
	s.broken = nil
	if what == 'c' {
		s.broken = conn
	}
	return conn, err
}

// events returns what a client did until the end of the script.
func events(t *testing.T, servers int, script string) string {
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	defer srv.Shutdown()
	if !srv.ReadyForConnections(2 * time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	var got strings.Builder
	d := &scripted{script: script, address: srv.Addr().String(), got: &got}
	urls := strings.Join([]string{"nats://127.0.0.1:1", "nats://127.0.0.1:2"}[:servers], ",")
	connected := make(chan bool)
	conn, err := nats.Connect(urls, nats.SetCustomDialer(d), nats.Timeout(time.Minute), nats.DontRandomize(),
		nats.CustomReconnectDelay(func(retry int) time.Duration {
			fmt.Fprint(&got, retry)
			return time.Millisecond
		}),
		nats.ReconnectHandler(func(*nats.Conn) { connected <- true }))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for d.broken != nil {
		d.broken.Close()
		kept.Receive(t, connected, "a connection")
	}
	return got.String()
}
