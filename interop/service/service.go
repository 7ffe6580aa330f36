// Package service finds the servers that tests need.
//
// A test that needs one asks for its address. If the server does not answer the
// test is skipped, with a line that says how to start it; where the environment
// variable BACKOFF_REQUIRE_SERVICES is 1, as it is where all of them are meant to
// run, the test fails instead.
package service

import (
	"net"
	"os"
	"testing"
	"time"
)

// A Service is a server that tests need, and how to reach it.
type Service struct {
	Name    string // for the line that says that it is missing
	Env     string // the environment variable that names another one
	Default string // what the variable is if it is not set
	Listens string // the address that Default speaks of
}

// The database servers, each with a data source name.
var (
	MySQL = Service{
		Name:    "MariaDB or MySQL (user root without a password, database test)",
		Env:     "BACKOFF_MYSQL_DSN",
		Default: "root@tcp(127.0.0.1:3306)/test",
		Listens: "127.0.0.1:3306",
	}
	Postgres = Service{
		Name:    "PostgreSQL (user postgres trusted, database test)",
		Env:     "BACKOFF_POSTGRES_DSN",
		Default: "postgres://postgres@127.0.0.1:5432/test?sslmode=disable",
		Listens: "127.0.0.1:5432",
	}
)

// The other servers, each with an address.
var (
	NATS = Service{
		Name:    "NATS with JetStream (nats-server -js)",
		Env:     "BACKOFF_NATS_ADDRESS",
		Default: "127.0.0.1:4222",
		Listens: "127.0.0.1:4222",
	}
	Redis = Service{
		Name:    "Redis",
		Env:     "BACKOFF_REDIS_ADDRESS",
		Default: "127.0.0.1:6379",
		Listens: "127.0.0.1:6379",
	}
)

// Value returns what the environment variable of s says, and the default if it
// is not set.
func (s Service) Value() string {
	if v := os.Getenv(s.Env); v != "" {
		return v
	}
	return s.Default
}

// Need returns s.Value() to a test that needs s. It ends the test if the default
// does not answer; what the variable names is taken to be there.
func Need(tb testing.TB, s Service) string {
	tb.Helper()
	if v := os.Getenv(s.Env); v != "" {
		return v
	}
	conn, err := net.DialTimeout("tcp", s.Listens, 2*time.Second)
	if err == nil {
		conn.Close()
		return s.Default
	}
	const missing = "needs %s: start it on %s or set %s (%v)"
	if os.Getenv("BACKOFF_REQUIRE_SERVICES") == "1" {
		tb.Fatalf(missing, s.Name, s.Listens, s.Env, err)
	}
	tb.Skipf(missing, s.Name, s.Listens, s.Env, err)
	return ""
}
