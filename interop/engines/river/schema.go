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

// A Database is a schema of PostgreSQL with the tables of River.
type Database struct {
	Pool   *pgxpool.Pool
	Schema string
}

// open returns the schema of another process.
func open(ctx context.Context, schema string) (*Database, error) {
	pool, err := pgxpool.New(ctx, service.Postgres.Value())
	if err != nil {
		return nil, err
	}
	return &Database{pool, schema}, nil
}

// NewDatabase returns a new schema with a unique name. The caller drops it.
func NewDatabase(ctx context.Context) (*Database, error) {
	db, err := open(ctx, fmt.Sprintf("backoff_river_%016x", rand.Uint64()))
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx); err != nil {
		db.Drop(ctx)
		return nil, err
	}
	return db, nil
}

func (db *Database) migrate(ctx context.Context) error {
	// A statement that ctx ends may still run when the caller drops the schema.
	if _, err := db.Pool.Exec(context.WithoutCancel(ctx), "CREATE SCHEMA "+db.Schema); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(db.Pool), &rivermigrate.Config{Schema: db.Schema, Logger: quiet})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// Drop deletes the schema, even if ctx has ended, and closes the pool.
func (db *Database) Drop(ctx context.Context) error {
	defer db.Pool.Close()
	_, err := db.Pool.Exec(context.WithoutCancel(ctx), "DROP SCHEMA IF EXISTS "+db.Schema+" CASCADE")
	return err
}
