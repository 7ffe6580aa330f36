package overload

import "time"

// A Result is the repetitions of a [Config], in order.
type Result struct {
	Reps []Rep
}

// A Rep is one repetition. A Config with its Seed and with one repetition gives it again.
type Rep struct {
	Seed    uint64
	Seconds []Second // second n is from n s to n+1 s; the last may be shorter
	Verdict Verdict
}

// A Second has the counts of one second of virtual time, and the state at its end. First
// and Retries are the requests sent; each ends as one of OK, Timeouts and Refused.
type Second struct {
	First    int64 // initial requests: operations begun
	Retries  int64 // requests after the first of their operation
	OK       int64 // answered in time
	Timeouts int64 // timed out: abandoned by their client
	Refused  int64 // error responses, see Failures

	GaveUp int64 // operations whose schedule ended
	Denied int64 // operations that the budget ended
	Wasted int64 // wasted work: requests served whose client had abandoned them

	Open    int64         // requests that the server is serving, abandoned ones included
	Queued  int64         // requests in the accept queue
	Latency time.Duration // the server's, with Open requests open
	Seen    time.Duration // the clients': mean of those that were answered, 0 if there were none

	// PeakOpen is the most requests that were open at one time in this second, its
	// beginning and its end included. A burst that is over within a second shows here
	// and not in Open.
	PeakOpen int64
}

// Total returns the sums of the counts of seconds, and the maxima of Open, Queued, Latency,
// Seen and PeakOpen.
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
		t.PeakOpen = max(t.PeakOpen, s.PeakOpen)
	}
	return t
}
