package plan

import (
	"fmt"
	"math"
	"time"
)

// An Atom is one delay and the share of clients for whom it is exactly that.
type Atom struct {
	Delay time.Duration
	Share float64 // of the draws that have this retry, in [0, 1]; 0: there is no atom
	Next  float64 // the share of the delay that comes second; near Share if delays are coarse
}

// leastWarned is the smallest share that is worth a warning.
const leastWarned = 0.001

// findAtom returns the atom of a sorted column that is not empty: the value that
// most draws share, if they are too many to have met by chance.
func findAtom(column []time.Duration) Atom {
	begin, end, next := 0, 0, 0
	for i := 0; i < len(column); {
		j := i + 1
		for j < len(column) && column[j] == column[i] {
			j++
		}
		if j-i > end-begin {
			begin, end, next = i, j, end-begin
		} else {
			next = max(next, j-i)
		}
		i = j
	}
	a := Atom{column[begin], share(end-begin, len(column)), share(next, len(column))}
	if byChance(column, begin, end) {
		return Atom{}
	}
	return a
}

// byChance reports whether the draws [begin, end) of a sorted column, which share
// one value, may do so because draws are dense there: from 0–100 ns there are
// 101 values to draw.
//
// The density is that of the nearest other draws on the denser side, doubled to
// be on the safe one; as many are looked at as share the value, and at least 64.
// If λ draws are expected on a value, c or more are there with a probability of
// at most exp(c − λ − c·ln(c/λ)) (Chernoff's bound for a Poisson variate). That
// must be below e⁻²⁰ = 2·10⁻⁹ for all values together.
func byChance(column []time.Duration, begin, end int) bool {
	count := end - begin
	if count < 2 {
		return true // one draw shares its value with nobody
	}
	near := max(64, count)
	low, high := max(0, begin-near), min(len(column), end+near)
	at, density := column[begin], 0.0
	if low < begin {
		density = float64(begin-low) / float64(at-column[low])
	}
	if end < high {
		density = max(density, float64(high-end)/float64(column[high-1]-at))
	}
	c, expected := float64(count), 2*density
	if expected == 0 {
		return false // there is no other value
	}
	if c <= expected {
		return true
	}
	return float64(c*math.Log(c/expected))-c+expected < math.Log(float64(len(column)))+20
}

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
		greatest = max(greatest, r.Delay.Greatest)
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
	case r.Atom.Delay == r.Delay.Greatest:
		advice = ": put the jitter after what bounds it from above"
	case r.Atom.Delay == r.Delay.Least:
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
