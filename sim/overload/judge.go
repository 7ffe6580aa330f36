package overload

import (
	"fmt"
	"math"
	"time"
)

// A Verdict tells whether the server recovered from the trigger: whether the goodput, the
// requests answered in time, came back to 90 % of what it was before, and was there at the
// end. Two standard deviations of the count are allowed, so that chance does not decide: at
// the 98 requests a second of a thousand clients, 399 in 5 s are enough, where 90 % are 441.
// No answer at all is never enough. Use an After that is longer than the delays of the
// schedule: a server whose clients have not come back yet has not recovered either, though
// few requests are open.
type Verdict struct {
	Recovered bool // also false if there was no goodput before: too much load from the start
	// After is the time from the trigger's end to the first second with enough
	// goodput, by itself and together with the next four. It is 0 if the server did
	// not recover.
	After    time.Duration
	Before   float64 // mean goodput a second in the warm-up, without its first second
	End      float64 // the same in the last third of After
	PeakOpen int64   // the most requests open at one time
}

// String returns "recovered after 2s" or "collapsed".
func (v Verdict) String() string {
	if v.Recovered {
		return fmt.Sprintf("recovered after %v", v.After)
	}
	return "collapsed"
}

// Judge returns the verdict on the seconds of a run. Use it for the measurements of a real
// server as well. It reads only Warmup, Trigger.For and After of config: the trigger began
// after Warmup and lasted for Trigger.For, and After followed. PeakOpen is the maximum of the
// PeakOpen and the Open of seconds, so that it is of use for seconds without a PeakOpen.
//
// It panics if Warmup < 2 s, Trigger.For < 0 or After < 5 s, or if the run has more whole
// seconds than len(seconds).
func Judge(seconds []Second, config Config) Verdict {
	warmup, trigger, after := config.Warmup, config.Trigger.For, config.After
	most := time.Duration(len(seconds)+1)*time.Second - 1
	// What the others leave is compared, because a sum might overflow. It is below 0 if the
	// trigger alone is too long.
	if warmup < 2*time.Second || trigger < 0 || after < 5*time.Second ||
		warmup > most || after > most-warmup-trigger {
		panic(fmt.Sprintf("overload: Judge: %d seconds of %v, %v and %v, want as many as those have, at least 2s, 0s and 5s",
			len(seconds), warmup, trigger, after))
	}
	resumed := warmup + trigger
	// Of whole seconds, those of the warm-up and those after the trigger.
	warm := int(warmup / time.Second)
	first := int((resumed + time.Second - 1) / time.Second)
	whole := int((resumed + after) / time.Second)
	total := Total(seconds)
	ending := seconds[whole-(whole-first+2)/3 : whole]
	v := Verdict{
		Before:   goodput(seconds[1:warm]),
		End:      goodput(ending),
		PeakOpen: max(total.PeakOpen, total.Open),
	}
	if v.Before == 0 || !enough(ending, v.Before) {
		return v
	}
	const window = 5
	for s := first; s+window <= whole; s++ {
		if enough(seconds[s:s+1], v.Before) && enough(seconds[s:s+window], v.Before) {
			v.Recovered = true
			v.After = time.Duration(s)*time.Second - resumed
			return v
		}
	}
	return v
}

// goodput returns the mean of OK over seconds.
func goodput(seconds []Second) float64 {
	return float64(Total(seconds).OK) / float64(len(seconds))
}

// enough reports whether seconds have 90 % of the goodput before, less two standard
// deviations, which are twice the root of what is expected, and any at all.
func enough(seconds []Second, before float64) bool {
	least := float64(0.9 * before * float64(len(seconds)))
	return float64(Total(seconds).OK) >= max(least-float64(2*math.Sqrt(least)), 1)
}
