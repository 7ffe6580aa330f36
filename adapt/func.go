package adapt

import (
	"fmt"
	"iter"
	"math"
	"time"

	"example.com/backoff/internal/argument"
	"example.com/backoff/internal/splitmix"
)

// Func returns the function whose value at 0, 1, 2, ... is delay 0, 1, 2, ... of seq, for
// an engine that counts retries from 0. A negative number counts as 0. After the end of
// seq it returns the last delay, because there the engine decides when to stop; if seq
// is empty it returns 0.
//
// Use Func for every engine that asks for a delay by its number and has no function of
// its own in this package. The package comment lists them.
//
// The function has no state: it ranges over seq from the start in every call, so any
// number of goroutines may share it. A call takes time in proportion to the number: about
// 2 to 10 ns for each delay of most schedules, and 0.5 µs for each one of
// [backoff.Polynomial]. It allocates nothing beyond what seq does. A number above 1,048,575
// counts as that, so that no call takes longer than half a second, or mostly a few
// milliseconds. If seq is random and has no seed, each call draws another sample.
//
// It panics if seq is nil.
func Func(seq iter.Seq[time.Duration]) func(retry int) time.Duration {
	return from("Func", 0, seq)
}

// FuncFrom returns the same function as [Func] for an engine that counts its first retry
// as first: its value at first, first+1, first+2, ... is delay 0, 1, 2, ... of seq. A
// number below first counts as first.
//
// It panics if seq is nil.
func FuncFrom(first int, seq iter.Seq[time.Duration]) func(retry int) time.Duration {
	return from("FuncFrom", first, seq)
}

func from(function string, first int, seq iter.Seq[time.Duration]) func(retry int) time.Duration {
	checkSeq(function, seq)
	return func(retry int) time.Duration {
		d, _ := at(seq, since(first, retry))
		return d
	}
}

// since returns retry − first, between 0 and math.MaxInt.
func since(first, retry int) int {
	if retry <= first {
		return 0
	}
	if n := retry - first; n > 0 {
		return n
	}
	return math.MaxInt
}

// Keyed returns a function of a key and of the number of a retry, counting from 0. It is
// [Func] of newSeq(seed), where seed depends on the key alone. So each key has one path
// of delays, on every machine and in every version of this package, and the paths of
// different keys look independent.
//
// Use Keyed for a durable engine that replays what it did, with the ID of the job as the
// key. It gets the same delays again, and two jobs do not wait in step.
//
// The seed is the 64-bit FNV-1a hash of the key's bytes, mixed by SplitMix64.
//
// It panics if newSeq is nil, and the function panics if newSeq returns nil.
func Keyed(newSeq func(seed uint64) iter.Seq[time.Duration]) func(key string, retry int) time.Duration {
	if newSeq == nil {
		reject("Keyed", "newSeq", "nil", "a function")
	}
	return func(key string, retry int) time.Duration {
		seq := newSeq(seedOf(key))
		if seq == nil {
			reject("Keyed", "the result of newSeq", "nil", "a schedule")
		}
		d, _ := at(seq, retry)
		return d
	}
}

// seedOf returns the seed of a key. Mixing makes all bits of the seeds of similar keys
// differ.
func seedOf(key string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, b := range []byte(key) {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	return splitmix.Mix(h)
}

func checkSeq(function string, seq iter.Seq[time.Duration]) {
	if seq == nil {
		reject(function, "seq", "nil", "a schedule")
	}
}

func checkCount(function, name string, n, lowest int) {
	if n < lowest {
		reject(function, name, n, fmt.Sprint(">= ", lowest))
	}
}

// reject panics about one argument.
func reject(function, name string, got any, want string) {
	argument.Reject("adapt", function, name, got, want)
}
