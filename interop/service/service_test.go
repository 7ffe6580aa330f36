package service

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// A recorder is a test that keeps what Need does to it.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) { r.skipped = fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	panic(r) // as a real one does not return
}

func need(t *testing.T, s Service) (r *recorder, value string) {
	t.Helper()
	r = &recorder{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
	}()
	value = Need(r, s)
	return r, value
}

func TestNeed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const line = "needs a server: start it on 127.0.0.1:1 or set BACKOFF_TEST_SERVICE ("
	missing := Service{Name: "a server", Env: "BACKOFF_TEST_SERVICE", Default: "there", Listens: "127.0.0.1:1"}
	present := missing
	present.Listens = l.Addr().String()

	t.Setenv("BACKOFF_REQUIRE_SERVICES", "")
	if r, value := need(t, present); value != "there" || r.skipped+r.failed != "" {
		t.Errorf("a server that is there: %q, %q, %q", value, r.skipped, r.failed)
	}
	if r, _ := need(t, missing); !strings.HasPrefix(r.skipped, line) || r.failed != "" {
		t.Errorf("one that is not: skipped with %q and failed with %q, want skipped with %q", r.skipped, r.failed, line)
	}
	t.Setenv("BACKOFF_REQUIRE_SERVICES", "1")
	if r, _ := need(t, missing); r.skipped != "" || !strings.HasPrefix(r.failed, line) {
		t.Errorf("one that is required: skipped with %q and failed with %q, want failed with %q", r.skipped, r.failed, line)
	}
	t.Setenv("BACKOFF_TEST_SERVICE", "elsewhere")
	if r, value := need(t, missing); value != "elsewhere" || r.skipped+r.failed != "" {
		t.Errorf("one that is elsewhere: %q, %q, %q", value, r.skipped, r.failed)
	}
}
