package backofftest

import "fmt"

// A breach is a check that failed.
type breach struct {
	at    int // the delay where it failed: the earliest one is reported
	text  string
	notes []string
	stack []byte // of the schedule's panic
}

func broken(at int, format string, args ...any) *breach {
	return &breach{at: at, text: fmt.Sprintf(format, args...)}
}

func (b *breach) note(format string, args ...any) *breach {
	if b != nil {
		b.notes = append(b.notes, fmt.Sprintf(format, args...))
	}
	return b
}

func (b *breach) Error() string {
	text := "backofftest: " + b.text
	for i, note := range b.notes {
		if i == 0 {
			text += " (" + note
		} else {
			text += "; " + note
		}
	}
	if len(b.notes) > 0 {
		text += ")"
	}
	return text
}

// err returns b as an error, which is nil if b is nil.
func (b *breach) err() error {
	if b == nil {
		return nil
	}
	return b
}

// smallest calls check with the seeds from lo to hi−1, and returns the breach at the
// earliest delay. If there are several, the smallest seed wins.
func smallest(lo, hi uint64, check func(seed uint64) *breach) *breach {
	var least *breach
	for seed := lo; seed < hi; seed++ {
		if bad := check(seed); bad != nil && (least == nil || bad.at < least.at) {
			bad.notes = append([]string{fmt.Sprintf("seed %d", seed)}, bad.notes...)
			least = bad
		}
	}
	return least
}

// count returns "1 delay", "2 delays" and so on.
func count[N int | int64](n N) string {
	if n == 1 {
		return "1 delay"
	}
	return fmt.Sprintf("%d delays", n)
}
