package overload

import (
	"fmt"
	"math"
	"time"
)

// A Verdict says whether the server recovered from the trigger: whether the goodput,
// the requests answered in time, came back to 90 % of what it was before, and was there
// at the end. So that chance decides nothing, two standard deviations of the count are
// allowed for: of the 98 requests a second of a thousand clients 399 are enough in 5 s,
// where 90 % are 441. None is never enough.
type Verdict struct {
	Recovered bool // false too if there was no goodput before: too much from the start
	// After is how long after the trigger's end the first second began that had
	// enough by itself and together with the next four. It is 0 if the server did
	// not recover.
	After    time.Duration
	Before   float64 // mean goodput a second in the warm-up, but for its first second
	End      float64 // the same in the last third of After
	PeakOpen int64   // the most requests that were open at one time
}

// String returns "recovered after 2s" or "collapsed".
func (v Verdict) String() string {
	if v.Recovered {
		return fmt.Sprintf("recovered after %v", v.After)
	}
	return "collapsed"
}

// Judge returns the verdict on the seconds of a run, also of a real server's. Of config
// only Warmup, Trigger.For and After count: the trigger began after Warmup and lasted
// for Trigger.For, and After followed. PeakOpen is the largest Open of seconds.
//
// It panics if Warmup < 2 s, Trigger.For < 0 or After < 5 s, or if the run has more
// whole seconds than there are.
func Judge(seconds []Second, config Config) Verdict {
	warmup, trigger, after := config.Warmup, config.Trigger.For, config.After
	resumed := warmup + trigger
	// Of whole seconds, those of the warm-up and those after the trigger.
	warm := int(warmup / time.Second)
	first := int((resumed + time.Second - 1) / time.Second)
	whole := int((resumed + after) / time.Second)
	if warm < 2 || trigger < 0 || after < 5*time.Second || whole > len(seconds) {
		panic(fmt.Sprintf("overload: Judge: %d seconds of %v, %v and %v, want as many as those have, at least 2s, 0s and 5s",
			len(seconds), warmup, trigger, after))
	}
	ending := seconds[whole-(whole-first+2)/3 : whole]
	v := Verdict{
		Before:   goodput(seconds[1:warm]),
		End:      goodput(ending),
		PeakOpen: Total(seconds).Open,
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
