package retry

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// mutexBudget is a Budget with a mutex, to compare with.
type mutexBudget struct {
	mu                  sync.Mutex
	tokens, full, ratio int64
}

func newMutexBudget(full, ratio float64) *mutexBudget {
	return &mutexBudget{tokens: int64(full * token), full: int64(full * token), ratio: int64(ratio * token)}
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

// BenchmarkBudgetContended times calls of Failed and Succeeded where processors contend,
// for a Budget and for one with a mutex. It reports the time of a call of the Budget, and
// how many times that of the mutex it is. "failures=1in4" is one failure in four calls.
// The ratio of NewBudget(100, 1) keeps the budget nearly full at up to 1/2, and that of
// NewBudget(10, 0.1) drains it, so that almost each call changes it.
//
// The two take turns within one run, because machines drift. The medians count, because a
// short time is one in which the processors did not contend.
func BenchmarkBudgetContended(b *testing.B) {
	const calls = 20_000 // of each processor
	type budget interface {
		Failed() bool
		Succeeded()
	}
	for _, size := range []struct{ full, ratio float64 }{{100, 1}, {10, 0.1}} {
		for _, every := range []int{0, 10, 4, 2, 1} { // 0: no failure
			b.Run(fmt.Sprintf("full=%v/failures=1in%d", size.full, every), func(b *testing.B) {
				budgets := []budget{NewBudget(size.full, size.ratio), newMutexBudget(size.full, size.ratio)}
				took := make([][]time.Duration, len(budgets))
				for b.Loop() {
					for i, budget := range budgets {
						start := time.Now()
						var wg sync.WaitGroup
						for range runtime.GOMAXPROCS(0) {
							wg.Go(func() {
								n := 0
								for range calls {
									if n++; n == every {
										n = 0
										budget.Failed()
									} else {
										budget.Succeeded()
									}
								}
							})
						}
						wg.Wait()
						took[i] = append(took[i], time.Since(start))
					}
				}
				b.ReportMetric(0, "ns/op") // of both, which says nothing
				b.ReportMetric(float64(median(took[0]))/calls/float64(runtime.GOMAXPROCS(0)), "Budget-ns/call")
				b.ReportMetric(float64(median(took[0]))/float64(median(took[1])), "Budget/mutex")
			})
		}
	}
}

// median returns the middle of times, which it sorts.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
