package plan

import (
	"slices"
	"time"

	"example.com/backoff"
)

// Random reports whether two draws differ. If none do, every value of the Plan is exact, as
// far as [Of] compared draws.
func (p *Plan) Random() bool { return p.Draws > 1 }

// An End tells whether more retries follow those of a [Plan].
type End int

const (
	Ends    End = iota // no more retries: all draws have ended
	MayGoOn            // more retries in some draws
	GoesOn             // more retries in all draws
)

func (e End) String() string {
	return []string{Ends: "ends", MayGoOn: "may go on", GoesOn: "goes on"}[e]
}

// End returns whether the schedule goes on after the retries of p.
func (p *Plan) End() End { return endOf(p.Open) }

func endOf(open float64) End {
	switch open {
	case 0:
		return Ends
	case 1:
		return GoesOn
	}
	return MayGoOn
}

// Uneven reports whether some draws have fewer retries than others.
func (p *Plan) Uneven() bool { return uneven(p.Retries) }

func uneven(retries []Retry) bool {
	n := len(retries)
	return n > 0 && retries[n-1].Share < 1
}

// LargestAtom returns the atom with the largest share of clients, and the first retry that
// has it; the zero Atom and 0 if there is none.
func (p *Plan) LargestAtom() (largest Atom, retry int) {
	for _, r := range p.Retries {
		if r.Atom.Share > largest.Share {
			largest, retry = r.Atom, r.N
		}
	}
	return largest, retry
}

// Duration returns how long the whole takes: the time from the start of the first attempt
// to the end of the last, which is LastRetry plus [AttemptTime]. A draw that goes on after
// retry n counts as if it ended there.
func (p *Plan) Duration() Stats { return p.untilLast(p.settings.attempt) }

// LastRetry returns when the last retry comes: the time from the start of the first attempt
// to its start, 0 if there is no retry. A draw that goes on after retry n counts as if it
// ended there.
func (p *Plan) LastRetry() Stats { return p.untilLast(0) }

// untilLast returns the time to the last retry of each draw, plus more.
func (p *Plan) untilLast(more time.Duration) Stats {
	var s sorter
	for _, d := range p.draws {
		s.buf = append(s.buf, plus(d.last(), more))
	}
	s.sort()
	return newStats(s.buf, p.Quantiles)
}

// last returns when the last retry comes, 0 if there is none.
func (d draw) last() time.Duration {
	if n := len(d.elapsed); n > 0 {
		return d.elapsed[n-1]
	}
	return 0
}

// Complete returns the time before which no retry is missing. Of a draw that goes on after
// retry n, later retries are missing. It is [backoff.NoLimit] if all draws have ended.
func (p *Plan) Complete() time.Duration {
	complete := backoff.NoLimit
	for _, d := range p.draws {
		if d.more {
			complete = min(complete, d.last())
		}
	}
	return complete
}

// First returns the Plan of the first n retries of the same draws. It is the Plan that [Of]
// would have returned for that n, unless Of compares more draws if there are fewer
// retries. It is p itself if p has at most n retries.
//
// It panics if n < 0.
func (p *Plan) First(n int) *Plan {
	checkNonNegative("First", "n", n)
	if n >= len(p.Retries) {
		return p
	}
	first := *p
	first.Retries = slices.Clone(p.Retries[:n])
	first.draws = make([]draw, len(p.draws))
	for i, d := range p.draws {
		length := min(n, len(d.elapsed))
		first.draws[i] = draw{d.elapsed[:length:length], d.more || length < len(d.elapsed)}
	}
	first.Open = first.open()
	random := first.End() == MayGoOn || first.Uneven() ||
		slices.ContainsFunc(first.Retries, func(r Retry) bool { return !r.Delay.Exact() })
	if !random {
		first.Draws, first.draws = 1, first.draws[:1]
	}
	return &first
}
