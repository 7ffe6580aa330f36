package supervise

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// countable is the largest number of attempts for which messages say "2 of 9".
const countable = 1000

// patience is how long messages wait for the number of attempts. Only a schedule that draws
// many delays for each that it yields takes that long.
const patience = 2 * time.Second

// A count is how many attempts a schedule has. It ranges over the schedule elsewhere, because
// a schedule such as full-jitter(1s, 1m) | drop(2147483647) takes minutes.
type count struct {
	began    time.Time
	attempts int           // 0 if there are more than countable
	done     chan struct{} // closed when attempts is known
}

func newCount(delays iter.Seq[time.Duration]) *count {
	c := &count{began: time.Now(), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		n := 1
		for range delays {
			if n++; n > countable {
				return
			}
		}
		c.attempts = n
	}()
	return c
}

// ofAll returns " of 9", or nothing if the schedule has more than countable attempts, or if
// they are not counted yet and ctx is done or patience is over. There is none to count if c
// is nil.
func (c *count) ofAll(ctx context.Context) string {
	if c == nil {
		return ""
	}
	select {
	case <-c.done:
	default: // the others may be ready too
		select {
		case <-c.done:
		case <-ctx.Done():
			return ""
		case <-time.After(patience - time.Since(c.began)):
			return ""
		}
	}
	if c.attempts == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d", c.attempts)
}

// untilDone returns the delays of a schedule until ctx is done. It draws them elsewhere, so
// that it ends at once while one is drawn, and then calls cut.
func untilDone(ctx context.Context, delays iter.Seq[time.Duration], cut func()) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		drawn, over := make(chan time.Duration), make(chan struct{})
		defer close(over)
		go func() {
			defer close(drawn)
			for d := range delays {
				select {
				case drawn <- d:
				case <-over:
					return
				}
			}
		}()
		for {
			select {
			case d, more := <-drawn:
				if !more || !yield(d) {
					return
				}
			case <-ctx.Done():
				cut()
				return
			}
		}
	}
}
