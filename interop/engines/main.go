// Command engines measures how well engines keep a schedule, and writes the table of
// docs/engines.md. It needs PostgreSQL and Redis for two of them.
//
//	GOWORK=off go -C interop run ./engines
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9/logging"

	"example.com/backoff/interop/page"
	"example.com/backoff/interop/service"
)

func main() {
	file := flag.String("page", "../docs/engines.md", "the `file` to update")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "engines: unexpected argument %q, want flags only\n", flag.Arg(0))
		os.Exit(2)
	}
	logging.Disable() // of the client of Redis
	ctx, stop := untilSignal()
	defer stop()
	if err := update(ctx, *file); err != nil {
		fmt.Fprintf(os.Stderr, "engines: %v\n", err)
		os.Exit(1)
	}
}

// servers are what two engines need.
var servers = map[string]service.Service{"River": service.Postgres, "asynq": service.Redis}

// failure returns an error of one line, which tells how to start a server if the engine
// needs one.
func failure(engine string, err error) error {
	text := fmt.Sprintf("%s: %s", engine, strings.Join(strings.Fields(err.Error()), " "))
	if s, ok := servers[engine]; ok {
		text += fmt.Sprintf(" (needs %s: start it on %s or set %s)", s.Name, s.Listens, s.Env)
	}
	return errors.New(text)
}

// untilSignal returns a context that ends at a signal to stop, so that what a measurement
// keeps in a server is deleted first.
func untilSignal() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// update measures all engines and writes the page. It reads the page first, because the
// figures of three minutes would be lost if it cannot have them.
func update(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := page.Update(text, page.Part{Name: "measured"}); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	versions, err := page.Versions("go.mod")
	if err != nil {
		return err
	}
	var rows []row
	for _, e := range engines {
		r, err := measure(ctx, e)
		if err != nil {
			return failure(e.name, err)
		}
		fmt.Println(r.markdown(versions))
		rows = append(rows, r)
	}
	_, err = page.UpdateFile(file, page.Part{Name: "measured", Text: table(rows, versions)})
	return err
}
