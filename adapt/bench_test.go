package adapt_test

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

// BenchmarkFunc compares a call of Func with backoff.At.
func BenchmarkFunc(b *testing.B) {
	seq := backoff.FullJitter(100*time.Millisecond, 10*time.Second)
	delay := adapt.Func(seq)
	for _, n := range []int{0, 8, 64} {
		b.Run(fmt.Sprintf("Func/retry=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				delay(n)
			}
		})
		b.Run(fmt.Sprintf("At/retry=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				backoff.At(seq, n)
			}
		})
	}
}

func BenchmarkKeyed(b *testing.B) {
	delay := adapt.Keyed(func(seed uint64) iter.Seq[time.Duration] {
		return backoff.FullJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed))
	})
	b.ReportAllocs()
	for b.Loop() {
		delay("3f2b8c1e-5a7d-4e0f-9b6a-1c2d3e4f5a6b", 8)
	}
}

func BenchmarkCheck(b *testing.B) {
	seq := backoff.FullJitter(100*time.Millisecond, 10*time.Second)
	for b.Loop() {
		adapt.Temporal.Check(seq, 8)
	}
}
