package adapt_test

import (
	"iter"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/backofftest"
)

// A script is a policy of each of the three kinds: it gives the delays in order, and
// remembers its place until it is reset.
type script struct {
	delays []time.Duration
	next   int
}

func (s *script) Reset() { s.next = 0 }

// NextBackOff ends with −1, as cenkalti's policies do.
func (s *script) NextBackOff() time.Duration {
	d, stop := s.Next()
	if stop {
		return -1
	}
	return d
}

func (s *script) Next() (delay time.Duration, stop bool) {
	if s.next >= len(s.delays) {
		return 0, true
	}
	s.next++
	return s.delays[s.next-1], false
}

func fromScript(newPolicy func() *script) iter.Seq[time.Duration] {
	return adapt.FromPolicy(newPolicy, func(s *script) (time.Duration, bool) {
		d, stop := s.Next()
		return d, !stop
	})
}

// TestFrom: each function gives the policy's delays up to its end, and the same again.
func TestFrom(t *testing.T) {
	delays := []time.Duration{3, 0, -1, 5}
	fresh := func() *script { return &script{delays: delays} }
	for _, test := range []struct {
		name string
		seq  iter.Seq[time.Duration]
		want []time.Duration
	}{
		{"From", backoff.Take(adapt.From(func(n int) time.Duration { return delays[n] }), len(delays)), []time.Duration{3, 0, 0, 5}},
		{"FromBackOff ends at a negative delay", adapt.FromBackOff(fresh), []time.Duration{3, 0}},
		{"FromNext", adapt.FromNext(fresh), []time.Duration{3, 0, 0, 5}},
		{"FromPolicy", fromScript(fresh), []time.Duration{3, 0, 0, 5}},
		{"FromBackOff, empty", adapt.FromBackOff(func() *script { return new(script) }), nil},
		{"FromNext, empty", adapt.FromNext(func() *script { return new(script) }), nil},
		{"FromPolicy, empty", fromScript(func() *script { return new(script) }), nil},
	} {
		for _, when := range []string{"first", "second"} {
			if d := cmp.Diff(test.want, slices.Collect(test.seq)); d != "" {
				t.Errorf("%s, %s range (-want +got):\n%s", test.name, when, d)
			}
		}
	}
}

// TestFromBackOffEnds: at every negative delay, even those that cenkalti/backoff takes
// for 0.
func TestFromBackOffEnds(t *testing.T) {
	for _, end := range []time.Duration{-1, -2, -time.Second, math.MinInt64} {
		seq := adapt.FromBackOff(func() *script { return &script{delays: []time.Duration{7, end, 8}} })
		if d := cmp.Diff([]time.Duration{7}, slices.Collect(seq)); d != "" {
			t.Errorf("with %d (-want +got):\n%s", end, d)
		}
	}
}

