package retrysql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"example.com/backoff/retry/retrysql"
)

// Errors of the shapes that the drivers give them. The real ones are in the
// module interop.

// pgError is shaped like pgx's *pgconn.PgError and lib/pq's *pq.Error.
type pgError struct{ Code string }

func (e *pgError) Error() string    { return "ERROR: it failed (SQLSTATE " + e.Code + ")" }
func (e *pgError) SQLState() string { return e.Code }

// mysqlError is shaped like go-sql-driver's *mysql.MySQLError.
type mysqlError struct {
	Number   uint16
	SQLState [5]byte
	Message  string
}

func (e *mysqlError) Error() string {
	return fmt.Sprintf("Error %d (%s): %s", e.Number, e.SQLState, e.Message)
}

func mysql(number uint16) *mysqlError {
	return &mysqlError{number, [5]byte([]byte("HY000")), "it failed"}
}

// moderncError is shaped like modernc's *sqlite.Error.
type moderncError struct{ code int }

func (e *moderncError) Error() string { return fmt.Sprintf("it failed (%d)", e.code) }
func (e *moderncError) Code() int     { return e.code }

// mattnError is shaped like mattn's sqlite3.Error.
type (
	errNo         int
	errNoExtended int
	mattnError    struct {
		Code         errNo
		ExtendedCode errNoExtended
		SystemErrno  syscall.Errno
		err          string
	}
)

func (e mattnError) Error() string { return e.err }

func mattn(code, extended int) mattnError {
	return mattnError{errNo(code), errNoExtended(extended), 0, "it failed"}
}

// safeError is shaped like pgx's *pgconn.pgconnError.
type safeError struct{ safe bool }

func (e *safeError) Error() string     { return "it failed" }
func (e *safeError) SafeToRetry() bool { return e.safe }

// numberError is shaped like the error of a driver that is not supported, such as mssql's.
type numberError[T any] struct{ Number T }

func (e numberError[T]) Error() string { return fmt.Sprint("number ", e.Number) }

// restError is shaped like the errors of many REST clients, which have a code too.
type restError[T any] struct{ Code T }

func (e restError[T]) Error() string { return fmt.Sprint("status ", e.Code) }

// oddError has the fields of mattn's error, and one of them is no number.
type oddError[C, X any] struct {
	Code         C
	ExtendedCode X
}

func (oddError[C, X]) Error() string { return "it failed" }

// hollowError has the fields of two drivers in an embedded nil pointer.
type hollowError struct{ *fields }

type fields struct {
	Number             uint16
	Code, ExtendedCode int
}

func (hollowError) Error() string { return "it failed" }

// timeout is a net.Error that timed out.
type timeout struct{}

