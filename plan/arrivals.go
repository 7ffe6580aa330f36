package plan

import "time"

// Arrivals are the times at which clients that fail together retry, those of all retries
// merged. [Plan.Arrivals] returns them.
type Arrivals struct {
	plan    *Plan
	perDraw float64         // how many clients a draw stands for
	times   []time.Duration // of all draws, sorted
	moments []run           // of times
	spread  []time.Duration // the times that are not in moments
	until   time.Duration
}

// A run is the part [begin, end) of sorted times that are all the same.
type run struct{ begin, end int }

// A Moment is an instant at which many clients retry at once. It is an atom of the elapsed
// time, as an [Atom] is one of the delay.
type Moment struct {
	At      time.Duration
	Retries float64 // how many retries come at exactly this time, on average
}

// A Burst is the busiest window of a given length.
type Burst struct {
	Within  time.Duration // how long the window is
	At      time.Duration // when the window begins
	Retries float64       // how many retries come in it, on average
	Error   float64       // the standard error of Retries; 0 if it is exact

	// Width is how long the time is in which the retries were counted, from At on. It is
	// Within, or more if a window of Within holds too few draws. Then Retries is the share
	// Within/Width of what was counted.
	Width time.Duration
}

// Arrivals returns the retries in the half-open interval [0, until) that this number of
// clients sends if the first attempt of each begins at 0 and every attempt fails. First
// attempts are not retries and do not count.
//
// Use it to find synchronized clients, which the rate of a [Load] hides: 10,000 clients in
// the same nanosecond are 10,000 a second, as 10,000 clients over a second are. Retries that
// p does not have are missing; [Plan.UntilComplete] draws them.
//
// It panics if clients < 0 or until <= 0.
func (p *Plan) Arrivals(clients int, until time.Duration) *Arrivals {
	checkNonNegative("Arrivals", "clients", clients)
	if until <= 0 {
		reject("Arrivals", "until", until, "> 0")
	}
	a := &Arrivals{plan: p, perDraw: float64(clients) / float64(p.Draws), until: until}
	var s sorter
	for _, d := range p.draws {
		s.buf = append(s.buf, d.elapsed[:before(d.elapsed, until)]...)
	}
	s.sort()
	a.times = s.buf
	for i := 0; i < len(a.times); {
		r := run{i, i + 1}
		for r.end < len(a.times) && a.times[r.end] == a.times[i] {
			r.end++
		}
		if !p.Random() || !byChance(a.times, r.begin, r.end) {
			a.moments = append(a.moments, r)
		} else {
			a.spread = append(a.spread, a.times[r.begin:r.end]...)
		}
		i = r.end
	}
	return a
}

// Moments returns the instants at which many clients retry at once, in rising order. If
// nothing is random, these are the times of all retries. If jitter keeps the clients
// apart, there are none.
func (a *Arrivals) Moments() []Moment {
	moments := make([]Moment, len(a.moments))
	for i, r := range a.moments {
		moments[i] = Moment{a.times[r.begin], a.perDraw * float64(r.end-r.begin)}
	}
	return moments
}

// Most returns the half-open window [At, At+within) with the most retries. If there are
// several, the first wins. Windows slide: they begin at any time, not only at multiples of
// within.
//
// It is exact if nothing is random. Otherwise it is the expected number, and a single
// incident has about √Retries more or less. Retries at one of the [Arrivals.Moments] count
// in full, however short the window is, and with them what comes in the window that begins
// or ends with the moment. Among the others, the fullest of many windows that hold few draws
// is the luckiest one. So Most counts over the shortest time that holds enough draws, as
// [Plan.Peak] does, and takes a share of that, which flattens a shorter peak.
//
// It panics if within <= 0.
func (a *Arrivals) Most(within time.Duration) Burst {
	if within <= 0 {
		reject("Most", "within", within, "> 0")
	}
	at, most := fullest(a.times, within)
	switch {
	case most == 0:
		return Burst{Within: within, Width: within}
	case !a.plan.Random() || most >= a.plan.enoughDraws():
		return a.burst(at, within)
	}
	b := a.mostOfSpread(within)
	if at, most := a.mostOfMoments(within); a.perDraw*float64(most) > b.Retries {
		b = a.burst(at, within)
	}
	return b
}

// fullest returns the first window that holds the most of the sorted times.
func fullest(times []time.Duration, within time.Duration) (at time.Duration, most int) {
	end := 0
	for i, first := range times {
		for end < len(times) && times[end]-first < within {
			end++
		}
		if end-i > most {
			at, most = first, end-i
		}
	}
	return at, most
}

// burst returns the Burst of the retries in [at, at+width), all of them.
func (a *Arrivals) burst(at, width time.Duration) Burst {
	return Burst{
		Within: width, At: at, Width: width,
		Retries: a.perDraw * float64(between(a.times, at, width)),
		Error:   a.perDraw * a.plan.deviation(at, width),
	}
}

// between returns how many of the sorted times are in [at, at+width).
func between(times []time.Duration, at, width time.Duration) int {
	return before(times, plus(at, width)) - before(times, at)
}

// mostOfMoments returns the fullest of the windows that begin or end with a moment. There
// are none without moments.
func (a *Arrivals) mostOfMoments(within time.Duration) (at time.Duration, most int) {
	for _, r := range a.moments {
		moment := a.times[r.begin]
		for _, begin := range [...]time.Duration{moment, max(0, moment-within+1)} {
			if n := between(a.times, begin, within); n > most {
				at, most = begin, n
			}
		}
	}
	return at, most
}

// mostOfSpread returns how many retries come in a window at the busiest time, without those
// at moments. The busiest time is the shortest that holds enough draws.
func (a *Arrivals) mostOfSpread(within time.Duration) Burst {
	at, width := time.Duration(0), max(a.until, within)
	enough := a.plan.enoughDraws()
	for i := range len(a.spread) - enough + 1 {
		if w := plus(a.spread[i+enough-1]-a.spread[i], 1); w < width {
			at, width = a.spread[i], w
		}
	}
	scale := a.perDraw * within.Seconds() / width.Seconds()
	return Burst{
		Within: within, At: at, Width: width,
		Retries: scale * float64(between(a.spread, at, width)),
		Error:   scale * a.plan.deviation(at, width),
	}
}
