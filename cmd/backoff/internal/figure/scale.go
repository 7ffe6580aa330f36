package figure

import (
	"errors"
	"slices"
	"strconv"
)

// A Scale divides a vertical axis. On the zero Scale, Automatic, the curves decide.
type Scale int

const (
	Automatic Scale = iota
	Linear
	Logarithmic
)

// A curve that stays below this share of the axis for more than half of its length is
// squashed: it is lower than one of the twelve lines of a chart.
const squashed = 1.0 / 20

// Logarithmic reports whether the vertical axis of f is logarithmic.
//
// On an automatic scale it is, if a linear axis would squash a curve: the median of its
// values above 0 is less than a twentieth of the largest value that is drawn, bands
// included and spikes excluded. That holds in particular for a curve whose largest value
// is less than a twentieth of another curve's. An axis without a value above 0 is linear
// on every scale.
//
// A value of 0 has no place on a logarithmic axis: a line and a point lie on its foot.
func (f Figure) Logarithmic() bool {
	b := NewBounds(f.Curves)
	if b.Max == 0 || f.Scale != Automatic {
		return b.Max > 0 && f.Scale == Logarithmic
	}
	return slices.ContainsFunc(f.Curves, func(c Curve) bool {
		values := slices.DeleteFunc(slices.Clone(c.Median), func(value float64) bool { return !(value > 0) })
		slices.Sort(values)
		return len(values) > 0 && values[len(values)/2] < squashed*b.Max
	})
}

// Zeros reports whether a curve has a value of 0, which a logarithmic axis does not show.
func (f Figure) Zeros() bool {
	return slices.ContainsFunc(f.Curves, func(c Curve) bool { return slices.Contains(c.Median, 0) })
}

// ScaleNote returns the text that follows a title or a label: which axis it is if it is a
// logarithmic one, and nothing if it is linear.
func (f Figure) ScaleNote() string {
	switch {
	case !f.Logarithmic():
		return ""
	case f.Zeros():
		return ", on a logarithmic axis with 0 at its foot"
	}
	return ", on a logarithmic axis"
}

// Set makes Scale the value of a flag --log: true is logarithmic, false is linear.
func (s *Scale) Set(text string) error {
	logarithmic, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("neither true nor false")
	}
	*s = Linear
	if logarithmic {
		*s = Logarithmic
	}
	return nil
}

// String returns what Set reads, and the empty text for Automatic.
func (s *Scale) String() string { return []string{"", "false", "true"}[*s] }

// Type returns bool, so that --log needs no value and help shows none.
func (s *Scale) Type() string { return "bool" }
