// Package contest makes transactions conflict: several workers update the same two
// rows of a database at the same time, each with retrysql.Tx, until all their
// transactions are committed.
package contest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"example.com/backoff/retry"
	"example.com/backoff/retry/retrysql"
)

// A Mode is the way in which transactions fail.
type Mode string

const (
	// Deadlock: each transaction locks one row and then the other. Half of the workers
	// begin with row 1, half with row 2. SQLite locks the whole file, so there each
	// transaction reads before it writes, and two that have read block each other.
	Deadlock Mode = "deadlock"
	// Conflict: each transaction reads from a snapshot and then updates the rows that
	// it read. The first to commit wins, and all others fail together.
	Conflict Mode = "conflict"
	// NoWait: a transaction fails at once if a row is locked, or the file on SQLite.
	NoWait Mode = "nowait"
)

// Modes are all modes.
func Modes() []Mode { return []Mode{Deadlock, Conflict, NoWait} }

// Settings describe a contest.
type Settings struct {
	Database     string // one of Databases
	DSN          string // its data source name; "": the default of the database
	Mode         Mode
	Workers      int           // updating at the same time
	Transactions int           // that each worker commits
	Hold         time.Duration // between the two steps of a transaction
}

// Check returns an error if a setting is invalid.
func (s Settings) Check() error {
	switch {
	case engines[s.Database] == nil:
		return fmt.Errorf("the database is %q, want one of %q", s.Database, Databases())
	case !slices.Contains(Modes(), s.Mode):
		return fmt.Errorf("the mode is %q, want one of %q", s.Mode, Modes())
	case s.Workers < 1:
		return fmt.Errorf("there are %d workers, want >= 1", s.Workers)
	case s.Transactions < 1:
		return fmt.Errorf("there are %d transactions, want >= 1", s.Transactions)
	case s.Hold < 0:
		return fmt.Errorf("the hold is %v, want >= 0", s.Hold)
	}
	return nil
}

// A Contest is a table of two rows in a database.
type Contest struct {
	Settings
	db     *sql.DB
	engine engine
	table  string
}

// Open connects to a database and creates a table with a unique name. The caller
// calls Close, which drops the table.
func Open(ctx context.Context, s Settings) (*Contest, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	engine, err := engines[s.Database](s.DSN, s.Mode)
	if err != nil {
		return nil, err
	}
	c := &Contest{Settings: s, engine: engine, table: tableName()}
	c.db, err = sql.Open(engine.driver, engine.dsn)
	if err == nil {
		// One connection for each worker, kept between rounds.
		c.db.SetMaxOpenConns(s.Workers)
		c.db.SetMaxIdleConns(s.Workers)
		_, err = c.db.ExecContext(ctx, "CREATE TABLE "+c.table+" (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)")
	}
	if err == nil {
		if _, err = c.db.ExecContext(ctx, "INSERT INTO "+c.table+" VALUES (1, 0), (2, 0)"); err == nil {
			return c, nil
		}
		err = errors.Join(err, c.drop())
	}
	return nil, errors.Join(err, c.release())
}

// Close drops the table and closes the database.
func (c *Contest) Close() error {
	return errors.Join(c.drop(), c.release())
}

func (c *Contest) drop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := c.db.ExecContext(ctx, "DROP TABLE "+c.table)
	return err
}

func (c *Contest) release() error {
	var err error
	if c.db != nil {
		err = c.db.Close()
	}
	if c.engine.release != nil {
		err = errors.Join(err, c.engine.release())
	}
	return err
}

// A Result is the outcome of one round.
type Result struct {
	Committed int            // transactions that were committed
	Failed    map[string]int // attempts that failed, by the engine's error code
	Elapsed   time.Duration  // from the start of all workers to the end of the last
	Err       error          // why a worker gave up; nil if every transaction was committed
}

// Tried returns the number of transactions that were begun.
func (r Result) Tried() int {
	n := r.Committed
	for _, failed := range r.Failed {
		n += failed
	}
	return n
}

// Round starts all workers at once and waits for them. Each worker ranges over delays
// by itself. Then Round compares the rows with the number of commits. If they differ,
// an update was lost or done twice, and Round returns an error.
func (c *Contest) Round(ctx context.Context, delays iter.Seq[time.Duration], opts ...retrysql.Option) (Result, error) {
	if err := c.prepare(ctx); err != nil {
		return Result{}, err
	}
	var (
		mu    sync.Mutex
		r     = Result{Failed: map[string]int{}}
		fails = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			r.Failed[c.engine.code(err)]++
		}
		start = make(chan struct{})
		wg    sync.WaitGroup
	)
	opts = append(slices.Clone(opts),
		retrysql.TxOptions(c.engine.tx),
		retrysql.Retry(retry.OnRetry(func(e retry.Event) { fails(e.Err) })))
	for w := range c.Workers {
		first, second := 1, 2
		if w%2 == 1 && c.Mode != Conflict {
			first, second = 2, 1
		}
		wg.Go(func() {
			<-start
			for range c.Transactions {
				err := retrysql.Tx(ctx, c.db, delays, func(ctx context.Context, tx *sql.Tx) error {
					return c.transaction(ctx, tx, first, second)
				}, opts...)
				if err != nil {
					fails(err)
				}
				mu.Lock()
				if err == nil {
					r.Committed++
				} else if r.Err == nil {
					r.Err = err
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	began := time.Now()
	close(start)
	wg.Wait()
	r.Elapsed = time.Since(began)
	return r, c.audit(context.WithoutCancel(ctx), r)
}

// transaction adds 1 to both rows.
func (c *Contest) transaction(ctx context.Context, tx *sql.Tx, first, second int) error {
	for i, id := range []int{first, second} {
		if i == 1 && c.Hold > 0 {
			time.Sleep(c.Hold)
		}
		if err := c.step(ctx, tx, c.engine.before[i], id); err != nil {
			return err
		}
	}
	return c.step(ctx, tx, c.engine.last, second)
}

// step runs a statement, if there is one, and ignores its result.
func (c *Contest) step(ctx context.Context, tx *sql.Tx, query func(table string, id int) string, id int) error {
	if query == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, query(c.table, id))
	return err
}

// prepare sets the rows to 0 and opens all connections, so that no round includes the
// time of connecting.
func (c *Contest) prepare(ctx context.Context) error {
	conns := make([]*sql.Conn, c.Workers)
	var err error
	for i := range conns {
		if conns[i], err = c.db.Conn(ctx); err != nil {
			break
		}
	}
	for _, conn := range conns {
		if conn != nil {
			conn.Close()
		}
	}
	if err == nil {
		_, err = c.db.ExecContext(ctx, "UPDATE "+c.table+" SET n = 0")
	}
	return err
}

// audit compares the rows with the number of commits. If a worker was stopped during
// a commit, the commit may have happened, so the rows may count more.
func (c *Contest) audit(ctx context.Context, r Result) error {
	for id := 1; id <= 2; id++ {
		var n int
		if err := c.db.QueryRowContext(ctx, read(c.table, id)).Scan(&n); err != nil {
			return err
		}
		if n < r.Committed || n > r.Committed && r.Err == nil {
			return fmt.Errorf("row %d counts %d, and %d transactions were committed", id, n, r.Committed)
		}
	}
	return nil
}
