package chart

import (
	"math"
	"slices"

	"example.com/backoff"
	"example.com/backoff/cmd/backoff/internal/figure"
)

const (
	height   = 12   // lines, at most, where marks are not closer
	rounding = 1e-9 // relative, of a value at a mark
)

// A scale is the vertical axis. Its lines count from 0, the foot.
type scale struct {
	of     func(value float64) float64 // the line of a value, a whole number on a line
	labels []string                    // of each line, empty between two marks
}

// top returns the number of the highest line.
func (s scale) top() int { return len(s.labels) - 1 }

// rowOf returns the line that is nearest to a value.
func (s scale) rowOf(value float64) int { return int(math.Round(s.of(value))) }

func linearScale(q figure.Quantity, b figure.Bounds) scale {
	step := q.Step(b.Max, height)
	lines := max(1, int(math.Ceil(b.Max/step-1e-9)))
	s := scale{of: func(value float64) float64 { return value / step }}
	for line := range lines + 1 {
		s.labels = append(s.labels, q.Label(float64(line)*step))
	}
	return s
}

// logScale has a mark at the round values: at 1, 2, 5, 10, ... if there is room, and
// otherwise at the powers of ten, or what is round among durations. Between two marks it is
// logarithmic. A value below its foot, such as 0, lies on the foot. If there are zeros, the
// foot is at most half of the smallest other value, so that the two can be told apart.
func logScale(q figure.Quantity, b figure.Bounds, zeros bool) scale {
	const factor = 10.1 // marks differ by a factor of 10 at most
	if zeros {
		b.Floor /= 2
	}
	coarse, marks := q.Marks(b.Floor/factor, b.Max*factor)
	if marks = cover(marks, b); len(marks) > height+4 {
		marks = cover(coarse, b)
	}
	each := max(1, height/(len(marks)-1)) // lines from mark to mark
	s := scale{of: func(value float64) float64 {
		if value <= marks[0] {
			return 0
		}
		above, _ := slices.BinarySearch(marks[:len(marks)-1], value)
		lower, upper := marks[above-1], marks[above]
		return float64(each) * (float64(above-1) + math.Log(value/lower)/math.Log(upper/lower))
	}}
	for i, mark := range marks {
		if i > 0 {
			s.labels = append(s.labels, make([]string, each-1)...)
		}
		s.labels = append(s.labels, q.Label(mark))
	}
	return s
}

// cover returns the fewest neighbouring marks, two at least, between which the bounds are.
// The largest durations have no mark above them except the largest of all.
func cover(marks []float64, b figure.Bounds) []float64 {
	if b.Max > marks[len(marks)-1] {
		marks = append(marks, backoff.NoLimit.Seconds())
	}
	from, to := 0, len(marks)-1
	for from+1 < to && marks[from+1] <= b.Floor*(1+rounding) {
		from++
	}
	for to-1 > from && marks[to-1] >= b.Max*(1-rounding) {
		to--
	}
	return marks[from : to+1]
}
