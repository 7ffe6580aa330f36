package retry

import "time"

// parts is how many slices a window has. An event is forgotten with its slice, so it
// counts for at least 99/100 of the window, and less than the whole.
const parts = 100

// window counts the events of the latest time. Its methods get the time since it began,
// which does not decrease.
type window struct {
	slice  time.Duration
	counts [parts]int64 // of slice n, counting from 0, at n mod parts
	sum    int64
	latest int64 // the number of the latest slice
}

func newWindow(length time.Duration) window {
	return window{slice: max(length/parts, 1)}
}

// add counts an event.
func (w *window) add(now time.Duration) {
	w.forget(now)
	w.counts[w.latest%parts]++
	w.sum++
}

// count returns the number of events that are not forgotten.
func (w *window) count(now time.Duration) int64 {
	w.forget(now)
	return w.sum
}

// forget empties the slices of the past that the slices since the latest one replace.
func (w *window) forget(now time.Duration) {
	current := int64(now / w.slice)
	for range min(current-w.latest, parts) {
		w.latest++
		oldest := &w.counts[w.latest%parts]
		w.sum -= *oldest
		*oldest = 0
	}
	w.latest = current
}
