//go:build cgo

package retrysql_test

import (
	"errors"

	"github.com/mattn/go-sqlite3"
)

func init() {
	sqliteDrivers = append(sqliteDrivers, mattnDriver)
	mattnCode = func(err error) (int, bool) {
		var e sqlite3.Error
		ok := errors.As(err, &e)
		return int(e.ExtendedCode), ok
	}
}
