package retrysql

import (
	"context"
	"runtime"
)

// until returns when call has returned, or when ctx is done. Use it for calls of a driver
// that take no context, or ignore it: they return when the network says so. ok is false if
// until has not waited for the end of call. Then call goes on in its goroutine, and its
// error is lost.
//
// A panic of call is passed on. If ctx is done, perhaps nobody is left to get the panic, so
// it ends the program, as in the goroutine that database/sql has for each transaction.
func until(ctx context.Context, call func() error) (err error, ok bool) {
	if ctx.Done() == nil {
		return call(), true
	}
	ended := make(chan result, 1) // the goroutine ends even if nobody receives
	go func() {
		var r result
		defer func() {
			if !r.returned && ctx.Err() == nil {
				r.panicked = recover()
			}
			ended <- r
		}()
		r.err = call()
		r.returned = true
	}()
	select {
	case r := <-ended:
		return r.get(), true
	case <-ctx.Done():
		return nil, false
	}
}

// result is how a call has ended.
type result struct {
	err      error
	returned bool
	panicked any // nil if it did not return: it called runtime.Goexit
}

// get ends in the way of the call.
func (r result) get() error {
	switch {
	case r.panicked != nil:
		panic(r.panicked)
	case !r.returned:
		runtime.Goexit()
	}
	return r.err
}
