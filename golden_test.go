package backoff_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/internal/samples"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/golden.txt, testdata/api.txt and the tables of README.md")

// golden compares text with a file, which -update writes.
func golden(t *testing.T, what, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.SplitAfter(string(want), "\n"), strings.SplitAfter(got, "\n")); diff != "" {
		t.Errorf("%s: %s differ; if the change is intended, write it with go test . -update (-want +got):\n%s", file, what, diff)
	}
}

// hash returns a hash of the first 10,000 delays.
func hash(seq iter.Seq[time.Duration]) string {
	h := sha256.New()
	for d := range backoff.Take(seq, 10_000) {
		_ = binary.Write(h, binary.LittleEndian, int64(d)) // a Hash never fails
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestGolden verifies that the delays of every schedule stay the same to the bit, on
// every architecture:
//
//	GOARCH=386 go test -run Golden
//	GOOS=js GOARCH=wasm go test -run Golden -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec"
//
// If one of these hashes changes, a stored seed replays different delays.
func TestGolden(t *testing.T) {
	var got strings.Builder
	for _, s := range samples.All() {
		fmt.Fprintf(&got, "%s  %s\n", hash(s.Delays(backoff.WithSeed(1))), s.Text)
	}
	golden(t, "hashes of 10,000 delays", "testdata/golden.txt", got.String())
}
