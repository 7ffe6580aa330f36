package digits

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestApproximate(t *testing.T) {
	for seconds, want := range map[float64]string{
		1e-9: "1ns", 2.154e-9: "2.2ns", 4.64e-6: "4.6µs", 1e-3: "1ms", 0.0464: "46ms", 0.999999999999: "1s",
		9.96e-10: "1ns", 9.99e-7: "1µs", 9.949e-4: "990µs", 0.9999: "1s", 59.4: "59s", 59.9: "1m", 3569: "59m", 3599: "1h", 8740 * 3600: "8700h", 8760 * 3600: "1y",
		9.96: "10s", 21.5: "22s", 59: "59s", 60: "1m", 100: "1.7m", 1000: "17m", 1e4: "2.8h", 1e6: "280h", 1e9: "32y", 9.3e9: "290y",
	} {
		if got := Approximate(seconds); got != want {
			t.Errorf("approximate(%v) = %s, want %s", seconds, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", 1: "0.000000001", time.Second: "1", 10 * time.Second: "10", 1500 * time.Millisecond: "1.5",
		math.MaxInt64: "9223372036.854775807",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("seconds(%d) = %s, want %s", d, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	for probability, want := range map[float64]string{
		0: "p0", 0.05: "p5", 0.5: "p50", 0.95: "p95", 0.999: "p99.9", 0.07: "p7", 1: "p100", 0.1: "p10",
		0.001: "p0.1", 0.005: "p0.5", 0.5000000000001: "p50.00000000001", 1e-9: "p0.0000001", 0.29: "p29",
	} {
		if got := Quantile(probability); got != want {
			t.Errorf("Quantile(%v) = %s, want %s", probability, got, want)
		}
	}
}

// The name of a quantile is its probability, to the last digit.
func TestQuantilesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(0, 1).Draw(t, "probability")
		name := Quantile(p)
		back, err := strconv.ParseFloat(strings.TrimPrefix(name, "p")+"e-2", 64)
		if err != nil || back != p {
			t.Fatalf("Quantile(%v) = %s, which is %v, %v", p, name, back, err)
		}
		if next := Quantile(math.Nextafter(p, 2)); next == name {
			t.Fatalf("Quantile(%v) and that of the next number are both %s", p, name)
		}
	})
}

func TestThreeDigits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 999: "999ns", 1000: "1.00µs", 1_234: "1.23µs", 5_730: "5.73µs", 49_712_345: "49.7ms", 99_991_234: "100ms",
		789_600_000: "790ms", 1_597_000_000: "1.60s", 10 * time.Second: "10.0s", 59_940 * time.Millisecond: "59.9s", 59_960 * time.Millisecond: "1m",
		101_234 * time.Millisecond: "1m41s", math.MaxInt64: "≥ 292 years", 999_600_000: "1.00s",
	} {
		if got := ThreeDigits(d); got != want {
			t.Errorf("ThreeDigits(%d) = %s, want %s", d, got, want)
		}
	}
	for _, test := range []struct {
		in   []time.Duration
		want []string
	}{
		{[]time.Duration{5_730, 1_600_000_000, 10_000_000_001}, []string{"5.73µs", "1.60s", "10.0s"}},
		{[]time.Duration{1_500_000_001, 1_500_000_001}, []string{"1.500000001s", "1.500000001s"}},
		{[]time.Duration{1_500_000_001}, []string{"1.50s"}},
		{[]time.Duration{1, 1, math.MaxInt64}, []string{"1ns", "1ns", "≥ 292 years"}},
	} {
		if diff := cmp.Diff(test.want, SameDigits(test.in...)); diff != "" {
			t.Errorf("SameDigits(%v) (-want +got):\n%s", test.in, diff)
		}
	}
}

// A duration with three digits is within half of its third digit, whatever it is.
func TestThreeDigitsAreNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.OneOf(rapid.Int64Range(0, 1e6), rapid.Int64Range(0, 100e9), rapid.Int64Range(0, 1<<62)).Draw(t, "d"))
		text := ThreeDigits(d)
		back, err := time.ParseDuration(text)
		if err != nil || math.Abs(float64(back-d)) > float64(Unit(d, 3))/2 {
			t.Fatalf("ThreeDigits(%v) = %s, %v", d, text, err)
		}
	})
}

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n          int
		what, want string
	}{{0, "delay", "0 delays"}, {1, "retry", "1 retry"}, {2, "retry", "2 retries"}, {10_000_000, "attempt", "10,000,000 attempts"}} {
		if got := Count(test.n, test.what); got != test.want {
			t.Errorf("Count(%d, %s) = %s, want %s", test.n, test.what, got, test.want)
		}
	}
}

// Numbers as sentences have them.
func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.5: "0.5", 1.984375: "1.98", 12.36: "12.4", 141_220: "141000", 1e-7: "1e-07", 999.6: "1000", math.Inf(1): "+Inf",
	} {
		if got := Significant(x, 3); got != want {
			t.Errorf("Digits(%v, 3) = %s, want %s", x, got, want)
		}
	}
	for share, want := range map[float64]string{
		0: "0 %", 0.05: "5 %", 0.5: "50 %", 0.998: "99.8 %", 0.9999: "more than 99.9 %", 1: "100 %", 0.00123: "0.123 %",
	} {
		if got := Percent(share); got != want {
			t.Errorf("Percent(%v) = %s, want %s", share, got, want)
		}
	}
	for number, want := range map[string]string{
		"1": "1", "999": "999", "1000": "1,000", "123456.789": "123,456.789", "1234567": "1,234,567", "0.0001": "0.0001",
	} {
		if got := Grouped(number); got != want {
			t.Errorf("Grouped(%s) = %s, want %s", number, got, want)
		}
	}
}
