package retrygrpc

import (
	"runtime"
	"sync"
	"weak"

	"google.golang.org/grpc"

	"example.com/backoff/retry"
)

// budgets has a budget for each connection.
type budgets struct {
	maxTokens, ratio float64
	of               sync.Map // from weak.Pointer[grpc.ClientConn] to *retry.Budget
}

// get returns the budget of cc. It keeps no connection alive: the budget is dropped with
// its connection.
func (b *budgets) get(cc *grpc.ClientConn) *retry.Budget {
	key := weak.Make(cc)
	budget, ok := b.of.Load(key)
	if !ok {
		var known bool
		budget, known = b.of.LoadOrStore(key, retry.NewBudget(b.maxTokens, b.ratio))
		if !known {
			runtime.AddCleanup(cc, func(key weak.Pointer[grpc.ClientConn]) { b.of.Delete(key) }, key)
		}
	}
	return budget.(*retry.Budget)
}
