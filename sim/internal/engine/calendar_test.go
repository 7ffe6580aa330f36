package engine

import (
	"container/heap"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A Calendar returns events in sorted order, whenever they were added.
func TestCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := time.Duration(rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 1e6), rapid.Int64Range(0, int64(Never)-1)).Draw(t, "end"))
		calendar := NewCalendar(rapid.IntRange(1, 20_000).Draw(t, "n"), end)
		var model []Event
		now := time.Duration(0)
		far := func() int64 { return min(int64(end-now), int64(Never-now)-2) + 2 }
		in := func(hi int64) time.Duration { return now + time.Duration(rapid.Int64Range(0, hi).Draw(t, "in")) }
		client := uint32(0)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "add") {
				// One, or many that come close together.
				at := rapid.SampledFrom([]time.Duration{in(far()), in(min(3, far()))}).Draw(t, "at")
				for range rapid.SampledFrom([]int{1, 1, 1, 100}).Draw(t, "many") {
					client = client*5 + 1 // in no order
					e := Event{at, client, client + 1}
					calendar.Add(e)
					if at < end {
						model = append(model, e)
					}
				}
				continue
			}
			want := Event{At: Never}
			if len(model) > 0 {
				want = slices.MinFunc(model, order)
			}
			if want.At > now {
				limit := rapid.SampledFrom([]time.Duration{now, want.At - 1}).Draw(t, "limit")
				if e := calendar.Next(limit); e.At != Never {
					t.Fatalf("%v before the earliest, %v", e, want)
				}
			}
			got := calendar.Next(rapid.SampledFrom([]time.Duration{want.At, Never}).Draw(t, "limit"))
			if got != want {
				t.Fatalf("Next() = %v, want %v", got, want)
			}
			if want.At != Never {
				calendar.Take()
				model = slices.DeleteFunc(model, func(e Event) bool { return e == want })
				now = want.At
			}
		}
	})
}

// Many events at the same time come in order, also those that are added for the current
// time.
func TestCalendarOfOneTime(t *testing.T) {
	const n = 300_000
	calendar := NewCalendar(n, time.Second)
	for i := range uint32(n) {
		calendar.Add(Event{time.Millisecond, i * 7919 % n, 0})
	}
	for i := range uint32(2 * n) {
		e := calendar.Next(Never)
		calendar.Take()
		if e.At != time.Millisecond || e.Client != i%n || e.Tag != i/n {
			t.Fatalf("event %d is %v, want client %d's, %d for the second time", i, e, i%n, i/n)
		}
		if i == n-1 {
			for i := range uint32(n) {
				calendar.Add(Event{time.Millisecond, i * 7919 % n, 1})
			}
		}
	}
}

// The events of one day come in order, however long a day is, and whether they are few enough
// to be sorted at once or are sorted by the hour.
func TestCalendarOfOneDay(t *testing.T) {
	for _, end := range []time.Duration{1, 1 << 14, 1 << 20, time.Second, time.Hour, Never - 1} {
		for _, n := range []int{1, 64, 65, 1000} {
			calendar := NewCalendar(1, end)
			day := min(1<<calendar.shift, end)
			var want, got []Event
			for i := range n {
				e := Event{At: day / time.Duration(n) * time.Duration(i*7919%n), Client: uint32(i)}
				calendar.Add(e)
				want = append(want, e)
			}
			slices.SortFunc(want, order)
			for e := calendar.Next(Never); e.At != Never; e = calendar.Next(Never) {
				calendar.Take()
				got = append(got, e)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d events in a day of %v (-want +got):\n%s", n, day, diff)
			}
		}
	}
}

// A page is in one list at a time, of a day or of the pages that can be used again, and each
// page that there is, is in one.
func TestCalendarPages(t *testing.T) {
	const clients = 500
	calendar, r := NewCalendar(clients, time.Minute), NewRand(1)
	check := func(when string) {
		t.Helper()
		in := make([]int, calendar.count+1) // lists that have the page
		for _, last := range append(slices.Clone(calendar.days), calendar.unused) {
			for n := last; n != 0; n = calendar.page(n).before {
				if in[n]++; in[n] > 1 {
					t.Fatalf("%s: page %d is in two lists", when, n)
				}
			}
		}
		if lost := slices.Index(in[1:], 0); lost >= 0 {
			t.Fatalf("%s: page %d is in no list", when, lost+1)
		}
	}
	think := func() time.Duration { return time.Duration(r.Uint64N(uint64(time.Second))) }
	for i := range uint32(clients) {
		calendar.Add(Event{think(), i, 0})
	}
	for range 4 * clients {
		e := calendar.Next(Never)
		calendar.Take()
		check("after Take")
		e.At += think()
		calendar.Add(e)
		check("after Add")
	}
	if calendar.count > 2*clients {
		t.Errorf("%d pages for %d events, want them used again", calendar.count, clients)
	}
}

// BenchmarkQueue measures an event, with one event for each client at all times.
func BenchmarkQueue(b *testing.B) {
	const think = 10 * time.Second
	after := func(r *Rand) time.Duration { return time.Duration(r.Uint64N(uint64(2 * think))) }
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("Tree/clients=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			tree, r := NewTree(n), NewRand(1)
			for i := range n {
				tree.Set(i, after(&r))
			}
			for b.Loop() {
				i, at := tree.Next()
				tree.Set(i, at+after(&r))
			}
		})
		b.Run(fmt.Sprintf("Calendar/clients=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			r := NewRand(1)
			newYear := func() *Calendar {
				calendar := NewCalendar(n, 100*time.Second)
				for i := range n {
					calendar.Add(Event{after(&r), uint32(i), 0})
				}
				return calendar
			}
			calendar := newYear()
			for b.Loop() {
				e := calendar.Next(Never)
				if e.At == Never {
					b.StopTimer()
					calendar = newYear()
					b.StartTimer()
					continue
				}
				calendar.Take()
				e.At += after(&r)
				calendar.Add(e)
			}
		})
		b.Run(fmt.Sprintf("heap/clients=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			r := NewRand(1)
			var h eventHeap
			for i := range n {
				heap.Push(&h, Event{after(&r), uint32(i), 0})
			}
			for b.Loop() {
				e := heap.Pop(&h).(Event)
				e.At += after(&r)
				heap.Push(&h, e)
			}
		})
	}
}

type eventHeap []Event

func (h eventHeap) Len() int           { return len(h) }
func (h eventHeap) Less(i, j int) bool { return order(h[i], h[j]) < 0 }
func (h eventHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(e any)        { *h = append(*h, e.(Event)) }
func (h *eventHeap) Pop() any {
	e := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return e
}
