package contest

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"

	"example.com/backoff/interop/service"
)

// An engine is a database in one mode.
type engine struct {
	driver, dsn string
	tx          sql.TxOptions
	code        func(error) string // the code of an error
	release     func() error       // removes the files of the engine; nil if there are none

	// The statements of a transaction: one for each of two rows, with the hold between
	// them, and one at the end. A nil statement is left out.
	before [2]func(table string, id int) string
	last   func(table string, id int) string
}

var engines = map[string]func(dsn string, mode Mode) (engine, error){
	"mysql":    mysqlEngine,
	"postgres": postgresEngine,
	"sqlite":   sqliteEngine,
}

// Databases are the names of all engines.
func Databases() []string { return slices.Sorted(maps.Keys(engines)) }

func tableName() string { return fmt.Sprintf("backoff_contest_%016x", rand.Uint64()) }

func updateRow(table string, id int) string {
	return fmt.Sprintf("UPDATE %s SET n = n + 1 WHERE id = %d", table, id)
}

func updateBoth(table string, _ int) string {
	return fmt.Sprintf("UPDATE %s SET n = n + 1", table)
}

func read(table string, id int) string {
	return fmt.Sprintf("SELECT n FROM %s WHERE id = %d", table, id)
}

func lockNoWait(table string, id int) string { return read(table, id) + " FOR UPDATE NOWAIT" }

// statements are those of the engines that lock rows.
func (e *engine) statements(mode Mode) {
	switch mode {
	case Deadlock:
		e.before = [2]func(string, int) string{updateRow, updateRow}
	case Conflict:
		e.before[0], e.last = read, updateBoth
		e.tx.Isolation = sql.LevelRepeatableRead
	case NoWait:
		e.before, e.last = [2]func(string, int) string{lockNoWait, lockNoWait}, updateBoth
	}
}

func mysqlEngine(dsn string, mode Mode) (engine, error) {
	if dsn == "" {
		dsn = service.MySQL.Value()
	}
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return engine{}, err
	}
	if mode == Conflict { // only MariaDB has it; MySQL returns an error
		if config.Params == nil {
			config.Params = map[string]string{}
		}
		config.Params["innodb_snapshot_isolation"] = "ON"
	}
	e := engine{driver: "mysql", dsn: config.FormatDSN(), code: func(err error) string {
		if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
			return strconv.Itoa(int(e.Number))
		}
		return other
	}}
	e.statements(mode)
	return e, nil
}

func postgresEngine(dsn string, mode Mode) (engine, error) {
	if dsn == "" {
		dsn = service.Postgres.Value()
	}
	e := engine{driver: "pgx", dsn: dsn, code: func(err error) string {
		if e, ok := errors.AsType[*pgconn.PgError](err); ok {
			return e.Code
		}
		return other
	}}
	e.statements(mode)
	return e, nil
}

// sqliteEngine creates a temporary database file if dsn is empty. It waits neither for
// the disk nor for locks.
func sqliteEngine(dsn string, mode Mode) (engine, error) {
	e := engine{driver: "sqlite", dsn: dsn, code: func(err error) string {
		if e, ok := errors.AsType[*sqlite.Error](err); ok {
			return strconv.Itoa(e.Code())
		}
		return other
	}}
	e.before = [2]func(string, int) string{updateRow, updateRow}
	params := "?_pragma=busy_timeout(0)&_pragma=synchronous(off)"
	switch mode {
	case Deadlock:
		e.before[0], e.before[1], e.last = read, nil, updateBoth
	case Conflict:
		e.before[0], e.before[1], e.last = read, nil, updateBoth
		params += "&_pragma=journal_mode(wal)"
	case NoWait:
		params += "&_txlock=immediate"
	}
	if dsn == "" {
		dir, err := os.MkdirTemp("", "backoff-contest-")
		if err != nil {
			return engine{}, err
		}
		e.dsn = "file:" + filepath.ToSlash(filepath.Join(dir, "contest.db")) + params
		e.release = func() error { return os.RemoveAll(dir) }
	}
	return e, nil
}

// other is the code of an error that has none: a lost connection or a context that is
// done.
const other = "other"
