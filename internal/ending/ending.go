// Package ending tells tests how a function ended its goroutine: a function that is
// given a faulty schedule must neither return as if nothing had happened nor end a
// goroutine that is not the caller's.
package ending

import "fmt"

// Of calls f on a goroutine of its own, waits for its end, and returns "return",
// "exit" for [runtime.Goexit], or "panic: " and the panic's value.
func Of(f func()) (end string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		end = "exit" // Goexit runs the deferred functions and nothing else.
		defer func() {
			if value := recover(); value != nil {
				end = fmt.Sprint("panic: ", value)
			}
		}()
		f()
		end = "return"
	}()
	<-done
	return end
}
