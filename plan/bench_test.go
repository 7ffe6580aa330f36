package plan_test

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/plan"
)

const (
	benchDraws   = 100_000
	benchRetries = 20
)

func fullJitter(seed uint64) iter.Seq[time.Duration] {
	return backoff.FullJitter(100*time.Millisecond, 10*time.Second, backoff.WithSeed(seed))
}

func perDelay(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(benchDraws*benchRetries), "ns/delay")
}

// BenchmarkOf measures the time for each delay, and its ratio to that of BenchmarkBareRange.
func BenchmarkOf(b *testing.B) {
	b.Run(fmt.Sprintf("draws=%d/retries=%d", benchDraws, benchRetries), func(b *testing.B) {
		start := time.Now()
		bareRange()
		bare := time.Since(start)
		b.ReportAllocs()
		for b.Loop() {
			plan.Of(fullJitter, benchRetries, plan.Draws(benchDraws))
		}
		perDelay(b)
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(bare), "times-bare")
	})
	b.Run("default", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			plan.Of(fullJitter, benchRetries)
		}
	})
}

// BenchmarkBareRange draws the same delays on one goroutine and drops them.
func BenchmarkBareRange(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		bareRange()
	}
	perDelay(b)
}

func bareRange() {
	for i := range benchDraws {
		n := 0
		for range fullJitter(uint64(i)) {
			if n++; n == benchRetries {
				break
			}
		}
	}
}

func BenchmarkWithin(b *testing.B) {
	p := plan.Of(fullJitter, benchRetries, plan.Draws(benchDraws))
	b.ReportAllocs()
	for b.Loop() {
		p.Within(30 * time.Second)
	}
}

func BenchmarkLoad(b *testing.B) {
	p := plan.Of(fullJitter, benchRetries, plan.Draws(benchDraws))
	b.ReportAllocs()
	for b.Loop() {
		p.Load(10_000, time.Minute, 100*time.Millisecond)
	}
}

func BenchmarkGeometric(b *testing.B) {
	g := plan.Geometric{Base: 100 * time.Millisecond, Factor: 1.1, Limit: time.Minute}
	for name, call := range map[string]func(){
		"Delay":            func() { g.Delay(20) },
		"Elapsed":          func() { g.Elapsed(20) },
		"Elapsed/n=1e9":    func() { g.Elapsed(1_000_000_000) },
		"DelayAt":          func() { g.DelayAt(time.Minute) },
		"Retries":          func() { g.Retries(time.Minute) },
		"FactorForRetries": func() { _, _ = g.FactorForRetries(20, time.Minute) },
		"BaseForRetries":   func() { _, _ = g.BaseForRetries(20, time.Minute) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}
