package plan

import (
	"math"
	"sort"
	"time"

	"example.com/backoff"
)

// A Peak is when the clients of a [Plan] make the most retries a second.
type Peak struct {
	At        time.Duration // when it begins
	Width     time.Duration // how long it lasts: a bin, or more of them that follow one another
	PerSecond float64       // the retries per second in it
	Error     float64       // the standard error of PerSecond; 0 if it is exact
	Draws     int           // how many retries of the draws it rests on
}

// peakDraws is how many retries of the draws a peak rests on, at least: they are
// counted right to 1.6 %. Of fewer than 10,000 draws it is two of five.
const peakDraws = 4000

// Peak returns the interval with the most retries a second that so many clients make,
// of those that are one bin or more of [Plan.Load], which reach to until or just
// beyond. It is a bin long if nothing is random.
//
// The fullest of many bins that hold few draws each is the luckiest one: of 10,000
// draws of one uniform delay, in 60 bins, it holds 14 % more than the mean. So the
// interval is as many bins as it takes for one of them to hold 4,000 retries of the
// draws, or two fifths of the draws if these are fewer than 10,000. It is all of
// the time if there are no more retries in it. What is left of luck is an error or two
// of the Error that the peak has: it says how far off the count is, from one seed to
// another, not how much a shorter peak is flattened. More draws see shorter peaks.
//
// It panics where Load does.
func (p *Plan) Peak(clients int, until, bin time.Duration) Peak {
	counts := p.counts("Peak", clients, until, bin)
	sums := make([]int, len(counts)+1) // sums[i]: the retries before bin i
	for i, n := range counts {
		sums[i+1] = sums[i] + n
	}
	// fullest returns the first bin of the fullest k that follow one another.
	fullest := func(k int) (first, most int) {
		for i := range len(counts) - k + 1 {
			if n := sums[i+k] - sums[i]; n > most {
				first, most = i, n
			}
		}
		return first, most
	}
	k := 1
	if p.Random() {
		enough := min(peakDraws, p.Draws*2/5)
		k += sort.Search(len(counts)-1, func(i int) bool {
			_, most := fullest(i + 1)
			return most >= enough
		})
	}
	first, most := fullest(k)
	at, width := time.Duration(first)*bin, backoff.NoLimit
	if time.Duration(k) <= backoff.NoLimit/bin {
		width = time.Duration(k) * bin
	}
	perRetry := float64(clients) / float64(p.Draws) / width.Seconds()
	return Peak{at, width, perRetry * float64(most), perRetry * p.deviation(at, width), most}
}

// deviation returns the standard deviation of the number of retries in [at, at+width)
// that as many draws have.
func (p *Plan) deviation(at, width time.Duration) float64 {
	if !p.Random() {
		return 0
	}
	var sum, squares float64
	for _, d := range p.draws {
		n := float64(d.before(plus(at, width)) - d.before(at))
		sum, squares = sum+n, squares+float64(n*n)
	}
	n := float64(p.Draws)
	return math.Sqrt(max(0, squares-float64(sum*sum)/n) * n / (n - 1))
}

// before returns how many retries come before that time.
func (d draw) before(at time.Duration) int {
	return sort.Search(len(d.elapsed), func(i int) bool { return d.elapsed[i] >= at })
}
