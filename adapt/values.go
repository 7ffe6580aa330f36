package adapt

import (
	"fmt"
	"iter"
	"time"
)

// List returns the first n delays of seq, or all if it has fewer, each at least 1 ns:
// List(Exponential(1 s, 2), 3) is [1s 2s 4s].
//
// Use List for JetStream's ConsumerConfig.BackOff. Its MaxDeliver must not be less than
// the length of the list, and one more lets the last delay be used. There 0 is not a
// delay: it lasts as long as the first entry, and if that is 0 nothing is redelivered. So
// a delay of 0 becomes 1 ns. If seq is random, the list is one sample of it, and every
// message waits for the same delays: use [FuncFrom] and NakWithDelay instead.
//
// It panics if seq is nil or n < 0.
func List(seq iter.Seq[time.Duration], n int) []time.Duration {
	checkSeq("List", seq)
	checkCount("List", "n", n, 0)
	delays := firstDelays(seq, n)
	for i, d := range delays {
		delays[i] = max(d, 1)
	}
	return delays
}

// Seconds returns the delay of a retry, counting from 0, in whole seconds: the delay
// that [Func] returns, rounded up, and then raised to lo or lowered to hi. Its result is
// in the closed interval [lo, hi].
//
// Use Seconds for an engine that counts in seconds, such as the visibility timeout of
// SQS, which lies in [0, 43200]:
//
//	adapt.Seconds(seq, retry, 0, 43200)
//
// It rounds up because a retry that comes too early may not find the fault gone.
//
// It panics if seq is nil, lo < 0 or lo > hi.
func Seconds(seq iter.Seq[time.Duration], retry int, lo, hi int32) int32 {
	checkSeq("Seconds", seq)
	if lo < 0 {
		reject("Seconds", "lo", lo, ">= 0")
	}
	if hi < lo {
		reject("Seconds", "hi", hi, fmt.Sprint(">= ", lo))
	}
	d, _ := at(seq, retry)
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return int32(min(max(whole, int64(lo)), int64(hi)))
}

// Time returns now plus the delay of a retry, counting from 0: the delay that [Func]
// returns. The result is not before now, and at most the latest [time.Time].
//
// Use Time for an engine that asks when to retry rather than how long to wait, such as
// Inngest's RetryAtError. For River use [NextRetry], because River ignores a time that
// has passed.
//
// It panics if seq is nil.
func Time(seq iter.Seq[time.Duration], retry int, now time.Time) time.Time {
	checkSeq("Time", seq)
	d, _ := at(seq, retry)
	then := now.Add(d)
	if then.Before(now) { // the seconds of a Time saturate, and its nanoseconds do not
		return now
	}
	return then
}
