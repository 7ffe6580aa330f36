package overload

import "time"

// A Result has the repetitions of a [Config], in their order.
type Result struct {
	Reps []Rep
}

// A Rep is one repetition. A Config with its seed and one repetition gives it again.
type Rep struct {
	Seed    uint64
	Seconds []Second // second n is from n s to n+1 s; the last may be shorter
	Verdict Verdict
}

// A Second is what happened in one second of virtual time, and how it was at its end.
// First and Retries are the requests sent; each is in the end one of OK, Timeouts and
// Refused.
type Second struct {
	First    int64 // first tries: operations begun
	Retries  int64 // requests after the first of their operation
	OK       int64 // answered in time
	Timeouts int64 // abandoned by their client
	Refused  int64 // answered by an error, see Failures

	GaveUp int64 // operations whose schedule ended
	Denied int64 // operations that the budget ended
	Wasted int64 // requests served whose client had abandoned them

	Open    int64         // requests that the server is at, abandoned ones among them
	Queued  int64         // requests in the accept queue
	Latency time.Duration // the server's, with so many open
	Seen    time.Duration // the clients': mean of those that were answered, 0 if there were none
}

// Total returns the sums of the counts of seconds; of Open and Queued, and of the two
// latencies, the largest.
func Total(seconds []Second) Second {
	var t Second
	for _, s := range seconds {
		t.First += s.First
		t.Retries += s.Retries
		t.OK += s.OK
		t.Timeouts += s.Timeouts
		t.Refused += s.Refused
		t.GaveUp += s.GaveUp
		t.Denied += s.Denied
		t.Wasted += s.Wasted
		t.Open = max(t.Open, s.Open)
		t.Queued = max(t.Queued, s.Queued)
		t.Latency = max(t.Latency, s.Latency)
		t.Seen = max(t.Seen, s.Seen)
	}
	return t
}
