package retry

import (
	"fmt"
	"sync"
	"testing"
)

// mutexBudget is a Budget with a mutex, to compare with.
type mutexBudget struct {
	mu                  sync.Mutex
	tokens, full, ratio int64
}

func (b *mutexBudget) Failed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = max(b.tokens-token, 0)
	return 2*b.tokens > b.full
}

func (b *mutexBudget) Succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.tokens+b.ratio, b.full)
}

// The cost of one call of Failed or Succeeded where processors contend, beside that of a
// mutex. "failures=1in4" is one failure in four calls. The ratio of NewBudget(100, 1) keeps
// the budget nearly full at up to 1/2, and that of NewBudget(10, 0.1) drains it, so that
// almost each call changes it.
func BenchmarkBudgetContended(b *testing.B) {
	type budget interface {
		Failed() bool
		Succeeded()
	}
	for _, kind := range []struct {
		name string
		make func(full, ratio float64) budget
	}{
		{"Budget", func(full, ratio float64) budget { return NewBudget(full, ratio) }},
		{"mutex", func(full, ratio float64) budget {
			return &mutexBudget{tokens: int64(full * token), full: int64(full * token), ratio: int64(ratio * token)}
		}},
	} {
		for _, size := range []struct{ full, ratio float64 }{{100, 1}, {10, 0.1}} {
			for _, every := range []int{0, 10, 4, 2, 1} { // 0: no failure
				b.Run(fmt.Sprintf("full=%v/failures=1in%d/%s", size.full, every, kind.name), func(b *testing.B) {
					budget := kind.make(size.full, size.ratio)
					b.RunParallel(func(pb *testing.PB) {
						for n := 1; pb.Next(); n++ {
							if n == every {
								n = 0
								budget.Failed()
							} else {
								budget.Succeeded()
							}
						}
					})
				})
			}
		}
	}
}
