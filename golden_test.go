package backoff_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"iter"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the schedules give now to testdata/golden.txt")

// hash is of the first 10,000 delays.
func hash(seq iter.Seq[time.Duration]) string {
	h := sha256.New()
	for d := range backoff.Take(seq, 10_000) {
		_ = binary.Write(h, binary.LittleEndian, int64(d)) // a Hash never fails
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestGolden holds the delays of every schedule to the bit, on every architecture:
//
//	GOARCH=386 go test -run Golden
//	GOOS=js GOARCH=wasm go test -run Golden -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec"
//
// A change of these hashes changes what a stored seed replays.
func TestGolden(t *testing.T) {
	seed := backoff.WithSeed(1)
	var got strings.Builder
	for _, c := range []struct {
		text string
		seq  iter.Seq[time.Duration]
	}{
		{"Constant(1 s)", backoff.Constant(s)},
		{"Linear(1 s, 500 ms)", backoff.Linear(s, 500*ms)},
		{"Exponential(100 ms, 2)", backoff.Exponential(100*ms, 2)},
		{"Exponential(1 ns, 1.0001)", backoff.Exponential(1, 1.0001)},
		{"Exponential(2⁶⁰+1 ns, 1.1)", backoff.Exponential(1<<60+1, 1.1)},
		{"Exponential(1 h, 1+2⁻⁵²)", backoff.Exponential(time.Hour, math.Nextafter(1, 2))},
		{"Polynomial(1 s, 1.7)", backoff.Polynomial(s, 1.7)},
		{"Polynomial(1 ns, 4.2)", backoff.Polynomial(1, 4.2)},
		{"Fibonacci(1 ms)", backoff.Fibonacci(ms)},
		{"Uniform(0, 3·2⁶¹)", backoff.Uniform(0, 3<<61, seed)},
		{"FullJitter(100 ms, 10 s)", backoff.FullJitter(100*ms, 10*s, seed)},
		{"FullJitter(1 ns, NoLimit)", backoff.FullJitter(1, backoff.NoLimit, seed)},
		{"EqualJitter(100 ms, 10 s)", backoff.EqualJitter(100*ms, 10*s, seed)},
		{"TopJitter(100 ms, 10 s, 0.3)", backoff.TopJitter(100*ms, 10*s, 0.3, seed)},
		{"DecorrelatedJitter(100 ms, 10 s)", backoff.DecorrelatedJitter(100*ms, 10*s, seed)},
		{"DecorrelatedJitter(1 ns, NoLimit)", backoff.DecorrelatedJitter(1, backoff.NoLimit, seed)},
		{"SmoothJitter(100 ms, 10 s)", backoff.SmoothJitter(100*ms, 10*s, seed)},
		{"SmoothJitter(7 s, 20 s)", backoff.SmoothJitter(7*s, 20*s, seed)},
		{"SmoothJitter(1 ns, NoLimit)", backoff.SmoothJitter(1, backoff.NoLimit, seed)},
		{"NormalJitter(100 ms, 10 min, 2.7, 0.1)", backoff.NormalJitter(100*ms, 10*m, 2.7, 0.1, seed)},
		{"NormalJitter(1 s, 5 min, 1.5, 3)", backoff.NormalJitter(s, 5*m, 1.5, 3, seed)},
		{"Scale(Fibonacci(1 ns), 1/3)", backoff.Scale(backoff.Fibonacci(1), 1./3)},
		{"Jitter(Constant(NoLimit), 0.3)", backoff.Jitter(backoff.Constant(backoff.NoLimit), 0.3, seed)},
		{"Spread(Linear(0, 1 s), 0.1), stream 7", backoff.Spread(backoff.Linear(0, s), 0.1, seed, backoff.WithStream(7))},
	} {
		fmt.Fprintf(&got, "%s  %s\n", hash(c.seq), c.text)
	}

	const file = "testdata/golden.txt"
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("hashes of 10,000 delays (-want +got):\n%s", diff)
	}
}
