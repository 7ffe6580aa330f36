package retrysql

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
)

// Retryable reports whether err, or an error that it wraps, says that the
// transaction may be tried again, from its beginning: [Conflict] does, and so
// does the loss of the connection before the commit. That is
//
//   - [driver.ErrBadConn], [io.ErrUnexpectedEOF], a [net.OpError] that is no
//     timeout, and an error whose method SafeToRetry() bool says so (pgx);
//   - PostgreSQL: SQLSTATE class 08 (connection exception), 57P01, 57P02, 57P03
//     (the server shuts down, has crashed, starts), and 25P03, 57P05 (it has closed a
//     session that was idle, in a transaction or not);
//   - MySQL and MariaDB: 1053 (the server shuts down), 1927 (the connection was
//     killed), 4031 (MySQL has closed a session that was idle), and the text "invalid
//     connection" of go-sql-driver/mysql.
//
// It cannot know when a connection was lost: about the bare error of a commit it
// says nothing that holds. What [Tx] returns then, an [ErrOutcomeUnknown], is not
// retryable.
//
// Not retryable, among others: a duplicate key (23505, 1062), a query that was
// cancelled (57014, 1317), too many connections (53300, 1040), the end of a
// context. To add some, pass retry.If to [Retry].
//
// No driver is imported. The code is read from the error's method
// SQLState() string (pgx, lib/pq), from a field Number of type uint16
// (go-sql-driver/mysql), from the method Code() int (modernc.org/sqlite) or from
// the fields Code and ExtendedCode of an integer type (mattn/go-sqlite3), fields
// by reflection. If no error has a code, the text "Error 1213 (40001): " that
// MySQL's errors begin with is looked for.
func Retryable(err error) bool {
	return !errors.Is(err, ErrOutcomeUnknown) && (Conflict(err) || connectionLost(err))
}

// Conflict reports whether err, or an error that it wraps, says that
// transactions got in each other's way, and that this one was ended, or has to
// be, for the other one's sake:
//
//   - PostgreSQL: 40001 (serialization failure), 40P01 (deadlock), 55P03 (lock
//     not available);
//   - MySQL and MariaDB: 1213 (deadlock), 1205 (lock wait timeout), 1020 (record
//     has changed since last read, MariaDB's snapshot isolation), 3572 (lock not
//     available);
//   - SQLite: BUSY (5) and LOCKED (6) with their extended codes, such as
//     BUSY_RECOVERY (261), LOCKED_SHAREDCACHE (262) and BUSY_SNAPSHOT (517).
//
// It reads the code as [Retryable] does. Several transactions that fail by a
// conflict often fail at the same time, and after equal delays meet again.
func Conflict(err error) bool {
	coded := false
	if anyIn(err, func(err error) bool {
		if state, ok := sqlState(err); ok {
			coded = true
			return state == "40001" || state == "40P01" || state == "55P03"
		}
		if number, ok := mysqlNumber(err); ok {
			coded = true
			return mysqlConflict(number)
		}
		if code, ok := sqliteCode(err); ok {
			coded = true
			return sqliteConflict(code)
		}
		return false
	}) {
		return true
	}
	if coded || err == nil {
		return false
	}
	number, ok := mysqlNumberOf(err.Error())
	return ok && mysqlConflict(number)
}

func mysqlConflict(number int) bool {
	return number == 1213 || number == 1205 || number == 1020 || number == 3572
}

// sqliteConflict looks at the primary code, the low byte.
func sqliteConflict(code int) bool {
	return code&0xff == 5 || code&0xff == 6
}

// connectionLost reports whether err says that the connection failed, or could
// not be made.
func connectionLost(err error) bool {
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	return anyIn(err, func(err error) bool {
		if state, ok := sqlState(err); ok {
			switch state {
			case "57P01", "57P02", "57P03", "25P03", "57P05":
				return true
			}
			return len(state) == 5 && state[:2] == "08"
		}
		if number, ok := mysqlNumber(err); ok {
			return number == 1053 || number == 1927 || number == 4031
		}
		if e, ok := err.(*net.OpError); ok {
			return !e.Timeout()
		}
		if e, ok := err.(interface{ SafeToRetry() bool }); ok && e.SafeToRetry() {
			return true
		}
		// go-sql-driver/mysql's ErrInvalidConn is a plain text.
		return err.Error() == "invalid connection"
	})
}

// rolledBack reports whether err, which a commit returned, is the database's
// word that the transaction did not take place.
//
// Anything else leaves the outcome open. [driver.ErrBadConn] and pgx's SafeToRetry
// too: they should mean that nothing was sent, but after a commit that took place
// and whose answer was lost lib/pq returns the one, and pgx an error that says the
// other.
func rolledBack(err error) bool {
	return anyIn(err, func(err error) bool {
		if state, ok := sqlState(err); ok {
			return stateRolledBack(state)
		}
		if number, ok := mysqlNumber(err); ok {
			// 3101 is a veto of group replication. 1205 is a commit that has
			// waited in vain, behind a global read lock.
			return mysqlConflict(number) || number == 3101
		}
		if code, ok := sqliteCode(err); ok {
			return code&0xff != sqliteIOErr
		}
		// A commit after an error that fn has kept to itself: pgx and lib/pq.
		return err.Error() == "commit unexpectedly resulted in rollback" ||
			err.Error() == "pq: could not complete operation in a failed transaction"
	})
}

// sqliteIOErr is the one code with which SQLite may not know itself whether the
// transaction is on disk.
const sqliteIOErr = 10

// stateRolledBack reports whether a commit that fails with this SQLSTATE did not
// take place: true but for the failures of the server or the connection and for
// 40003, statement completion unknown.
func stateRolledBack(state string) bool {
	if len(state) != 5 || state == "40003" {
		return false
	}
	switch state[:2] {
	case "08", "53", "57", "58", "F0", "XX":
		return false
	}
	return true
}
