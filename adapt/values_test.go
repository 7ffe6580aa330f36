package adapt_test

import (
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/adapt"
)

func TestList(t *testing.T) {
	for _, row := range []struct {
		name string
		seq  iter.Seq[time.Duration]
		n    int
		want []time.Duration
	}{
		{"none", list(3, 5), 0, []time.Duration{}},
		{"some", list(3, 5, 7), 2, []time.Duration{3, 5}},
		{"all", list(3, 5, 7), 3, []time.Duration{3, 5, 7}},
		{"more than there are", list(3, 5, 7), math.MaxInt, []time.Duration{3, 5, 7}},
		{"empty", list(), 3, []time.Duration{}},
		{"0 and below", list(0, 1, -1, 2), 4, []time.Duration{1, 1, 1, 2}},
		{"endless", backoff.Exponential(time.Second, 2), 3, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
		{"the largest delay", backoff.Constant(backoff.NoLimit), 1, []time.Duration{backoff.NoLimit}},
	} {
		if diff := cmp.Diff(row.want, adapt.List(row.seq, row.n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestListIsTake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := schedules().Draw(t, "schedule")
		n := rapid.IntRange(0, 20).Draw(t, "n")
		want := slices.AppendSeq([]time.Duration{}, backoff.Floor(backoff.Take(d.seq, n), 1))
		if diff := cmp.Diff(want, adapt.List(d.seq, n)); diff != "" {
			t.Fatalf("%d delays of %v (-want +got):\n%s", n, d, diff)
		}
	})
}

func TestSeconds(t *testing.T) {
	for _, row := range []struct {
		delay  time.Duration
		lo, hi int32
		want   int32
	}{
		{0, 0, 43200, 0},
		{1, 0, 43200, 1},
		{time.Second - 1, 0, 43200, 1},
		{time.Second, 0, 43200, 1},
		{time.Second + 1, 0, 43200, 2},
		{12*time.Hour - 1, 0, 43200, 43200},
		{12 * time.Hour, 0, 43200, 43200},
		{12*time.Hour + 1, 0, 43200, 43200},
		{-1, 0, 43200, 0},
		{0, 1, 600, 1},
		{0, 10, 10, 10},
		{time.Hour, 10, 10, 10},
		{math.MaxInt32*time.Second - 1, 0, math.MaxInt32, math.MaxInt32},
		{math.MaxInt32 * time.Second, 0, math.MaxInt32, math.MaxInt32},
		{(math.MaxInt32 - 1) * time.Second, 0, math.MaxInt32, math.MaxInt32 - 1},
		{1 << 32 * time.Second, 0, math.MaxInt32, math.MaxInt32}, // 0 in the low 32 bits
		{backoff.NoLimit, 0, 43200, 43200},
		{backoff.NoLimit, 0, math.MaxInt32, math.MaxInt32},
		{backoff.NoLimit, 0, 0, 0},
	} {
		if got := adapt.Seconds(list(row.delay), 0, row.lo, row.hi); got != row.want {
			t.Errorf("%d ns in [%d, %d] are %d s, want %d", row.delay, row.lo, row.hi, got, row.want)
		}
	}
	seq := list(time.Second, 2*time.Second)
	for retry, want := range []int32{1, 2, 2, 2} {
		if got := adapt.Seconds(seq, retry, 0, 9); got != want {
			t.Errorf("retry %d: %d s, want %d", retry, got, want)
		}
	}
	if got := adapt.Seconds(list(), 3, 0, 9); got != 0 {
		t.Errorf("an empty schedule: %d s, want 0", got)
	}
}

func TestTime(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 1, time.UTC)
	end := time.Unix(1<<63-1-62135596800, 999_999_999) // the latest time.Time
	for _, row := range []struct {
		name  string
		seq   iter.Seq[time.Duration]
		retry int
		now   time.Time
		want  time.Time
	}{
		{"the first", list(3, 5), 0, now, now.Add(3)},
		{"the second", list(3, 5), 1, now, now.Add(5)},
		{"after the last", list(3, 5), 9, now, now.Add(5)},
		{"below 0", list(3, 5), -9, now, now.Add(3)},
		{"empty", list(), 0, now, now},
		{"a negative delay", list(-5), 0, now, now},
		{"the zero time", list(3), 0, time.Time{}, time.Time{}.Add(3)},
		{"the largest delay", list(backoff.NoLimit), 0, now, now.Add(math.MaxInt64)},
		{"1 s before the end", list(time.Second), 0, end.Add(-time.Second), end},
		{"over the end", list(1500 * time.Millisecond), 0, end, end},
		{"far over the end", list(backoff.NoLimit), 0, end, end},
	} {
		if got := adapt.Time(row.seq, row.retry, row.now); !got.Equal(row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
	zone := time.FixedZone("there", 3600)
	if got := adapt.Time(list(3), 0, now.In(zone)); got.Location() != zone {
		t.Errorf("the time zone is %v, want %v", got.Location(), zone)
	}
}

func TestValuesRefuse(t *testing.T) {
	seq := list(1)
	for want, f := range map[string]func(){
		"adapt: List: seq is nil, want a schedule":    func() { adapt.List(nil, 1) },
		"adapt: List: n is -1, want >= 0":             func() { adapt.List(seq, -1) },
		"adapt: Seconds: seq is nil, want a schedule": func() { adapt.Seconds(nil, 0, 0, 1) },
		"adapt: Seconds: lo is -1, want >= 0":         func() { adapt.Seconds(seq, 0, -1, 1) },
		"adapt: Seconds: hi is 1, want >= 2":          func() { adapt.Seconds(seq, 0, 2, 1) },
		"adapt: Time: seq is nil, want a schedule":    func() { adapt.Time(nil, 0, time.Now()) },
	} {
		if got := panicOf(f); got != any(want) {
			t.Errorf("panic %v, want %v", got, want)
		}
	}
}