// TestFromBackOffResets: a policy that was used before, or is used again, starts at its
// first delay, as Retry of cenkalti/backoff has it.
func TestFromBackOffResets(t *testing.T) {
	shared := &script{delays: []time.Duration{1, 2, 3}}
	shared.NextBackOff()
	seq := adapt.FromBackOff(func() *script { return shared })
	for range 2 {
		if d := cmp.Diff([]time.Duration{1, 2}, slices.Collect(backoff.Take(seq, 2))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// TestFromIsLazy: a range asks a policy no further than it is read, and not before.
func TestFromIsLazy(t *testing.T) {
	var made []*script
	newScript := func() *script {
		s := &script{delays: []time.Duration{1, 2, 3, 4, 5}}
		made = append(made, s)
		return s
	}
	for name, seq := range map[string]iter.Seq[time.Duration]{
		"FromBackOff": adapt.FromBackOff(newScript),
		"FromNext":    adapt.FromNext(newScript),
		"FromPolicy":  fromScript(newScript),
	} {
		made = nil
		for d := range seq {
			if len(made) != 1 || made[0].next != int(d) {
				t.Fatalf("%s: %d policies, the first asked %d times at delay %d", name, len(made), made[0].next, d)
			}
			if d == 3 {
				break
			}
		}
		if made[0].next != 3 {
			t.Errorf("%s: asked %d times for 3 delays", name, made[0].next)
		}
	}
}

// TestFromContract: a schedule of new policies keeps the contract.
func TestFromContract(t *testing.T) {
	newScript := func() *script { return &script{delays: []time.Duration{4, 4, 5, 9, math.MaxInt64}} }
	for name, seq := range map[string]iter.Seq[time.Duration]{
		"From":        backoff.Take(adapt.From(func(n int) time.Duration { return newScript().delays[n] }), 5),
		"FromBackOff": adapt.FromBackOff(newScript),
		"FromNext":    adapt.FromNext(newScript),
		"FromPolicy":  fromScript(newScript),
	} {
		t.Run(name, func(t *testing.T) {
			backofftest.Run(t, func(uint64) iter.Seq[time.Duration] { return seq },
				backofftest.Delays(5), backofftest.Monotone(), backofftest.Between(4, math.MaxInt64))
		})
	}
}

// TestFromBreaks: backofftest finds what the comment of FromPolicy says it finds.
func TestFromBreaks(t *testing.T) {
	shared := &script{delays: []time.Duration{1, 2, 3}}
	wraps := func(last time.Duration) iter.Seq[time.Duration] {
		return adapt.FromPolicy(func() *time.Duration { d := time.Second; return &d },
			func(d *time.Duration) (time.Duration, bool) {
				if *d < 0 || *d > math.MaxInt64/2 {
					*d = last // what an overflow leaves
				} else {
					*d *= 2
				}
				return *d, true
			})
	}
	for _, test := range []struct {
		name string
		seq  iter.Seq[time.Duration]
		opts []backofftest.Option
		ok   bool
	}{
		{"a shared policy", fromScript(func() *script { return shared }), nil, false},
		{"a shared policy that is reset", adapt.FromBackOff(func() *script { return shared }), nil, false},
		{"wraps to a negative delay", wraps(math.MinInt64), nil, false},
		{"wraps to a positive delay, unseen", wraps(time.Second), nil, true},
		{"wraps to a positive delay", wraps(time.Second), []backofftest.Option{backofftest.Monotone()}, false},
	} {
		err := backofftest.Check(func(uint64) iter.Seq[time.Duration] { return test.seq }, test.opts...)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// An aging is a policy like ExponentialBackOff of cenkalti/backoff v4: it ends some
// time after its Reset.
type aging struct{ reset time.Time }

func (a *aging) Reset() { a.reset = time.Now() }

func (a *aging) NextBackOff() time.Duration {
	if time.Since(a.reset) > 15*time.Minute {
		return -1
	}
	return time.Minute
}

// TestFromBackOffReadsTheClock: a policy that ends after some time ends in a loop that
// waits, and not in one that only looks.
func TestFromBackOffReadsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seq := adapt.FromBackOff(func() *aging { return new(aging) })
		if got := len(slices.Collect(backoff.Take(seq, 1000))); got != 1000 {
			t.Errorf("a loop that looks has %d delays, want 1000 and more", got)
		}
		waited := 0
		for d := range seq {
			time.Sleep(d)
			waited++
		}
		if waited != 16 {
			t.Errorf("a loop that waits has %d delays, want 16", waited)
		}
	})
}

func TestFromPanics(t *testing.T) {
	newScript := func() *script { return new(script) }
	for want, f := range map[string]func(){
		"adapt: From: delay is nil, want a function":             func() { adapt.From(nil) },
		"adapt: FromBackOff: newBackOff is nil, want a function": func() { adapt.FromBackOff[*script](nil) },
		"adapt: FromNext: newBackoff is nil, want a function":    func() { adapt.FromNext[*script](nil) },
		"adapt: FromPolicy: newPolicy is nil, want a function":   func() { fromScript(nil) },
		"adapt: FromPolicy: next is nil, want a function":        func() { adapt.FromPolicy(newScript, nil) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %v", got, want)
				}
			}()
			f()
		})
	}
}
