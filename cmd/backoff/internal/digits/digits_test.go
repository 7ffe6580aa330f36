package digits

import (
	"math"
	"testing"
	"time"
)

func TestApproximate(t *testing.T) {
	for seconds, want := range map[float64]string{
		1e-9: "1ns", 2.154e-9: "2.2ns", 4.64e-6: "4.6µs", 1e-3: "1ms", 0.0464: "46ms", 0.999999999999: "1s",
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
	for probability, want := range map[float64]string{0: "p0", 0.05: "p5", 0.5: "p50", 0.95: "p95", 0.999: "p99.9", 0.07: "p7", 1: "p100"} {
		if got := Quantile(probability); got != want {
			t.Errorf("Quantile(%v) = %s, want %s", probability, got, want)
		}
	}
}

// What sentences have to say of numbers.
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
