package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// An engine is a NATS server in this process, and a stream of jobs in it.
type engine struct {
	dir    string
	server *server.Server
	conn   *nats.Conn
	stream jetstream.Stream
}

// start starts an engine on a free port of the loopback address, with one message for
// each job. Its close deletes everything.
func start(ctx context.Context, jobs ...string) (e *engine, err error) {
	e = new(engine)
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if e.dir, err = os.MkdirTemp("", "jetstream"); err != nil {
		return nil, err
	}
	js, err := e.run()
	if err != nil {
		return nil, err
	}
	if e.stream, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs"}}); err != nil {
		return nil, err
	}
	for _, job := range jobs {
		if _, err := js.Publish(ctx, "jobs", []byte(job)); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// run runs the server on what is stored, and connects to it.
func (e *engine) run() (js jetstream.JetStream, err error) {
	e.server, err = server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: e.dir, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return nil, err
	}
	e.server.Start()
	if !e.server.ReadyForConnections(2 * time.Minute) {
		return nil, errors.New("the NATS server does not start")
	}
	if e.conn, err = nats.Connect(e.server.ClientURL(), nats.Timeout(time.Minute)); err != nil {
		return nil, err
	}
	return jetstream.New(e.conn, jetstream.WithDefaultTimeout(time.Minute))
}

// stop ends the server, and keeps what is stored.
func (e *engine) stop() {
	if e.conn != nil {
		e.conn.Close()
	}
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
	}
}

func (e *engine) close() {
	e.stop()
	os.RemoveAll(e.dir)
}

// next returns the next message of c and its metadata, however long that takes.
func next(ctx context.Context, c jetstream.Consumer) (jetstream.Msg, *jetstream.MsgMetadata, error) {
	for {
		msg, err := c.Next(jetstream.FetchContext(ctx))
		switch {
		case err == nil:
			meta, err := msg.Metadata()
			return msg, meta, err
		case errors.Is(err, jetstream.ErrInvalidOption): // the deadline has passed
			<-ctx.Done()
		case ctx.Err() == nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoHeartbeat):
			return nil, nil, err
		}
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("waiting for a message: %w", context.Cause(ctx))
		}
	}
}
