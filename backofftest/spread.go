package backofftest

import (
	"cmp"
	"slices"
	"time"
)

// atom is the number of clients that must not share a delay. If 1000 clients draw from
// 1000 values or more, the number of clients on one value is at most Poisson(1), which
// is 20 or more with a probability of 1.6e-19. Times 1000 values and 256 delays, that
// is 4e-14.
const atom = 20

// spreads checks that clients that start together do not stay together.
func (s *subject) spreads() *breach {
	columns := make([][]client, min(256, s.checked()))
	for seed := range uint64(clients) {
		r, bad := s.read(seed, len(columns))
		if bad != nil {
			return bad.note("seed %d", seed)
		}
		for i, d := range r.delays {
			columns[i] = append(columns[i], client{d, seed})
		}
	}
	for i, column := range columns {
		if bad := shared(i, column); bad != nil {
			return bad
		}
	}
	return nil
}

// A client has a delay before one retry, and a seed.
type client struct {
	delay time.Duration
	seed  uint64
}

// shared returns a breach if too many clients share delay i.
func shared(i int, column []client) *breach {
	slices.SortStableFunc(column, func(a, b client) int { return cmp.Compare(a.delay, b.delay) })
	var most []client
	for rest := column; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].delay == rest[0].delay {
			n++
		}
		if n > len(most) {
			most = rest[:n]
		}
		rest = rest[n:]
	}
	if len(most) < atom {
		return nil
	}
	return broken(i, "delay %d is exactly %v for %d of %d clients, want fewer than %d", i, most[0].delay, len(most), len(column), atom).
		note("the first of them have the seeds %d and %d", most[0].seed, most[1].seed)
}
