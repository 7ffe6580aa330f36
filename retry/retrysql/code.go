package retrysql

import (
	"reflect"
	"strconv"
	"strings"
)

// The codes in the errors of engines, read without a driver. Each function reads one
// error of a tree, and none that it wraps.

// sqlState returns the SQLSTATE of an error of PostgreSQL or of an engine that
// speaks its protocol. The errors of pgx and lib/pq have the method.
func sqlState(err error) (state string, ok bool) {
	e, ok := err.(interface{ SQLState() string })
	if !ok {
		return "", false
	}
	return e.SQLState(), true
}

// mysqlNumber returns the number of an error of MySQL or MariaDB. The error of
// go-sql-driver/mysql has it in the exported field Number uint16. The type uint16
// distinguishes it from the errors of other drivers.
func mysqlNumber(err error) (number int, ok bool) {
	f := field(err, "Number")
	if f.Kind() != reflect.Uint16 {
		return 0, false
	}
	return int(f.Uint()), true
}

// sqliteCode returns the result code of an error of SQLite. Its low byte is the primary code;
// the rest, if there is any, extends it. The error of modernc.org/sqlite has a method Code;
// that of mattn/go-sqlite3 is a struct with the fields Code, which is primary, and
// ExtendedCode, which distinguishes it from the errors of other packages.
func sqliteCode(err error) (code int, ok bool) {
	if e, ok := err.(interface{ Code() int }); ok {
		return e.Code(), true
	}
	primary, extended := field(err, "Code"), field(err, "ExtendedCode")
	if !primary.CanInt() || !extended.CanInt() {
		return 0, false
	}
	return int(primary.Int()), true
}

// field returns a field of the struct that err is or points to, and the zero Value if
// there is none.
func field(err error, name string) reflect.Value {
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer {
		v = v.Elem() // of nil: the zero Value
	}
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	f, ok := v.Type().FieldByName(name)
	if !ok {
		return reflect.Value{}
	}
	v, _ = v.FieldByIndexErr(f.Index) // in an embedded pointer that is nil: the zero Value
	return v
}

// mysqlNumberOf returns the number in a text such as
//
//	Error 1213 (40001): Deadlock found when trying to get lock; try restarting transaction
//
// which remains of an error that was formatted without %w. Only the first number
// counts, because the rest of the text may quote a user's data.
func mysqlNumberOf(text string) (number int, ok bool) {
	_, rest, found := strings.Cut(text, "Error ")
	if !found {
		return 0, false
	}
	head, _, found := strings.Cut(rest, ": ")
	if !found {
		return 0, false
	}
	digits, state, hasState := strings.Cut(head, " ")
	if hasState && (len(state) != len("(40001)") || state[0] != '(' || state[6] != ')') {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return int(n), err == nil
}

// anyIn reports whether ok holds for err or for an error that it wraps, at any
// depth and through joined errors. It calls ok with an error before those it wraps.
func anyIn(err error, ok func(error) bool) bool {
	if err == nil {
		return false
	}
	if ok(err) {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return anyIn(e.Unwrap(), ok)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			if anyIn(err, ok) {
				return true
			}
		}
	}
	return false
}
