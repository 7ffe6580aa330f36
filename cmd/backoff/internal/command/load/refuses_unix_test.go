//go:build unix

package load

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/cmd/backoff/internal/live/server"
)

// load refuses a server in use, and a process that is not the server's.
func TestLoadRefuses(t *testing.T) {
	var stats server.Stats
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(stats)
	}))
	defer fake.Close()
	address := fake.Listener.Addr().String()
	sleeping := exec.Command("sleep", "60")
	if err := sleeping.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		sleeping.Process.Kill()
		sleeping.Wait()
	}()
	other := fmt.Sprint(sleeping.Process.Pid)
	for _, test := range []struct {
		stats server.Stats
		args  string
		want  string
	}{
		{server.Stats{Open: 7}, "", "the server has 7 open requests, want a new server"},
		{server.Stats{PID: 1}, "--stop-pid " + other, "--stop-pid is " + other + ", and the server's process is 1"},
	} {
		stats = test.stats
		var status int
		var stdout, stderr string
		for range 5 { // On a busy machine the fake may not answer in time.
			status, stdout, stderr = clitest.Runs(t, New, strings.Fields("load constant(1s) --stats "+address+" "+test.args)...)
			if !strings.Contains(stderr, "context deadline exceeded") {
				break
			}
		}
		if want := "backoff: load: " + test.want + "\n"; status != 2 || stdout != "" || stderr != want {
			t.Errorf("%s: status %d, %q, %q; want %q", test.args, status, stdout, stderr, want)
		}
	}
	status, _, stderr := clitest.Runs(t, New, "load", "constant(1s)", "--stats", silentAddress(t))
	if status != 2 || !strings.HasPrefix(stderr, "backoff: load: the server does not answer: ") {
		t.Errorf("without a server: status %d, %q", status, stderr)
	}
}

// silentAddress returns an address on which nothing listens. A socket has it, so that no other
// process can listen there either.
func silentAddress(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	address, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", address.(*syscall.SockaddrInet4).Port)
}
