package portable

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// near fails unless got is want up to a tolerance, relative for large numbers and
// absolute for small ones.
func near(t *rapid.T, name string, x, want, got, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Fatalf("%s(%v) = %v, want %v", name, x, got, want)
	}
}

// TestAgainstMath compares the functions with package math, which is right to a unit in
// the last place on the architecture of the test.
func TestAgainstMath(t *testing.T) {
	t.Run("Exp2", rapid.MakeCheck(func(t *rapid.T) {
		x := rapid.Float64Range(-60, 1000).Draw(t, "x")
		near(t, "Exp2", x, 1, Exp2(x)/math.Exp2(x), 1e-15)
	}))
	t.Run("Log2", rapid.MakeCheck(func(t *rapid.T) {
		x := rapid.Float64Range(math.SmallestNonzeroFloat64, math.MaxFloat64).Draw(t, "x")
		near(t, "Log2", x, math.Log2(x), Log2(x), 1e-15)
	}))
	t.Run("Log2 of powers of 2", rapid.MakeCheck(func(t *rapid.T) {
		n := rapid.IntRange(-1074, 1023).Draw(t, "n")
		if got := Log2(math.Ldexp(1, n)); got != float64(n) {
			t.Fatalf("Log2(2^%d) = %v", n, got)
		}
	}))
	t.Run("Tanh", rapid.MakeCheck(func(t *rapid.T) {
		x := rapid.Float64Range(0, 30).Draw(t, "x")
		near(t, "Tanh", x, math.Tanh(x), Tanh(x), 3e-16)
	}))
	t.Run("Pow", rapid.MakeCheck(func(t *rapid.T) {
		x, y := float64(rapid.IntRange(1, 1e6).Draw(t, "x")), rapid.Float64Range(0, 100).Draw(t, "y")
		near(t, "Pow", x, 1, Pow(x, y)/min(math.Pow(x, y), 1<<63), 3e-14)
	}))
	t.Run("Quantile", rapid.MakeCheck(func(t *rapid.T) {
		p := rapid.OneOf(rapid.Float64Range(0x1p-53, 0.5), rapid.Float64Range(0x1p-53, 1e-9)).Draw(t, "p")
		// In the tail an error of x becomes an error of x² in p.
		near(t, "share below Quantile", p, 1, math.Erfc(-Quantile(p)/math.Sqrt2)/2/p, 2e-13)
		// 1−p has fewer digits, the nearer it is to 1.
		if q := 1 - p; p > 1e-3 {
			near(t, "Quantile", q, -Quantile(1-q), Quantile(q), 0)
		}
	}))
}

func TestExact(t *testing.T) {
	for n := -1000; n <= 1000; n++ {
		if got, want := Exp2(float64(n)), math.Ldexp(1, n); got != want {
			t.Errorf("Exp2(%d) = %v, want %v", n, got, want)
		}
		if got := Log2(math.Ldexp(1, n)); got != float64(n) {
			t.Errorf("Log2(2^%d) = %v, want %d", n, got, n)
		}
	}
	for x := 1.0; x <= 1000; x++ {
		if got := Pow(x, 5); got != x*x*x*x*x {
			t.Errorf("Pow(%v, 5) = %v, want %v", x, got, x*x*x*x*x)
		}
	}
	if got := Pow(1e300, 64); got != 1<<63 {
		t.Errorf("Pow(1e300, 64) = %v, want 2^63", got)
	}
}

// The bits are the same on every architecture. If they change, every schedule and every
// simulation under a seed changes.
func TestGolden(t *testing.T) {
	tests := []struct {
		name string
		got  float64
		want uint64
	}{
		{"Exp2(0.3)", Exp2(0.3), 0x3ff3b2c47bff8329},
		{"Log2(0.3)", Log2(0.3), 0xbffbca9c6f53897b},
		{"Tanh(0.3)", Tanh(0.3), 0x3fd2a4dda7d914fa},
		{"Pow(3, 2.7)", Pow(3, 2.7), 0x40336b452019ac38},
		{"Quantile(0.3)", Quantile(0.3), 0xbfe0c7e39582c5fa},
		{"Quantile(1e-3)", Quantile(1e-3), 0xc008b8cbb7204470},
		{"Quantile(1e-15)", Quantile(1e-15), 0xc01fc3f007789667},
	}
	for _, test := range tests {
		if got := math.Float64bits(test.got); got != test.want {
			t.Errorf("%s: got %#x, want %#x", test.name, got, test.want)
		}
	}
}
