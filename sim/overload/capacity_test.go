package overload

import (
	"context"
	"iter"
	"math"
	"testing"
	"time"

	"example.com/backoff"
	"pgregory.net/rapid"
)

// laws are latencies with their capacities, computed by hand: Scale/ln Factor is 307.44,
// and 307/(0.1·1.05^(277/15)) is 1246.93; a Limit above that is best itself.
var laws = []struct {
	law  Latency
	want float64
}{
	{Default().Latency, 1246.93},
	{ExponentialLatency{Base: 100 * time.Millisecond, Limit: 400, Factor: 1.05, Scale: 15}, 4000},
	{ExponentialLatency{Base: 100 * time.Millisecond, Limit: 0, Factor: 2, Scale: 1}, 5},
	{ExponentialLatency{Base: 100 * time.Millisecond, Limit: 30, Factor: 1, Scale: 1}, math.Inf(1)},
	{ExponentialLatency{Base: time.Hour, Limit: 0, Factor: math.MaxFloat64, Scale: 5e-324}, 0},
	{ExponentialLatency{Base: time.Second, Limit: 0, Factor: 1.05, Scale: 1e12}, 1e12 / math.Log(1.05) / math.E},
	{ExponentialLatency{Base: time.Second, Limit: 0, Factor: 1.05, Scale: 1e30}, 1e30 / math.Log(1.05) / math.E},
	// Scale/ln Factor is 24.66, and n·1.5^(−n/10)/Base is larger at 25 than at 24. At, in
	// whole nanoseconds, is far below the formula: 2 ns for 25 open instead of 2.76 ns.
	{ExponentialLatency{Base: 1, Limit: 0, Factor: 1.5, Scale: 10}, 9072184232.5303},
	{ExponentialLatency{Base: 2, Limit: 0, Factor: 1.5, Scale: 10}, 4536092116.2651},
	{LinearLatency{Base: 100 * time.Millisecond, PerOpen: 2 * time.Millisecond}, 500},
	{LinearLatency{Base: 100 * time.Millisecond}, math.Inf(1)},
}

func TestCapacity(t *testing.T) {
	for _, test := range laws {
		if got := test.law.Capacity(); !(math.Abs(got-test.want) < max(0.005, 1e-8*test.want)) && got != test.want {
			t.Errorf("%+v: capacity %v, want %v", test.law, got, test.want)
		}
	}
}

// The capacity is no less than open/At(open) for any open whose At is not saturated, and some
// open comes near it. At is cut to whole nanoseconds, so a latency is up to 1 ns longer.
func capacityIsTheSupremum(t interface{ Fatalf(string, ...any) }, law Latency) {
	capacity, best := law.Capacity(), 0.0
	for open := 1; open < 1<<28 && law.At(open) < backoff.NoLimit; open += 1 + open/5000 {
		best = max(best, float64(open)/(law.At(open).Seconds()+1e-9))
	}
	if best > capacity*(1+1e-9) || best < capacity*0.999 {
		t.Fatalf("%+v: capacity %v, and up to %v by At", law, capacity, best)
	}
}

func TestCapacityIsTheSupremum(t *testing.T) {
	for _, law := range []ExponentialLatency{
		{Base: 100 * time.Microsecond, Factor: 1.01, Scale: 6.25},
		{Base: 5237404 * time.Nanosecond, Factor: 3, Scale: 0.125},
	} {
		capacityIsTheSupremum(t, law)
	}
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1e5, 1e9).Draw(t, "base"))
		var law Latency = ExponentialLatency{
			Base: base, Limit: rapid.IntRange(0, 100).Draw(t, "limit"),
			Factor: rapid.Float64Range(1.01, 3).Draw(t, "factor"), Scale: rapid.Float64Range(0.1, 20).Draw(t, "scale"),
		}
		if rapid.Bool().Draw(t, "linear") {
			law = LinearLatency{base, time.Duration(rapid.Int64Range(1e5, 1e9).Draw(t, "per open"))}
		}
		capacityIsTheSupremum(t, law)
	})
}

// Operations that begin at a steady rate below the capacity settle at the n open requests
// for which n = rate·At(n); a server that polls takes up to a Poll longer for each. Above
// the capacity the open requests rise without end: here by a tenth of what arrives.
func TestCapacityOfARun(t *testing.T) {
	for _, law := range []Latency{Default().Latency, LinearLatency{100 * time.Millisecond, 2 * time.Millisecond}} {
		for _, poll := range []time.Duration{0, 50 * time.Millisecond} {
			open := func(rate float64) (mean float64, last int64) {
				config := Default()
				config.Schedule = func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(0), 0) }
				config.Clients, config.Rate, config.Timeout = 0, rate, time.Hour
				config.Latency, config.Poll, config.Accept = law, poll, 0
				config.Trigger.For, config.After = 0, 105*time.Second
				result, err := Run(context.Background(), config)
				if err != nil {
					t.Fatal(err)
				}
				seconds := result.Reps[0].Seconds
				for _, s := range seconds[60:] {
					mean += float64(s.Open) / 60
				}
				return mean, seconds[119].Open
			}
			rate := 0.7 * law.Capacity()
			settled := func(longer time.Duration) float64 {
				n := 1
				for float64(n) < rate*(law.At(n)+longer).Seconds() {
					n++
				}
				return float64(n)
			}
			// The means of 60 seconds are right to a few percent.
			if got, _ := open(rate); got < 0.93*settled(0) || got > 1.07*settled(poll) {
				t.Errorf("%+v, poll %v: %.0f open at %.0f a second, want %.0f to %.0f", law, poll, got, rate, settled(0), settled(poll))
			}
			rate = 1.1 * law.Capacity()
			if _, last := open(rate); float64(last) < 0.09*rate*120 {
				t.Errorf("%+v, poll %v: %d open in the end at %.0f a second, 10 %% above the capacity; want more than %.0f", law, poll, last, rate, 0.09*rate*120)
			}
		}
	}
}

// A server that takes 1 ms to accept a request answers 1,000 a second, also if its latency
// has a higher capacity, and its queue fills up.
func TestCapacityOfAccept(t *testing.T) {
	config := Default()
	config.Schedule = func(uint64) iter.Seq[time.Duration] { return backoff.Take(backoff.Constant(0), 0) }
	config.Clients, config.Rate, config.Timeout = 0, 1500, time.Hour
	config.Latency, config.Poll, config.Accept = LinearLatency{time.Millisecond, time.Microsecond}, 0, time.Millisecond
	config.Warmup, config.Trigger.For, config.After = 10*time.Second, 0, 5*time.Second
	result, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	for n, s := range result.Reps[0].Seconds[10:] {
		if s.OK != 1000 || s.Queued != int64(config.Queue) {
			t.Errorf("second %d: %d answers and %d in the queue, want 1000 and %d", 10+n, s.OK, s.Queued, config.Queue)
		}
	}
}
