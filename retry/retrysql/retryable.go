package retrysql

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
)

// Retryable reports whether a transaction that failed with err may be tried again from
// its beginning: after a [Conflict], and after the loss of the connection before the
// commit. The latter is err, or an error that it wraps, if it is
//
//   - [driver.ErrBadConn], [io.ErrUnexpectedEOF], a [net.OpError] that is not a
//     timeout, or an error whose method SafeToRetry() bool returns true (pgx);
//   - PostgreSQL: SQLSTATE class 08 (connection exception), 57P01, 57P02, 57P03
//     (the server shuts down, has crashed, starts), and 25P03, 57P05 (it has closed a
//     session that was idle, in a transaction or not);
//   - MySQL and MariaDB: 1053 (the server shuts down), 1927 (the connection was
//     killed), 4031 (MySQL has closed a session that was idle), and the text "invalid
//     connection" of go-sql-driver/mysql.
//
// Do not use Retryable for the error of a commit: it cannot tell whether the connection
// was lost before or after the transaction took place. [Tx] returns [ErrOutcomeUnknown]
// then, which is not retryable.
//
// Not retryable, among others: a duplicate key (23505, 1062), a query that was
// cancelled (57014, 1317), too many connections (53300, 1040), and a context that is
// done. To add some, pass retry.If to [Retry].
//
// No driver is imported. The code is read from the error's method
// SQLState() string (pgx, lib/pq), from a field Number of type uint16
// (go-sql-driver/mysql), from the method Code() int (modernc.org/sqlite) or from
// the fields Code and ExtendedCode of an integer type (mattn/go-sqlite3), fields
// by reflection. If no error has a code, a text such as "Error 1213 (40001): "
// in the message counts, because errors of MySQL begin with that.
func Retryable(err error) bool {
	return !errors.Is(err, ErrOutcomeUnknown) && (Conflict(err) || connectionLost(err))
}

// Conflict reports whether err, or an error that it wraps, means that this transaction
// conflicted with another one and must give way:
//
//   - PostgreSQL: 40001 (serialization failure), 40P01 (deadlock), 55P03 (lock
//     not available);
//   - MySQL and MariaDB: 1213 (deadlock), 1205 (lock wait timeout), 1020 (record
//     has changed since last read, MariaDB's snapshot isolation), 3572 (lock not
//     available);
//   - SQLite: BUSY (5) and LOCKED (6) with their extended codes, such as
//     BUSY_RECOVERY (261), LOCKED_SHAREDCACHE (262) and BUSY_SNAPSHOT (517).
//
// It reads the code as [Retryable] does. Transactions that conflict often fail at the
// same time, and would conflict again after equal delays.
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

// sqliteConflict compares the primary code, which is the low byte.
func sqliteConflict(code int) bool {
	return code&0xff == 5 || code&0xff == 6
}

// connectionLost reports whether err means that the connection was lost, or could not be
// made.
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

// closedByPeer reports whether err, of a call of the driver itself, means that the other
// side has closed the connection, in a way that other errors have too. lib/pq returns a bare
// io.EOF if a server or proxy accepts a connection and closes it. go-sql-driver/mysql
// returns an error with this text if it cannot answer the greeting of the server; it is not
// driver.ErrBadConn.
func closedByPeer(err error) bool {
	return anyIn(err, func(err error) bool {
		return err == io.EOF || err.Error() == "bad connection"
	})
}

// notBegun is an error for which a transaction has not begun. Its method makes it Retryable,
// also for a caller's retry.If.
type notBegun struct{ error }

func (e notBegun) Unwrap() error { return e.error }

func (notBegun) SafeToRetry() bool { return true }

// rolledBack reports whether the database says, by the error err of a commit, that the
// transaction did not take place.
//
// After any other error the outcome is unknown. That includes [driver.ErrBadConn] and
// pgx's SafeToRetry. They should mean that nothing was sent, but lib/pq returns the
// first, and pgx an error with the second, after a commit that took place and whose
// answer was lost.
func rolledBack(err error) bool {
	return anyIn(err, func(err error) bool {
		if state, ok := sqlState(err); ok {
			return stateRolledBack(state)
		}
		if number, ok := mysqlNumber(err); ok {
			// 3101 is a veto of group replication. 1205 is a commit that waited
			// too long for a global read lock.
			return mysqlConflict(number) || number == 3101
		}
		if code, ok := sqliteCode(err); ok {
			return code&0xff != sqliteIOErr
		}
		// A commit after an error that fn did not return: pgx and lib/pq.
		return err.Error() == "commit unexpectedly resulted in rollback" ||
			err.Error() == "pq: could not complete operation in a failed transaction"
	})
}

// sqliteIOErr is the only code with which SQLite itself may not know whether the
// transaction is on disk.
const sqliteIOErr = 10

// stateRolledBack reports whether a commit that fails with this SQLSTATE did not take
// place. It is true except for failures of the server or the connection and for 40003,
// statement completion unknown.
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
