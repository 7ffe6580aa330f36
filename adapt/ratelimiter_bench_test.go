package adapt_test

import (
	"slices"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func BenchmarkRateLimiter(b *testing.B) {
	limited := slices.Values(adapt.List(backoff.Exponential(5*time.Millisecond, 2), 18))
	b.Run("early call", func(b *testing.B) {
		l := adapt.NewRateLimiter[string](backoff.Constant(backoff.NoLimit))
		l.When("item")
		b.ReportAllocs()
		for b.Loop() {
			l.When("item")
		}
	})
	b.Run("advancing, the only delay", func(b *testing.B) {
		l := adapt.NewRateLimiter[string](slices.Values([]time.Duration{0}))
		l.When("item")
		b.ReportAllocs()
		for b.Loop() {
			l.When("item")
		}
	})
	b.Run("advancing, last of 18 delays", func(b *testing.B) {
		l := adapt.NewRateLimiter[string](limited, adapt.CountEvery())
		for range 18 {
			l.When("item")
		}
		b.ReportAllocs()
		for b.Loop() {
			l.When("item")
		}
	})
	b.Run("new item, then Forget", func(b *testing.B) {
		l := adapt.NewRateLimiter[int](limited)
		b.ReportAllocs()
		for item := 0; b.Loop(); item++ {
			l.When(item)
			l.Forget(item)
		}
	})
	b.Run("new item, ForgetAfter", func(b *testing.B) {
		l := adapt.NewRateLimiter[int](limited, adapt.ForgetAfter(time.Microsecond))
		b.ReportAllocs()
		for item := 0; b.Loop(); item++ {
			l.When(item)
		}
	})
}