func (timeout) Error() string   { return "i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func TestRetryable(t *testing.T) {
	const (
		no       = iota
		lost     // retryable, no conflict
		conflict // retryable
	)
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nil", nil, no},
		{"an error of fn", errors.New("out of stock"), no},
		{"end of a context", context.DeadlineExceeded, no},
		{"cancelled context", context.Canceled, no},
		{"no row", sql.ErrNoRows, no},
		{"ended transaction", sql.ErrTxDone, no},

		{"postgres serialization failure", &pgError{"40001"}, conflict},
		{"postgres deadlock", &pgError{"40P01"}, conflict},
		{"postgres lock not available", &pgError{"55P03"}, conflict},
		{"postgres connection exception", &pgError{"08000"}, lost},
		{"postgres connection failure", &pgError{"08006"}, lost},
		{"postgres admin shutdown", &pgError{"57P01"}, lost},
		{"postgres idle in transaction", &pgError{"25P03"}, lost},
		{"postgres idle session", &pgError{"57P05"}, lost},
		{"postgres crash shutdown", &pgError{"57P02"}, lost},
		{"postgres cannot connect now", &pgError{"57P03"}, lost},
		{"postgres query cancelled", &pgError{"57014"}, no},
		{"postgres duplicate key", &pgError{"23505"}, no},
		{"postgres failed transaction", &pgError{"25P02"}, no},
		{"postgres completion unknown", &pgError{"40003"}, no},
		{"postgres too many connections", &pgError{"53300"}, no},
		{"postgres no state", &pgError{""}, no},
		{"postgres half a class", &pgError{"08"}, no},

		{"mysql deadlock", mysql(1213), conflict},
		{"mysql lock wait timeout", mysql(1205), conflict},
		{"mariadb record has changed", mysql(1020), conflict},
		{"mysql lock not available", mysql(3572), conflict},
		{"mysql shutdown", mysql(1053), lost},
		{"mariadb connection killed", mysql(1927), lost},
		{"mysql idle session", mysql(4031), lost},
		{"mysql invalid connection", errors.New("invalid connection"), lost},
		{"mysql duplicate key", mysql(1062), no},
		{"mysql query interrupted", mysql(1317), no},
		{"another driver's Number", numberError[int32]{1213}, no},
		{"another driver's Number, unsigned", numberError[uint32]{1213}, no},
		{"another error's Code", restError[int]{5}, no},
		{"another error's Code, a text", restError[string]{"5"}, no},
		{"another error's Code, a text beside an ExtendedCode", oddError[string, int]{"5", 5}, no},
		{"another error's ExtendedCode, a text", oddError[int, string]{5, "5"}, no},

		{"modernc busy", &moderncError{5}, conflict},
		{"modernc locked", &moderncError{6}, conflict},
		{"modernc busy recovery", &moderncError{261}, conflict},
		{"modernc locked shared cache", &moderncError{262}, conflict},
		{"modernc busy snapshot", &moderncError{517}, conflict},
		{"modernc locked vtab", &moderncError{518}, conflict},
		{"modernc busy timeout", &moderncError{773}, conflict},
		{"modernc constraint", &moderncError{19}, no},
		{"modernc unique", &moderncError{2067}, no},
		{"modernc interrupt", &moderncError{9}, no},
		{"modernc out of memory", &moderncError{7}, no},

		{"mattn busy", mattn(5, 0), conflict},
		{"mattn busy, both", mattn(5, 5), conflict},
		{"mattn locked", mattn(6, 262), conflict},
		{"mattn busy snapshot", mattn(5, 517), conflict},
		{"mattn by pointer", new(mattn(5, 517)), conflict},
		{"mattn constraint", mattn(19, 1555), no},

		{"text of a deadlock", errors.New("save: Error 1213 (40001): Deadlock found"), conflict},
		{"text without state", errors.New("Error 1205: Lock wait timeout exceeded"), conflict},
		{"text of a duplicate key", errors.New("Error 1062 (23000): Duplicate entry 'x'"), no},
		{"text that quotes another", errors.New("Error 1062 (23000): Duplicate entry 'Error 1213 (40001): x'"), no},
		{"a code of mysql that quotes another", fmt.Errorf("Error 1213 (40001): x %w", mysql(1062)), no},
		{"a code of postgres that quotes another", fmt.Errorf("Error 1213 (40001): x %w", &pgError{"23505"}), no},
		{"a code of modernc that quotes another", fmt.Errorf("Error 1213 (40001): x %w", &moderncError{19}), no},
		{"a code of mattn that quotes another", fmt.Errorf("Error 1213 (40001): x %w", mattn(19, 0)), no},
		{"text without number", errors.New("Error : x"), no},
		{"text with a sign", errors.New("Error +1213 (40001): x"), no},
		{"text of too large a number", errors.New("Error 66749 (40001): x"), no},
		{"text with something else behind", errors.New("Error 1213 times: x"), no},
		{"text with as much else behind", errors.New("Error 1213 seconds: x"), no},
		{"text with an empty state", errors.New("Error 1213 : x"), no},
		{"text with a state that does not begin", errors.New("Error 1213 400011): x"), no},
		{"text with a state that does not end", errors.New("Error 1213 (400011: x"), no},
		{"text with a longer state", errors.New("Error 1213 (400011): x"), no},
		{"text without colon", errors.New("Error 1213 (40001)"), no},

		{"fields that are not there", hollowError{}, no},
		{"fields in an embedded struct", hollowError{&fields{Number: 1213}}, conflict},
		{"bad connection", driver.ErrBadConn, lost},
		{"unexpected end", io.ErrUnexpectedEOF, lost},
		{"end of something", io.EOF, no},
		{"bad connection of something", errors.New("bad connection"), no},
		{"unknown outcome", fmt.Errorf("%w: %w", retrysql.ErrOutcomeUnknown, driver.ErrBadConn), no},
		{"refused", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, lost},
		{"network timeout", &net.OpError{Op: "read", Err: timeout{}}, no},
		{"safe to retry", &safeError{true}, lost},
		{"not safe to retry", &safeError{false}, no},
	} {
		for _, wrap := range []struct {
			name string
			wrap func(error) error
		}{
			{"bare", func(err error) error { return err }},
			{"wrapped", func(err error) error { return fmt.Errorf("save: %w", err) }},
			{"twice", func(err error) error { return fmt.Errorf("save: %w", fmt.Errorf("row 1: %w", err)) }},
			{"two of them", func(err error) error { return fmt.Errorf("%w: %w", io.EOF, err) }},
			{"joined", func(err error) error { return errors.Join(io.EOF, errors.Join(io.EOF, err)) }},
			{"wrapped and joined", func(err error) error { return fmt.Errorf("save: %w", errors.Join(err, io.EOF)) }},
		} {
			if wrap.name != "bare" && tt.err == nil {
				continue
			}
			t.Run(tt.name+"/"+wrap.name, func(t *testing.T) {
				err := wrap.wrap(tt.err)
				if got, want := retrysql.Conflict(err), tt.want == conflict; got != want {
					t.Errorf("Conflict(%v) = %t, want %t", err, got, want)
				}
				if got, want := retrysql.Retryable(err), tt.want != no; got != want {
					t.Errorf("Retryable(%v) = %t, want %t", err, got, want)
				}
			})
		}
	}
}
