package adapt_test

import (
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func BenchmarkRateLimiter(b *testing.B) {
	limited := backoff.Take(backoff.Exponential(5*time.Millisecond, 2), 18)
	b.Run("early call", func(b *testing.B) {
		l := adapt.NewRateLimiter[string](backoff.Constant(backoff.NoLimit))
		l.When("item")
		b.ReportAllocs()
		for b.Loop() {
			l.When("item")
		}
	})
	b.Run("advancing, first retry", func(b *testing.B) {
		l := adapt.NewRateLimiter[string](backoff.Take(backoff.Constant(0), 1))
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
