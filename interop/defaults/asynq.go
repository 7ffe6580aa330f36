package main

import (
	"iter"
	"time"

	"example.com/backoff"
)

func asynqDelays(opts ...backoff.Option) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		n := 0
		for k := range backoff.Take(backoff.Uniform(0, 29, opts...), 25) {
			seconds := n*n*n*n + 15 + int(k)*(n+1)
			if !yield(time.Duration(seconds) * time.Second) {
				return
			}
			n++
		}
	}
}
