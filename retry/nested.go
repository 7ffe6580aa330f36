package retry

import (
	"context"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
)

// NotNested makes one attempt only, if the call is inside of an attempt of another [Do],
// [Value] or [Loop]. A failure that could be retried then has the cause [ErrNested], and
// the outer call retries. Outside of any other call it changes nothing.
//
// Use NotNested in a function that retries and may be called by functions that retry,
// because the attempts multiply: 3 levels of 3 attempts are 27, and with NotNested 3. Use
// [Depth] to find such levels.
//
// The outer call waits as long as an error of the inner one asks for by [After]. The mark
// stays in the context of an attempt: whatever keeps that context, such as a goroutine
// that outlives the attempt, or a session that one attempt of an outer call serves, is
// inside of the call. A goroutine that uses a context of its own is outside.
func NotNested() Option {
	marking.Store(true)
	return Option{func(c config) config {
		c.notNested = true
		return c
	}}
}

// Depth returns the number of calls of [Do], [Value] and [Loop] that ctx is inside of:
// 0 outside of them, 1 in an attempt, 2 in an attempt of a call that an attempt makes.
// Calls count as well if the calling goroutine is inside of them and ctx derives from
// another context.
//
// A program that uses neither Depth nor [NotNested] pays nothing for them: contexts are
// marked from the first of these calls on, which costs each call one allocation. Depth,
// and a call with NotNested that is not nested, also look through the stack, which takes
// microseconds. An attempt that had begun before is found on
// the stack of its goroutine, so at that time alone a goroutine that the attempt has
// started does not know it.
func Depth(ctx context.Context) int {
	marking.Store(true)
	return max(marked(ctx), stacked())
}

// marking is true once the program has used Depth or NotNested.
var marking atomic.Bool

type depthKey struct{}

// marked returns the number of calls that have marked ctx.
func marked(ctx context.Context) int {
	depth, _ := ctx.Value(depthKey{}).(int)
	return depth
}

// mark returns a context for the attempts of a call with the context ctx.
func mark(ctx context.Context) context.Context {
	return context.WithValue(ctx, depthKey{}, marked(ctx)+1)
}

// stacked returns the number of attempts that this goroutine is inside of.
func stacked() int {
	pcs := make([]uintptr, 64)
	got := runtime.Callers(1, pcs)
	for got == len(pcs) {
		pcs = make([]uintptr, 4*len(pcs))
		got = runtime.Callers(1, pcs)
	}
	n := 0
	frames := runtime.CallersFrames(pcs[:got])
	for more := got > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == callName() {
			n++
		}
	}
	return n
}

// callName returns the name of the only function that calls operations.
var callName = sync.OnceValue(func() string {
	return runtime.FuncForPC(reflect.ValueOf((*runner).call).Pointer()).Name()
})
