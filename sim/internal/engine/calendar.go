package engine

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// A Calendar is a queue of events. Use it for more than a few thousand clients: to add and
// to take an event costs the same for a thousand clients as for a million, apart from cache
// misses. There are few of those, because a calendar writes and reads its memory in order.
//
// It is the calendar queue of R. Brown, [Calendar Queues], Comm. ACM 31 (1988), of one
// year. The time until the end is divided into days. Add writes an event on a page of its
// day, unsorted. The events of a day are sorted when the day comes. Events that are added to
// the current day go into a small heap. Pages are used again.
//
// If two events have the same time, the client with the lower number comes first.
//
// [Calendar Queues]: https://doi.org/10.1145/63039.63045
type Calendar struct {
	end   time.Duration
	shift uint     // a day has 2^shift ns
	days  []uint32 // the last page of each day, plus 1

	pages  [][]page
	unused uint32 // the first page that can be used again, plus 1
	count  uint32 // number of pages

	day    int     // the current day
	sorted []Event // its events from before it came, the earliest last
	today  []Event // its events that were added since, a heap
	spare  []Event // memory for sorting
	chain  []uint32
}

// An Event is the event of a client. The model decides what the tag means.
type Event struct {
	At     time.Duration
	Client uint32
	Tag    uint32
}

// A page takes two cache lines.
type page struct {
	events [7]Event
	used   uint32
	before uint32 // the previous page of the day, plus 1
}

const (
	pageChunk = 1 << 10
	maxDays   = 1 << 14
)

// NewCalendar returns a calendar without events, for about n clients, that ends at end, 0 <=
// end < [Never].
func NewCalendar(n int, end time.Duration) *Calendar {
	// Fewer days have more to sort each. More days have emptier pages.
	days := min(max(n, 1<<12), maxDays)
	shift := uint(max(bits.Len64(uint64(end))-bits.Len(uint(days))+1, 0))
	return &Calendar{end: end, shift: shift, days: make([]uint32, end>>shift+1), day: -1}
}

// Add adds an event, which must not be before the last event that was taken. It ignores an
// event at or after the calendar's end.
func (c *Calendar) Add(e Event) {
	if e.At >= c.end {
		return
	}
	day := int(e.At >> c.shift)
	if day <= c.day {
		c.push(e)
		return
	}
	n := c.days[day]
	if n == 0 || c.page(n).used == uint32(len(page{}.events)) {
		n = c.newPage(n)
		c.days[day] = n
	}
	p := c.page(n)
	p.events[p.used] = e
	p.used++
}

// page returns page n − 1.
func (c *Calendar) page(n uint32) *page {
	n--
	return &c.pages[n/pageChunk][n%pageChunk]
}

func (c *Calendar) newPage(before uint32) uint32 {
	n := c.unused
	if n > 0 {
		c.unused = c.page(n).before
	} else {
		if c.count%pageChunk == 0 {
			c.pages = append(c.pages, make([]page, pageChunk))
		}
		c.count++
		n = c.count
	}
	p := c.page(n)
	p.used, p.before = 0, before
	return n
}

// Next returns the earliest event if it is not after limit, and an event at [Never] if it
// is. Pass the time of the next event from elsewhere as limit, so that the calendar does
// not turn to a later day too early.
func (c *Calendar) Next(limit time.Duration) Event {
	if len(c.sorted) == 0 && len(c.today) == 0 {
		c.turn(limit)
	}
	next := Event{At: Never}
	if n := len(c.sorted); n > 0 {
		next = c.sorted[n-1]
	}
	if len(c.today) > 0 && order(c.today[0], next) < 0 {
		next = c.today[0]
	}
	if next.At > limit {
		return Event{At: Never}
	}
	return next
}

// Take removes the event that [Calendar.Next] returned.
func (c *Calendar) Take() {
	n := len(c.sorted)
	if len(c.today) == 0 || n > 0 && order(c.sorted[n-1], c.today[0]) < 0 {
		c.sorted = c.sorted[:n-1]
		return
	}
	c.pop()
}

func order(a, b Event) int {
	if a.At != b.At {
		return cmp.Compare(a.At, b.At)
	}
	return cmp.Compare(a.Client, b.Client)
}

// turn turns to the next day with events, if there is one up to limit.
func (c *Calendar) turn(limit time.Duration) {
	last := int(min(limit, c.end) >> c.shift)
	for c.day < last {
		c.day++
		if c.days[c.day] != 0 {
			c.sort(c.day)
			return
		}
	}
}

// sort moves the events of a day to sorted.
func (c *Calendar) sort(day int) {
	// The first page comes first, in the order of Add. Often that is nearly the order of
	// time, and sorting is then faster.
	pages := c.chain[:0]
	for n := c.days[day]; n != 0; n = c.page(n).before {
		pages = append(pages, n)
	}
	c.chain = pages
	events := c.spare[:0]
	for _, n := range slices.Backward(pages) {
		p := c.page(n)
		events = append(events, p.events[:p.used]...)
		p.before, c.unused = c.unused, n
	}
	c.days[day] = 0
	latestFirst := func(a, b Event) int { return order(b, a) }
	if len(events) <= 64 {
		slices.SortFunc(events, latestFirst)
		c.sorted, c.spare = events, c.sorted
		return
	}
	// Events are sorted by the hour, and then within each hour, which is faster than
	// sorting them at once, also if all are in the same hour.
	c.spare = events
	c.sorted = slices.Grow(c.sorted[:0], len(events))[:len(events)]
	const hours = 256
	shift := max(c.shift, 8) - 8
	hour := func(e Event) int { return hours - 1 - int(e.At>>shift)&(hours-1) }
	var ends [hours]int
	for _, e := range events {
		ends[hour(e)]++
	}
	total := 0
	for h, n := range ends {
		ends[h] = total
		total += n
	}
	for _, e := range events {
		h := hour(e)
		c.sorted[ends[h]] = e
		ends[h]++
	}
	start := 0
	for _, end := range ends {
		if end-start > 1 {
			slices.SortFunc(c.sorted[start:end], latestFirst)
		}
		start = end
	}
}

// push adds an event to the heap of the current day.
func (c *Calendar) push(e Event) {
	c.today = append(c.today, e)
	h := c.today
	i := len(h) - 1
	for i > 0 && order(e, h[(i-1)/2]) < 0 {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = e
}

// pop removes the first event from the heap of the current day.
func (c *Calendar) pop() {
	n := len(c.today) - 1
	e := c.today[n]
	c.today = c.today[:n]
	h := c.today
	i := 0
	for 2*i+1 < n {
		below := 2*i + 1
		if below+1 < n && order(h[below+1], h[below]) < 0 {
			below++
		}
		if order(e, h[below]) <= 0 {
			break
		}
		h[i] = h[below]
		i = below
	}
	if n > 0 {
		h[i] = e
	}
}
