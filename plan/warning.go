package plan

import (
	"fmt"
	"time"
)

// leastWarned is the smallest share that is worth a warning.
const leastWarned = 0.001

// Warnings returns a sentence for each retry that has an atom of 0.1 % or more, and
// a single one if no delay is random at all. It is empty for a schedule that keeps
// clients apart.
//
//	retry 10: 80 % of clients wait exactly 10s: put the jitter after the cap
//	retry 1: all clients wait exactly 1s: this delay has no jitter
//	retry 3: all clients wait exactly 16s: no jitter, or a cap after it
//	no jitter: at every retry all clients wait for exactly the same delay
func (p *Plan) Warnings() []string {
	random, capped, greatest := false, false, time.Duration(0)
	for _, r := range p.Retries {
		random = random || !r.Delay.Exact()
		greatest = max(greatest, r.Delay.Max)
	}
	switch {
	case len(p.Retries) == 0:
		return nil
	case !random && greatest == 0:
		return []string{"no wait: at every retry all clients come back at once"}
	case !random:
		return []string{"no jitter: at every retry all clients wait for exactly the same delay"}
	}
	for _, r := range p.Retries {
		capped = capped || r.Atom.Share > 0 && r.Atom.Delay == greatest && !r.Delay.Exact()
	}
	var warnings []string
	for _, r := range p.Retries {
		if r.Atom.Share >= leastWarned {
			warnings = append(warnings, r.warning(greatest, capped))
		}
	}
	return warnings
}

// warning is the sentence about an atom; greatest is the greatest delay of all
// retries, which an atom made by a cap has. That it is a cap shows where it catches
// some clients but not all.
func (r Retry) warning(greatest time.Duration, capped bool) string {
	who := percent(r.Atom.Share) + " of clients"
	if r.Atom.Share == 1 {
		who = "all clients"
	}
	if r.Atom.Delay == 0 {
		return fmt.Sprintf("retry %d: %s come back at once", r.N, who)
	}
	advice := ""
	switch {
	case r.Delay.Exact() && r.Atom.Delay < greatest:
		advice = ": this delay has no jitter"
	case r.Delay.Exact() && !capped:
		advice = ": no jitter, or a cap after it"
	case r.Atom.Next > r.Atom.Share/2:
		advice = ": the delays are too few to keep clients apart"
	case r.Atom.Delay == greatest:
		advice = ": put the jitter after the cap"
	case r.Atom.Delay == r.Delay.Max:
		advice = ": put the jitter after what bounds it from above"
	case r.Atom.Delay == r.Delay.Min:
		advice = ": put the jitter after what bounds it from below"
	}
	return fmt.Sprintf("retry %d: %s wait exactly %v%s", r.N, who, r.Atom.Delay, advice)
}

// percent returns a share in (0, 1] as text: whole, but for what would be 0 or
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
