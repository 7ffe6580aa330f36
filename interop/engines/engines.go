package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/backoff"
	"example.com/backoff/interop/engines/asynq"
	"example.com/backoff/interop/engines/aws"
	"example.com/backoff/interop/engines/grpc"
	"example.com/backoff/interop/engines/jetstream"
	"example.com/backoff/interop/engines/kafka"
	"example.com/backoff/interop/engines/natsreconnect"
	"example.com/backoff/interop/engines/retryablehttp"
	"example.com/backoff/interop/engines/river"
	"example.com/backoff/interop/engines/runners"
	"example.com/backoff/interop/engines/temporal"
	"example.com/backoff/interop/engines/watermill"
	"example.com/backoff/interop/engines/workqueue"
	"example.com/backoff/interop/kept"
)

// An engine is a row of the table: what is measured, and on which schedule.
type engine struct {
	name    string
	module  string // whose version the row has
	measure func(ctx context.Context, seq iter.Seq[time.Duration], n int) ([]kept.Delay, error)
	base    time.Duration // the schedule is exponential(base, 2) | take(retries)
	retries int
}

const ms = time.Millisecond

var engines = slices.Concat([]engine{
	{"JetStream, NakWithDelay", "github.com/nats-io/nats-server/v2", jetstream.Measure, 10 * ms, 7},
	{"JetStream, BackOff list", "github.com/nats-io/nats-server/v2", jetstream.MeasureList, 10 * ms, 7},
	{"NATS, reconnect", "github.com/nats-io/nats.go", natsreconnect.Measure, 10 * ms, 7},
	{"River", "github.com/riverqueue/river", river.Measure, 100 * ms, 5},
	{"asynq", "github.com/hibiken/asynq", asynq.Measure, time.Second, 3},
	{"Kafka, delay topics", "github.com/twmb/franz-go", kafka.Measure, 10 * ms, 7},
	{"Temporal, test environment", "go.temporal.io/sdk", temporal.Measure, 10 * ms, 7},
	{"Kubernetes workqueue", "k8s.io/client-go", workqueue.Measure, 10 * ms, 7},
	{"watermill", "github.com/ThreeDotsLabs/watermill", watermill.Measure, 10 * ms, 7},
	{"gRPC, retryPolicy", "google.golang.org/grpc", grpc.Measure, 10 * ms, 4},
	{"AWS SDK for Go v2", "github.com/aws/aws-sdk-go-v2", aws.Measure, 10 * ms, 7},
	{"hashicorp/go-retryablehttp", "github.com/hashicorp/go-retryablehttp", retryablehttp.Measure, 10 * ms, 7},
}, loops())

// loops returns the libraries that retry in a loop of their own.
func loops() (all []engine) {
	for _, r := range runners.Runners() {
		all = append(all, engine{r.Name, r.Module, r.Measure, 10 * ms, 7})
	}
	return all
}

// rounds is how often each engine is measured.
const rounds = 5

// A row is what was measured: how late the delays of all rounds were.
type row struct {
	engine
	median, latest, earliest time.Duration
}

func measure(ctx context.Context, e engine) (row, error) {
	var late []time.Duration
	for range rounds {
		delays, err := e.measure(ctx, backoff.Exponential(e.base, 2), e.retries)
		if err != nil {
			return row{}, err
		}
		if len(delays) != e.retries {
			return row{}, fmt.Errorf("%d retries, want %d", len(delays), e.retries)
		}
		for _, d := range delays {
			late = append(late, d.Late())
		}
	}
	slices.Sort(late)
	return row{e, late[len(late)/2], late[len(late)-1], late[0]}, nil
}

const header = "| engine | version | schedule | late, median | latest | earliest |\n|---|---|---|---:|---:|---:|\n"

func table(rows []row, versions map[string]string) string {
	var b strings.Builder
	b.WriteString(header)
	for _, r := range rows {
		b.WriteString(r.markdown(versions) + "\n")
	}
	return b.String()
}

// markdown returns the row of a table.
func (r row) markdown(versions map[string]string) string {
	return fmt.Sprintf("%s %s | %s | %s |", r.key(versions), short(r.median), short(r.latest), short(r.earliest))
}

// key returns the cells that do not depend on the machine.
func (e engine) key(versions map[string]string) string {
	module := e.module[strings.LastIndex(strings.TrimRight(e.module, "/v0123456789"), "/")+1:]
	return fmt.Sprintf("| %s | %s %s | `exponential(%v, 2) \\| take(%d)` |", e.name, module, versions[e.module], e.base, e.retries)
}

// short returns d in milliseconds, to a tenth below 10 ms.
func short(d time.Duration) string {
	unit := ms
	if d.Abs() < 10*ms {
		unit = ms / 10
	}
	return strconv.FormatFloat(float64(d.Round(unit))/float64(ms), 'f', -1, 64) + " ms"
}
