package indexes

import (
	"context"
	"iter"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/backoff/adapt"
)

// A refusing is a dialer that always fails.
type refusing struct{}

func (refusing) Dial(string, string) (net.Conn, error) { return nil, errFailed }

func natsConnect(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	conn, err := nats.Connect("nats://localhost", nats.SetCustomDialer(refusing{}),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(r.of(adapt.FuncFrom(1, seq))))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r.wait(t)
}

// natsReconnect shuts a server down under its client.
func natsReconnect(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	s := natsServer(t, &server.Options{})
	conn, err := nats.Connect(s.ClientURL(), nats.Timeout(time.Minute), nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(r.of(adapt.FuncFrom(1, seq))))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s.Shutdown()
	r.wait(t)
}

// natsServer starts a server that ends with the test.
func natsServer(t *testing.T, o *server.Options) *server.Server {
	o.Host, o.Port, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(5 * time.Minute) {
		t.Fatal("the server does not start")
	}
	return s
}

// jetStreamNumDelivered sends a message back until it has come often enough.
func jetStreamNumDelivered(t *testing.T, seq iter.Seq[time.Duration], r *record) {
	s := natsServer(t, &server.Options{JetStream: true, StoreDir: t.TempDir()})
	conn, err := nats.Connect(s.ClientURL(), nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs"}, Storage: jetstream.MemoryStorage})
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{AckWait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, "jobs", nil); err != nil {
		t.Fatal(err)
	}
	delay := r.of(adapt.FuncFrom(1, seq))
	for range enough {
		// Heartbeats would end a request that waits while this machine is busy.
		message, err := consumer.Next(jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		m, err := message.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		if err := message.NakWithDelay(delay(int(m.NumDelivered))); err != nil {
			t.Fatal(err)
		}
	}
}
