package plan

import (
	"math"
	"slices"
	"sort"
	"time"

	"example.com/backoff"
)

// A Peak is the time at which the clients of a [Plan] send the most retries a second.
type Peak struct {
	At        time.Duration // when it begins
	Width     time.Duration // how long it is: one bin, or several adjacent ones
	PerSecond float64       // the retries per second in it
	Error     float64       // the standard error of PerSecond; 0 if it is exact
	Draws     int           // how many retries of the draws are in it
}

// peakDraws is how many retries of the draws a peak holds, at least: so it is accurate to
// 1.6 %. With fewer than 10,000 draws it is two fifths of them.
const peakDraws = 4000

// enoughDraws returns how many retries of the draws a peak of p holds, at least one.
func (p *Plan) enoughDraws() int { return max(1, min(peakDraws, p.Draws*2/5)) }

// Peak returns the interval in which this number of clients sends the most retries a
// second. It consists of one or more adjacent bins of [Plan.Load], which reach from 0 to
// until or just beyond. It is one bin if nothing is random.
//
// Use it in place of [Load.Peak] for a random schedule, because there the fullest of many
// bins is the luckiest one: if 10,000 clients draw one uniform delay, the fullest of 60
// bins holds 14 % more than the mean. So the interval is as many bins as it takes to hold
// 4,000 retries of the draws, or two fifths of the draws if there are fewer than 10,000.
// If there are no more retries, it is the whole time. Error is the standard error of
// PerSecond from one seed to another; the luck that remains is one or two of it. It does
// not include how much the interval flattens a shorter peak: more draws find shorter peaks.
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
		enough := p.enoughDraws()
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

// deviation returns the standard deviation of the number of retries in [at, at+width) of
// all draws together.
func (p *Plan) deviation(at, width time.Duration) float64 {
	if !p.Random() {
		return 0
	}
	var sum, squares float64
	for _, d := range p.draws {
		n := float64(between(d.elapsed, at, width))
		sum, squares = sum+n, squares+float64(n*n)
	}
	n := float64(p.Draws)
	return math.Sqrt(max(0, squares-float64(sum*sum)/n) * n / (n - 1))
}

// before returns how many of the sorted times come before that time.
func before(times []time.Duration, at time.Duration) int {
	n, _ := slices.BinarySearch(times, at)
	return n
}
