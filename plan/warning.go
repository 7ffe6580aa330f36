package plan

import (
	"fmt"
	"time"
)

// minWarned is the smallest share that is worth a warning.
const minWarned = 0.001

// A Warning is about clients that wait for exactly the same delay.
type Warning struct {
	Retry  int    // counting from 1; 0 if the warning is about all retries
	Atom   Atom   // the delay that clients share; the zero Atom if it is about all retries
	Advice Advice // the cause, and so what to change
}

// An Advice is the reason why many clients wait for the same delay.
type Advice int

const (
	NoAdvice           Advice = iota // the reason does not show
	NoWait                           // the delay is 0
	NoJitter                         // the delay has no jitter, or none has
	NoJitterOrCap                    // this delay is the longest: it has no jitter, or a cap comes after it
	TooFewDelays                     // another delay has nearly as many clients
	JitterAfterCap                   // a cap makes it, and the jitter stands before that
	JitterAfterMaximum               // likewise another upper bound
	JitterAfterMinimum               // likewise a lower bound
)

// text returns the end of a sentence about one retry.
func (a Advice) text() string {
	switch a {
	case NoJitter:
		return ": this delay has no jitter"
	case NoJitterOrCap:
		return ": no jitter, or a cap after it"
	case TooFewDelays:
		return ": the delays are too few to keep clients apart"
	case JitterAfterCap:
		return ": put the jitter after the cap"
	case JitterAfterMaximum:
		return ": put the jitter after the upper bound"
	case JitterAfterMinimum:
		return ": put the jitter after the lower bound"
	}
	return ""
}

// String returns a sentence without its full stop, such as "retry 10: 80 % of clients
// wait exactly 10s: put the jitter after the cap".
func (w Warning) String() string {
	who := percent(w.Atom.Share) + " of clients"
	if w.Atom.Share == 1 {
		who = "all clients"
	}
	switch {
	case w.Retry == 0 && w.Advice == NoWait:
		return "no wait: at every retry all clients come back at once"
	case w.Retry == 0:
		return "no jitter: at every retry all clients wait for exactly the same delay"
	case w.Advice == NoWait:
		return fmt.Sprintf("retry %d: %s come back at once", w.Retry, who)
	}
	return fmt.Sprintf("retry %d: %s wait exactly %v%s", w.Retry, who, w.Atom.Delay, w.Advice.text())
}

// Warnings returns a warning for each retry that has an atom of 0.1 % or more, and a single
// one if no delay is random. It is empty for a schedule that keeps clients apart: use it in
// a test of your own schedule.
//
//	retry 10: 80 % of clients wait exactly 10s: put the jitter after the cap
//	retry 1: all clients wait exactly 1s: this delay has no jitter
//	retry 3: all clients wait exactly 16s: no jitter, or a cap after it
//	no jitter: at every retry all clients wait for exactly the same delay
func (p *Plan) Warnings() []Warning {
	random, capped, greatest := false, false, time.Duration(0)
	for _, r := range p.Retries {
		random = random || !r.Delay.Exact()
		greatest = max(greatest, r.Delay.Max)
	}
	switch {
	case len(p.Retries) == 0:
		return nil
	case !random && greatest == 0:
		return []Warning{{Advice: NoWait}}
	case !random:
		return []Warning{{Advice: NoJitter}}
	}
	for _, r := range p.Retries {
		capped = capped || r.Atom.Share > 0 && r.Atom.Delay == greatest && !r.Delay.Exact()
	}
	var warnings []Warning
	for _, r := range p.Retries {
		if r.Atom.Share >= minWarned {
			warnings = append(warnings, Warning{r.N, r.Atom, r.advice(greatest, capped)})
		}
	}
	return warnings
}

// advice returns why r has an atom. The parameter greatest is the largest delay of all
// retries, which is the delay of an atom that a cap makes. Capped reports whether some
// retry shows that there is a cap, because it catches some clients but not all.
func (r Retry) advice(greatest time.Duration, capped bool) Advice {
	switch {
	case r.Atom.Delay == 0:
		return NoWait
	case r.Delay.Exact() && r.Atom.Delay < greatest:
		return NoJitter
	case r.Delay.Exact() && !capped:
		return NoJitterOrCap
	case r.Atom.Next > r.Atom.Share/2:
		return TooFewDelays
	case r.Atom.Delay == greatest:
		return JitterAfterCap
	case r.Atom.Delay == r.Delay.Max:
		return JitterAfterMaximum
	case r.Atom.Delay == r.Delay.Min:
		return JitterAfterMinimum
	}
	return NoAdvice
}

// percent returns a share in (0, 1] as text: a whole number, unless that would be 0 or
// wrongly 100.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p < 1:
		return fmt.Sprintf("%.1f %%", p)
	case p < 100 && p >= 99.5:
		return "more than 99 %"
	}
	return fmt.Sprintf("%.0f %%", p)
}
