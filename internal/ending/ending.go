// Package ending tells tests how a function ended its goroutine. A function that gets a
// faulty schedule must not return as if nothing had happened, and it must not end any
// goroutine but the caller's.
package ending

import (
	"fmt"
	"iter"
	"runtime"
	"time"
)

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

// A Schedule is a schedule for a model, with the way in which the model must end.
type Schedule struct {
	Name string
	New  func(seed uint64) iter.Seq[time.Duration]
	Want string // the result of Of
}

// Schedules returns a correct schedule and faulty ones, which panic or end their
// goroutine, as testing.T.FailNow does, when they are made or ranged over.
func Schedules() []Schedule {
	return []Schedule{
		{"returns", func(uint64) iter.Seq[time.Duration] {
			return func(yield func(time.Duration) bool) {
				for yield(time.Second) {
				}
			}
		}, "return"},
		{"panics", func(uint64) iter.Seq[time.Duration] { panic("boom") }, "panic: boom"},
		{"exits", func(uint64) iter.Seq[time.Duration] { runtime.Goexit(); return nil }, "exit"},
		{"exits in the range", func(uint64) iter.Seq[time.Duration] {
			return func(func(time.Duration) bool) { runtime.Goexit() }
		}, "exit"},
	}
}
