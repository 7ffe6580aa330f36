// Package service finds the servers that tests need.
//
// A test calls Need for the address of a server. If the server does not answer, the
// test skips with a line that tells how to start it. If the environment variable
// BACKOFF_REQUIRE_SERVICES is 1, the test fails instead: set it where all servers
// should run.
package service

import (
	"net"
	"os"
	"testing"
	"time"
)

// A Service is a server that tests need, and how to reach it.
type Service struct {
	Name    string // in the line that reports it missing
	Env     string // the environment variable that names another server
	Default string // the value of the variable if it is not set
	Listens string // the address in Default
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

// Value returns the environment variable of s, or the default if it is not set.
func (s Service) Value() string {
	if v := os.Getenv(s.Env); v != "" {
		return v
	}
	return s.Default
}

// Need returns s.Value() to a test that needs s. It ends the test if the default does
// not answer. If the variable is set, Need does not try to connect.
func Need(tb testing.TB, s Service) string {
	tb.Helper()
	if v := os.Getenv(s.Env); v != "" {
		return v
	}
	conn, err := net.DialTimeout("tcp", s.Listens, time.Minute)
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
