// Package comingfrom holds the Go programs of docs/coming-from.md: the shortest use
// of other libraries, and the same with this module. Its tests run both of each pair
// in virtual time, compare the delays of both with the expression that the page
// gives, and compare the page with this package.
//
// The text of a block on the page is the body of a function here, without its last
// statement.
package comingfrom

import "context"

// A program is one section's pair, which have the same schedule.
type program struct {
	library string // the heading on the page
	text    string // their schedule as an expression
	before  func(ctx context.Context, send func(context.Context) error) error
	after   func(ctx context.Context, send func(context.Context) error) error
}

// programs are the pairs that the tests can run. If the library is not in Go, there
// is nothing to run before the move.
var programs = []program{
	{"cenkalti/backoff", "exponential(500ms, 1.5) | cap(1m) | spread(0.5) | within(15m)", cenkaltiBefore, cenkaltiAfter},
	{"avast/retry-go", "exponential(100ms, 2) | add(uniform(0s, 100ms)) | take(9)", avastBefore, avastAfter},
	{"sethvargo/go-retry", "fibonacci(1s) | drop(1) | take(5)", sethvargoBefore, sethvargoAfter},
	{"failsafe-go", "exponential(100ms, 2) | cap(10s) | spread(0.25) | take(5)", failsafeBefore, failsafeAfter},
	{"Kubernetes", "exponential(1s, 2) | add(exponential(100ms, 2) | jitter(1)) | take(4)", kubernetesBefore, kubernetesAfter},
	{"tenacity", "full-jitter(1s, 1m) | take(4)", nil, tenacityAfter},
	{"Polly", "smooth-jitter(3s, none) | take(4)", nil, pollyAfter},
	{"Resilience4j", "exponential(500ms, 1.5) | spread(0.5) | take(2)", nil, resilience4jAfter},
	{"A loop of your own", "exponential(1s, 2) | take(4)", loopBefore, loopAfter},
}
