package expr_test

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/expr"
)

func TestGo(t *testing.T) {
	for text, want := range map[string]string{
		"constant(1s)":                               "backoff.Constant(time.Second)",
		"constant(1ns)":                              "backoff.Constant(time.Nanosecond)",
		"constant(0)":                                "backoff.Constant(0)",
		"constant(100ms)":                            "backoff.Constant(100 * time.Millisecond)",
		"constant(1m30s)":                            "backoff.Constant(90 * time.Second)",
		"constant(24h)":                              "backoff.Constant(24 * time.Hour)",
		"constant(1h0m0.000001001s)":                 "backoff.Constant(3600000001001 * time.Nanosecond)",
		"constant(1500us)":                           "backoff.Constant(1500 * time.Microsecond)",
		"constant(2562047h47m16.854775807s)":         "backoff.Constant(backoff.NoLimit)",
		"constant(2562047h47m16.854775806s)":         "backoff.Constant(9223372036854775806 * time.Nanosecond)",
		"exponential(100ms, 1.5) | cap(none)":        "backoff.Cap(backoff.Exponential(100*time.Millisecond, 1.5), backoff.NoLimit)",
		"constant(1s) | scale(1e300) | take(3)":      "backoff.Take(backoff.Scale(backoff.Constant(time.Second), 1e+300), 3)",
		"constant(2s) | take(3)":                     "backoff.Take(backoff.Constant(2*time.Second), 3)",
		"list()":                                     "backoff.Concat()",
		"list(100ms, 0, 1s)":                         "slices.Values([]time.Duration{100 * time.Millisecond, 0, time.Second})",
		"list(2s) | then(list(3s) | cap(2s))":        "backoff.Concat(slices.Values([]time.Duration{2 * time.Second}), backoff.Cap(slices.Values([]time.Duration{3 * time.Second}), 2*time.Second))",
		"full-jitter(100ms, 10s) | spread(0.1)":      "backoff.Spread(backoff.FullJitter(100*time.Millisecond, 10*time.Second), 0.1)",
		"constant(1s) | max(uniform(0, 2s)|drop(1))": "backoff.Max(backoff.Constant(time.Second), backoff.Drop(backoff.Uniform(0, 2*time.Second), 1))",
	} {
		if diff := cmp.Diff(want, parse(t, text).Go()); diff != "" {
			t.Errorf("Go of %s (-want +got):\n%s", text, diff)
		}
	}
}

// Random stages get the options and a number in the order of the text, nested stages
// included.
func TestGoNumbersRandomStages(t *testing.T) {
	const text = "constant(2s) | jitter(1) | max(uniform(0, 2s) | spread(1)) | jitter(0.5)"
	const want = "backoff.Jitter(backoff.Max(backoff.Jitter(backoff.Constant(2*time.Second), 1, a, b), " +
		"backoff.Spread(backoff.Uniform(0, 2*time.Second, a, b, backoff.WithStream(1)), 1, a, b, backoff.WithStream(2))), " +
		"0.5, a, b, backoff.WithStream(3))"
	if diff := cmp.Diff(want, parse(t, text).Go("a", "b")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestGoIsFormatted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var opts []string
		if rapid.Bool().Draw(t, "seeded") {
			opts = append(opts, "backoff.WithSeed(1)")
		}
		got := parse(t, drawSample(t, 1).text).Go(opts...)
		want, err := format.Source([]byte(got))
		if err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Fatalf("gofmt writes it in another way (-want +got):\n%s", diff)
		}
	})
}

// The Go of an expression compiles and has the same delays under a seed: for every stage,
// for several random stages in one expression, and for drawn expressions.
func TestGoHasTheSameDelays(t *testing.T) {
	texts := []string{
		"list()",
		"constant(2562047h47m16.854775806s)",
		"exponential(1h, 1e300) | cap(none)",
		"constant(1s) | jitter(1) | max(constant(1s) | jitter(1)) | spread(0.5)",
		"constant(1s) | then(uniform(0, 9s)) | min(list(1s) | spread(1) | then(full-jitter(1s, 9s))) | jitter(1)",
	}
	for _, s := range expr.Stages() {
		texts = append(texts, s.Example)
	}
	draw := rapid.Custom(func(t *rapid.T) string { return drawSample(t, 1).text })
	for i := range 30 {
		texts = append(texts, draw.Example(i))
	}
	const seed, delays = 7, 30
	var program strings.Builder
	program.WriteString("package main\n\nimport (\n\"fmt\"\n\"iter\"\n\"slices\"\n\"time\"\n\n\"example.com/backoff\"\n)\n\n" +
		"func main() {\nfor _, seq := range []iter.Seq[time.Duration]{\n")
	var want strings.Builder
	for _, text := range texts {
		e := parse(t, text)
		program.WriteString(e.Go("backoff.WithSeed("+strconv.Itoa(seed)+")") + ",\n")
		for _, d := range first(e.Schedule(backoff.WithSeed(seed)), delays) {
			want.WriteString(strconv.FormatInt(int64(d), 10) + " ")
		}
		want.WriteByte('\n')
	}
	program.WriteString("slices.Values([]time.Duration{}),\n} {\nfor d := range backoff.Take(seq, " + strconv.Itoa(delays) +
		") {\nfmt.Print(int64(d), \" \")\n}\nfmt.Println()\n}\n}\n")
	want.WriteByte('\n')
	got := strings.Split(runProgram(t, program.String()), "\n")
	for i, line := range strings.Split(want.String(), "\n") {
		if diff := cmp.Diff(line, got[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", texts[i], diff)
		}
	}
}

// runProgram compiles and runs a program that imports this module.
func runProgram(t *testing.T, program string) string {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("js/wasm cannot start a compiler")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, program)
	}
	return string(out)
}
