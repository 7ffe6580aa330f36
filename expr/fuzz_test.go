package expr_test

import (
	"errors"
	"go/parser"
	"regexp"
	"strconv"
	"testing"
	"unicode/utf8"

	"example.com/backoff"
	"example.com/backoff/expr"
)

var dropped = regexp.MustCompile(`drop\((\d+)\)`)

// For every text: Parse neither panics nor takes long. Its error points into the text. An
// expression prints as a text that parses and prints the same; its Go is an expression; its
// schedule neither panics nor has negative delays.
func FuzzParse(f *testing.F) {
	for _, s := range expr.Stages() {
		f.Add(s.Example)
	}
	for _, text := range []string{
		"",
		"exponential(100ms, 2) | cap(10s) | jitter(1) | take(8)",
		"list(0s, 1ns, 2562047h47m16.854775807s)",
		"exponential(1h, 1e308) | spread(1)",
		"polynomial(1ns, 1e308) | cap(none) | scale(0x1p-1074)",
		"constant(1s) | capp(3s)",
		"list() | then(list(1s) | max(list(2s) | min(fibonacci(1µs))))",
		"uniform(2s, 1s)",
		"normal-jitter(1ns, none, 1e308, 1e308)",
		"smooth-jitter(2562047h, none) | drop(1000) | within(none)",
		"constant(1s | \xff",
		"constant(100 ms)", "constant(1m 30s)", "1.5 seconds", "100", "constant(−1s)", "constant(1e308d)",
		"exponential(100ms, 2) | max(10s)", "exponential(100ms, 2) | min(10 s)", "list() | then(1s",
		"exponential(100ms,2).cap(10s)", "exp(100ms, 2, 10s)", "FullJitter(100ms, 10s)", "full–jitter(1s, 2s)",
		"constant(1s) | max-delay(10s)", "constant(1s) | attempts(4)", "constant(1s) | take 8", "constant(1s) take(8)",
		"constant(1s) ¦ cap(2s)", "constant（1s）", "“constant(1s)”", "list(1s；2s)", "[1s, 2s]",
		"constant(1s) + constant(2s)", "constant(1s) | jitter(50%)", "exponential(base=100ms, factor: 2)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := expr.Parse(text)
		if err != nil {
			bad, ok := errors.AsType[*expr.Error](err)
			if !ok || bad.Column < 1 || bad.Column > utf8.RuneCountInString(text)+1 || bad.Problem == "" || bad.Want == "" {
				t.Fatalf("the error is %#v", err)
			}
			return
		}
		canonical := e.String()
		again, err := expr.Parse(canonical)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, canonical, err)
		}
		if again.String() != canonical {
			t.Fatalf("%q prints as %q, and that as %q", text, canonical, again)
		}
		if again.Random() != e.Random() {
			t.Fatalf("%q and %q differ in Random", text, canonical)
		}
		if _, err := parser.ParseExpr(e.Go()); err != nil {
			t.Fatalf("%q is not Go: %v", e.Go(), err)
		}
		seq := e.Schedule(backoff.WithSeed(1))
		skipped := 0
		for _, match := range dropped.FindAllStringSubmatch(canonical, -1) {
			n, _ := strconv.Atoi(match[1])
			skipped = min(skipped+n, 1<<20)
		}
		if skipped > 1000 {
			return // it would take long
		}
		for _, d := range first(seq, 50) {
			if d < 0 {
				t.Fatalf("%q has the delay %v", text, d)
			}
		}
	})
}
