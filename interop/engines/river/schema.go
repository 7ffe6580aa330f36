package river

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"example.com/backoff/interop/service"
)

var quiet = slog.New(slog.DiscardHandler)

// A database is a schema of PostgreSQL with the tables of River.
type database struct {
	pool   *pgxpool.Pool
	schema string
}

// open returns the schema of another process.
func open(ctx context.Context, schema string) (*database, error) {
	pool, err := pgxpool.New(ctx, service.Postgres.Value())
	if err != nil {
		return nil, err
	}
	return &database{pool, schema}, nil
}

// create returns a new schema with a unique name. The caller drops it.
func create(ctx context.Context) (*database, error) {
	db, err := open(ctx, fmt.Sprintf("backoff_river_%016x", rand.Uint64()))
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx); err != nil {
		db.drop(ctx)
		return nil, err
	}
	return db, nil
}

func (db *database) migrate(ctx context.Context) error {
	if _, err := db.pool.Exec(ctx, "CREATE SCHEMA "+db.schema); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(db.pool), &rivermigrate.Config{Schema: db.schema, Logger: quiet})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// drop deletes the schema, even if ctx has ended, and closes the pool.
func (db *database) drop(ctx context.Context) error {
	defer db.pool.Close()
	_, err := db.pool.Exec(context.WithoutCancel(ctx), "DROP SCHEMA IF EXISTS "+db.schema+" CASCADE")
	return err
}
