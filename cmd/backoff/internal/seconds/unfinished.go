package seconds

import (
	"time"

	"example.com/backoff/sim/overload"
)

// Unfinished reports whether a repetition of config ended too soon for its verdict: the
// server had not recovered from the trigger, but was not congested in the last third of After:
// at most 1 % of the requests timed out, and PeakOpen stayed within twice its maximum before
// the trigger. [ToFinish] tells why.
func Unfinished(r overload.Rep, config overload.Config) bool {
	if r.Verdict.Recovered || r.Verdict.Before == 0 || config.Trigger.For == 0 {
		return false
	}
	end := config.Warmup + config.Trigger.For + config.After
	whole := func(d time.Duration) int { return min(int(d/time.Second), len(r.Seconds)) }
	before := overload.Total(r.Seconds[min(1, whole(config.Warmup)):whole(config.Warmup)])
	last := overload.Total(r.Seconds[whole(end-config.After/3):whole(end)])
	return 100*last.Timeouts <= last.First+last.Retries && last.PeakOpen <= 2*before.PeakOpen
}

// CountUnfinished returns how many repetitions are [Unfinished].
func CountUnfinished(reps []overload.Rep, config overload.Config) (n int) {
	for _, r := range reps {
		if Unfinished(r, config) {
			n++
		}
	}
	return n
}

// ToFinish returns why repetitions are [Unfinished], and what to do. Clients wait for their
// next retry; or, if no failed request of such a repetition had one to wait for, so few
// operations begin that chance decides.
func ToFinish(reps []overload.Rep, config overload.Config) string {
	for _, r := range reps {
		total := overload.Total(r.Seconds)
		if Unfinished(r, config) && total.Timeouts+total.Refused > total.GaveUp+total.Denied {
			return "few requests are open; use a longer --after"
		}
	}
	return "few operations begin; use more clients or a higher rate"
}
