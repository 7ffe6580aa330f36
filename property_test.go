package backoff_test

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/internal/samples"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// some is how many delays of a schedule a law compares.
const some = 40

// law checks a property under its name.
func law(t *testing.T, name string, property func(t *rapid.T)) {
	t.Helper()
	t.Run(name, rapid.MakeCheck(property))
}

// same fails unless the two schedules have the same first delays and, if they are
// short, the same length. The failure prints the texts.
func same(t *rapid.T, want, got iter.Seq[time.Duration], texts ...any) {
	t.Helper()
	if diff := cmp.Diff(prefix(want, some), prefix(got, some)); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", fmt.Sprintln(texts...), diff)
	}
}

// probe returns seq and counts in drawn how many delays are drawn from it.
func probe(seq iter.Seq[time.Duration], drawn *int) iter.Seq[time.Duration] {
	return backoff.Map(seq, func(d time.Duration) time.Duration {
		*drawn++
		return d
	})
}

func TestContract(t *testing.T) {
	law(t, "ranging again starts again", func(t *rapid.T) {
		e := expressions().Draw(t, "schedule")
		for range backoff.Take(e.seq, counts().Draw(t, "delays of a range that breaks off")) {
		}
		same(t, e.seq, e.seq, e)
	})

	law(t, "one range inside another", func(t *rapid.T) {
		e := expressions().Draw(t, "schedule")
		want := prefix(e.seq, 6)
		i := 0
		for d := range backoff.Take(e.seq, 6) {
			if d != want[i] {
				t.Fatalf("delay %d of the outer range is %d, want %d", i, d, want[i])
			}
			if diff := cmp.Diff(want, prefix(e.seq, 6)); diff != "" {
				t.Fatalf("the inner range (-want +got):\n%s", diff)
			}
			i++
		}
	})

	law(t, "8 goroutines at once", func(t *rapid.T) {
		e := expressions().Draw(t, "schedule")
		want := prefix(e.seq, some)
		var wg sync.WaitGroup
		var got [8][]time.Duration
		for i := range got {
			wg.Go(func() { got[i] = prefix(e.seq, some) })
		}
		wg.Wait()
		for i := range got {
			if diff := cmp.Diff(want, got[i]); diff != "" {
				t.Fatalf("goroutine %d (-want +got):\n%s", i, diff)
			}
		}
	})

	law(t, "never negative", func(t *rapid.T) {
		e := expressions().Draw(t, "schedule")
		n := 0
		for d := range backoff.Take(e.seq, 200) {
			if d < 0 {
				t.Fatalf("delay %d is %d", n, d)
			}
			n++
		}
	})

	law(t, "yield is not called after it returned false", func(t *rapid.T) {
		e := expressions().Draw(t, "schedule")
		stop := counts().Draw(t, "stop at")
		calls := 0
		e.seq(func(time.Duration) bool {
			calls++
			return calls <= stop
		})
		if calls > stop+1 {
			t.Fatalf("yield was called %d times and returned false the %dth", calls, stop+1)
		}
	})

	law(t, "a panic in the loop passes through", func(t *rapid.T) {
		e := expressions().Draw(t, "schedule")
		defer func() {
			if got := recover(); got != nil && got != "loop" {
				t.Fatalf("panic %v, want the loop's own", got)
			}
		}()
		for range e.seq {
			panic("loop")
		}
	})
}

// pullsOne draws a stage that draws exactly one delay for each one that it yields.
func pullsOne() *rapid.Generator[stage] {
	return rapid.OneOf(pointwise(), seededStages())
}

func TestLazy(t *testing.T) {
	law(t, "a pointwise stage draws exactly as many as it yields", func(t *rapid.T) {
		st := pullsOne().Draw(t, "stage")
		stop := counts().Draw(t, "stop after")
		drawn, yielded := 0, 0
		for range st.apply(probe(backoff.Constant(time.Second), &drawn)) {
			if yielded++; yielded == stop+1 {
				break
			}
		}
		if drawn != yielded {
			t.Fatalf("%v drew %d delays for %d", st, drawn, yielded)
		}
	})

	law(t, "Take(n) draws exactly n", func(t *rapid.T) {
		n := counts().Draw(t, "n")
		drawn := 0
		for range backoff.Take(probe(backoff.Constant(time.Second), &drawn), n) {
		}
		if drawn != n {
			t.Fatalf("Take(%d) drew %d delays", n, drawn)
		}
	})

	law(t, "Drop(n) draws n more than it yields", func(t *rapid.T) {
		n, stop := counts().Draw(t, "n"), counts().Draw(t, "stop after")
		drawn, yielded := 0, 0
		for range backoff.Drop(probe(backoff.Constant(time.Second), &drawn), n) {
			if yielded++; yielded == stop+1 {
				break
			}
		}
		if drawn != n+stop+1 {
			t.Fatalf("Drop(%d) drew %d delays for %d", n, drawn, yielded)
		}
	})

	law(t, "Within draws the first delay that does not fit, and no other", func(t *rapid.T) {
		n := counts().Draw(t, "n")
		drawn := 0
		for range backoff.Within(probe(backoff.Constant(time.Second), &drawn), time.Duration(n)*time.Second) {
		}
		if drawn != n+1 {
			t.Fatalf("drew %d delays for %d", drawn, n)
		}
	})

	law(t, "Concat reaches for a schedule when the one before has ended", func(t *rapid.T) {
		n, stop := counts().Draw(t, "n"), counts().Draw(t, "stop after")
		first, second, yielded := 0, 0, 0
		for range backoff.Concat(backoff.Take(probe(backoff.Constant(1), &first), n), probe(backoff.Constant(2), &second)) {
			if yielded++; yielded == stop+1 {
				break
			}
		}
		if first != min(n, stop+1) || second != stop+1-first {
			t.Fatalf("drew %d and %d delays for %d", first, second, yielded)
		}
	})

	law(t, "Max, Min and Add draw one of each", func(t *rapid.T) {
		stop := counts().Draw(t, "stop after")
		for name, join := range joins {
			first, second, yielded := 0, 0, 0
			for range join(probe(backoff.Constant(1), &first), probe(backoff.Constant(2), &second)) {
				if yielded++; yielded == stop+1 {
					break
				}
			}
			if first != stop+1 || second != stop+1 {
				t.Fatalf("%s drew %d and %d delays for %d", name, first, second, yielded)
			}
		}
	})

	law(t, "Max and Add draw nothing of the second when the first has ended", func(t *rapid.T) {
		n := counts().Draw(t, "delays of the first")
		for name, join := range joins {
			if name == "Min" { // goes on with the longer one
				continue
			}
			second := 0
			for range join(backoff.Take(backoff.Constant(1), n), probe(backoff.Constant(2), &second)) {
			}
			if second != n {
				t.Fatalf("%s drew %d delays of the second, want %d", name, second, n)
			}
		}
	})

	law(t, "Func is called for what is yielded, in order", func(t *rapid.T) {
		stop := counts().Draw(t, "stop after")
		asked := []int{}
		yielded := []int{}
		for range backoff.Func(func(n int) time.Duration { asked = append(asked, n); return 0 }) {
			if yielded = append(yielded, len(yielded)); len(yielded) == stop+1 {
				break
			}
		}
		if diff := cmp.Diff(yielded, asked); diff != "" {
			t.Fatalf("n (-want +got):\n%s", diff)
		}
	})
}

// extremes are arguments at the ends of a parameter's range, and some inside.
var extremes = map[string][]any{
	"a duration >= 0":                   {time.Duration(0), time.Duration(1), time.Second, backoff.NoLimit - 1, backoff.NoLimit},
	"a duration >= 0 or none":           {time.Duration(0), time.Duration(1), time.Second, backoff.NoLimit - 1, backoff.NoLimit},
	"a finite number >= 1":              {1., math.Nextafter(1, 2), 2., 0x1p63, math.MaxFloat64},
	"a finite number >= 0":              {0., math.SmallestNonzeroFloat64, 1., 63., 0x1p63, math.MaxFloat64},
	"a number in [0, 1]":                {0., math.SmallestNonzeroFloat64, 0.5, 1.},
	"a whole number in [0, 2147483647]": {0, 1, 100},
	"a schedule":                        {named{"Constant(0)", backoff.Constant(0)}, named{"Constant(NoLimit)", backoff.Constant(backoff.NoLimit)}},
}

// choices returns every way to choose one element of each list.
func choices(lists [][]any) [][]any {
	all := [][]any{nil}
	for _, list := range lists {
		var longer [][]any
		for _, args := range all {
			for _, a := range list {
				longer = append(longer, append(slices.Clone(args), a))
			}
		}
		all = longer
	}
	return all
}

// TestExtremes draws 10,000 delays of every function, with arguments at the ends of
// their ranges. No delay is negative, and nothing panics.
func TestExtremes(t *testing.T) {
	var constants []any
	for _, d := range extremes["a duration >= 0"] {
		constants = append(constants, named{format("Constant", d), backoff.Constant(d.(time.Duration))})
	}
	seeds := []any{named{"WithSeed(1)", backoff.WithSeed(1)}, named{"lowest", lowest}, named{"highest", highest}}
	schedules := map[string]iter.Seq[time.Duration]{}
	for _, s := range expr.Stages() {
		if s.Func == "" {
			continue
		}
		lists := [][]any{}
		if !s.Starts {
			lists = append(lists, constants)
		}
		first := len(lists)
		for _, p := range s.Params {
			if extremes[p.Want] == nil {
				t.Fatalf("no extremes of a parameter that wants %s: add some", p.Want)
			}
			lists = append(lists, extremes[p.Want])
		}
		if s.Random {
			lists = append(lists, seeds)
		}
		for _, args := range choices(lists) {
			if accepted(s, args[first:first+len(s.Params)]) {
				schedules[format(s.Func, args...)] = samples.Call(samples.Of(s.Func).Func, values(args)...)
			}
		}
	}
	n := 10_000
	if testing.Short() {
		n = 100
	}
	for text, seq := range schedules {
		i := 0
		for d := range backoff.Take(seq, n) {
			if d < 0 {
				t.Errorf("%s: delay %d is %d", text, i, d)
				break
			}
			i++
		}
	}
}

func TestTakeAndDrop(t *testing.T) {
	law(t, "Take(Take(s, a), b) = Take(s, min(a, b))", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		a, b := counts().Draw(t, "a"), counts().Draw(t, "b")
		same(t, backoff.Take(e.seq, min(a, b)), backoff.Take(backoff.Take(e.seq, a), b), e)
	})
	law(t, "Drop(Drop(s, a), b) = Drop(s, a+b)", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		a, b := counts().Draw(t, "a"), counts().Draw(t, "b")
		same(t, backoff.Drop(e.seq, a+b), backoff.Drop(backoff.Drop(e.seq, a), b), e)
	})
	law(t, "Drop(Take(s, a), b) = Take(Drop(s, b), max(a−b, 0))", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		a, b := counts().Draw(t, "a"), counts().Draw(t, "b")
		same(t, backoff.Take(backoff.Drop(e.seq, b), max(a-b, 0)), backoff.Drop(backoff.Take(e.seq, a), b), e)
	})
	law(t, "Concat(Take(s, n), Drop(s, n)) = s", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		n := counts().Draw(t, "n")
		same(t, e.seq, backoff.Concat(backoff.Take(e.seq, n), backoff.Drop(e.seq, n)), e)
	})
	law(t, "Take commutes with what works on each delay", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		n := counts().Draw(t, "n")
		st := rapid.OneOf(pointwise(), seededStages()).Draw(t, "stage")
		same(t, backoff.Take(st.apply(e.seq), n), st.apply(backoff.Take(e.seq, n)), st, e)
	})
	law(t, "Drop commutes with what works on each delay", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		n := counts().Draw(t, "n")
		st := pointwise().Draw(t, "stage")
		same(t, backoff.Drop(st.apply(e.seq), n), st.apply(backoff.Drop(e.seq, n)), st, e)
	})
	law(t, "At(s, n) is the first of Drop(s, n)", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		n := counts().Draw(t, "n")
		want := prefix(backoff.Drop(e.seq, n), 1)
		got := []time.Duration{}
		if d, ok := backoff.At(e.seq, n); ok {
			got = append(got, d)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("delay %d (-want +got):\n%s", n, diff)
		}
	})
}

func TestCapAndFloor(t *testing.T) {
	law(t, "Cap(Cap(s, a), b) = Cap(s, min(a, b))", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		a, b := durations().Draw(t, "a"), durations().Draw(t, "b")
		same(t, backoff.Cap(e.seq, min(a, b)), backoff.Cap(backoff.Cap(e.seq, a), b), e)
	})
	law(t, "Floor(Floor(s, a), b) = Floor(s, max(a, b))", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		a, b := durations().Draw(t, "a"), durations().Draw(t, "b")
		same(t, backoff.Floor(e.seq, max(a, b)), backoff.Floor(backoff.Floor(e.seq, a), b), e)
	})
	law(t, "Cap(Floor(s, f), c) = Floor(Cap(s, c), f) for f <= c", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		a, b := durations().Draw(t, "a"), durations().Draw(t, "b")
		f, c := min(a, b), max(a, b)
		same(t, backoff.Floor(backoff.Cap(e.seq, c), f), backoff.Cap(backoff.Floor(e.seq, f), c), e)
	})
	law(t, "Cap(s, NoLimit) = Floor(s, 0) = Scale(s, 1) = Jitter(s, 0) = Spread(s, 0) = s", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		same(t, e.seq, backoff.Cap(e.seq, backoff.NoLimit), e)
		same(t, e.seq, backoff.Floor(e.seq, 0), e)
		same(t, e.seq, backoff.Scale(e.seq, 1), e)
		same(t, e.seq, backoff.Jitter(e.seq, 0), e)
		same(t, e.seq, backoff.Spread(e.seq, 0), e)
	})
	law(t, "Cap(s, c) <= c and Floor(s, f) >= f, with as many delays as s", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		limit := durations().Draw(t, "limit")
		delays := prefix(e.seq, some)
		capped, floored := prefix(backoff.Cap(e.seq, limit), some), prefix(backoff.Floor(e.seq, limit), some)
		if len(capped) != len(delays) || len(floored) != len(delays) {
			t.Fatalf("%d delays, %d capped, %d floored", len(delays), len(capped), len(floored))
		}
		for i, d := range delays {
			if capped[i] != min(d, limit) || floored[i] != max(d, limit) {
				t.Fatalf("delay %d is %d, capped %d, floored %d", i, d, capped[i], floored[i])
			}
		}
	})
}

func TestConcat(t *testing.T) {
	law(t, "Concat(Concat(a, b), c) = Concat(a, Concat(b, c)) = Concat(a, b, c)", func(t *rapid.T) {
		a, b, c := lists().Draw(t, "a"), lists().Draw(t, "b"), expressions().Draw(t, "c")
		want := backoff.Concat(a.seq, b.seq, c.seq)
		same(t, want, backoff.Concat(backoff.Concat(a.seq, b.seq), c.seq), a, b, c)
		same(t, want, backoff.Concat(a.seq, backoff.Concat(b.seq, c.seq)), a, b, c)
	})
	law(t, "Concat(s) = Concat(s, Concat()) = Concat(Concat(), s) = s", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		same(t, e.seq, backoff.Concat(e.seq), e)
		same(t, e.seq, backoff.Concat(e.seq, backoff.Concat()), e)
		same(t, e.seq, backoff.Concat(backoff.Concat(), e.seq), e)
	})
	law(t, "what works on each delay distributes over Concat", func(t *rapid.T) {
		a, b := lists().Draw(t, "a"), expressions().Draw(t, "b")
		st := pointwise().Draw(t, "stage")
		same(t, backoff.Concat(st.apply(a.seq), st.apply(b.seq)), st.apply(backoff.Concat(a.seq, b.seq)), st, a, b)
	})
	law(t, "Take(Concat(a, b), n) = Concat(Take(a, n), Take(b, max(n−len(a), 0)))", func(t *rapid.T) {
		a, b := lists().Draw(t, "a"), expressions().Draw(t, "b")
		n := counts().Draw(t, "n")
		rest := max(n-len(prefix(a.seq, some)), 0)
		same(t, backoff.Concat(backoff.Take(a.seq, n), backoff.Take(b.seq, rest)), backoff.Take(backoff.Concat(a.seq, b.seq), n), a, b)
	})
	t.Run("the argument list is the caller's", func(t *testing.T) {
		seqs := []iter.Seq[time.Duration]{list(1), list(2)}
		joined := backoff.Concat(seqs...)
		seqs[1] = list(3)
		if diff := cmp.Diff([]time.Duration{1, 2}, prefix(joined, some)); diff != "" {
			t.Errorf("after a change of the list (-want +got):\n%s", diff)
		}
	})
}

// TestLattice verifies that Max and Min are a distributive lattice in which a schedule
// that has ended counts as +∞.
func TestLattice(t *testing.T) {
	type join = func(a, b iter.Seq[time.Duration]) iter.Seq[time.Duration]
	for _, c := range []struct {
		name string
		f, g join
	}{{"Max", backoff.Max, backoff.Min}, {"Min", backoff.Min, backoff.Max}} {
		law(t, c.name+" is associative", func(t *rapid.T) {
			x, y, z := expressions().Draw(t, "a"), expressions().Draw(t, "b"), expressions().Draw(t, "c")
			same(t, c.f(x.seq, c.f(y.seq, z.seq)), c.f(c.f(x.seq, y.seq), z.seq), x, y, z)
		})
		law(t, c.name+" is commutative", func(t *rapid.T) {
			x, y := expressions().Draw(t, "a"), expressions().Draw(t, "b")
			same(t, c.f(x.seq, y.seq), c.f(y.seq, x.seq), x, y)
		})
		law(t, c.name+" is idempotent", func(t *rapid.T) {
			x := expressions().Draw(t, "a")
			same(t, x.seq, c.f(x.seq, x.seq), x)
		})
		law(t, c.name+" absorbs the other", func(t *rapid.T) {
			x, y := expressions().Draw(t, "a"), expressions().Draw(t, "b")
			same(t, x.seq, c.f(x.seq, c.g(x.seq, y.seq)), x, y)
		})
		law(t, c.name+" distributes over the other", func(t *rapid.T) {
			x, y, z := expressions().Draw(t, "a"), expressions().Draw(t, "b"), expressions().Draw(t, "c")
			same(t, c.g(c.f(x.seq, y.seq), c.f(x.seq, z.seq)), c.f(x.seq, c.g(y.seq, z.seq)), x, y, z)
		})
	}
	law(t, "the empty schedule is the top: Max(s, ()) = (), Min(s, ()) = s", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		same(t, backoff.Concat(), backoff.Max(e.seq, backoff.Concat()), e)
		same(t, e.seq, backoff.Min(e.seq, backoff.Concat()), e)
	})
	law(t, "Constant(0) is the bottom: Max(s, 0) = s, Min(s, 0) = 0", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		same(t, e.seq, backoff.Max(e.seq, backoff.Constant(0)), e)
		same(t, backoff.Constant(0), backoff.Min(e.seq, backoff.Constant(0)), e)
	})
	law(t, "Floor(s, f) = Max(s, Constant(f))", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		f := durations().Draw(t, "f")
		same(t, backoff.Floor(e.seq, f), backoff.Max(e.seq, backoff.Constant(f)), e)
	})
	law(t, "Min(s, Constant(c)) = Concat(Cap(s, c), Constant(c)), which is not Cap(s, c)", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		c := durations().Draw(t, "c")
		same(t, backoff.Concat(backoff.Cap(e.seq, c), backoff.Constant(c)), backoff.Min(e.seq, backoff.Constant(c)), e)
		if isFinite(e.seq) {
			if _, goesOn := backoff.At(backoff.Cap(e.seq, c), 20); goesOn {
				t.Fatalf("Cap(%v, %d) goes on where the schedule ends", e, c)
			}
		}
	})
}

// TestSum verifies the laws of Add. A schedule that has ended counts as +∞ in Min, Max
// and Add, so every law holds for schedules of any lengths. Min and Add make a semiring,
// the tropical one, whose zero is the empty schedule and whose one is Constant(0).
func TestSum(t *testing.T) {
	law(t, "Add is commutative", func(t *rapid.T) {
		x, y := expressions().Draw(t, "a"), expressions().Draw(t, "b")
		same(t, backoff.Add(x.seq, y.seq), backoff.Add(y.seq, x.seq), x, y)
	})
	law(t, "Add is associative", func(t *rapid.T) {
		x, y, z := expressions().Draw(t, "a"), expressions().Draw(t, "b"), expressions().Draw(t, "c")
		same(t, backoff.Add(x.seq, backoff.Add(y.seq, z.seq)), backoff.Add(backoff.Add(x.seq, y.seq), z.seq), x, y, z)
	})
	law(t, "Constant(0) is neutral and the empty schedule absorbs: Add(s, 0) = s, Add(s, ()) = ()", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		same(t, e.seq, backoff.Add(e.seq, backoff.Constant(0)), e)
		same(t, backoff.Concat(), backoff.Add(e.seq, backoff.Concat()), e)
	})
	law(t, "Add distributes over Max and over Min", func(t *rapid.T) {
		x, y, z := expressions().Draw(t, "a"), expressions().Draw(t, "b"), expressions().Draw(t, "c")
		for _, name := range []string{"Max", "Min"} {
			join := joins[name]
			want := join(backoff.Add(x.seq, z.seq), backoff.Add(y.seq, z.seq))
			same(t, want, backoff.Add(join(x.seq, y.seq), z.seq), name, x, y, z)
		}
	})
	law(t, "Add is monotone: Min(a, b) <= a, so Add(Min(a, b), c) <= Add(a, c)", func(t *rapid.T) {
		x, y, z := expressions().Draw(t, "a"), expressions().Draw(t, "b"), expressions().Draw(t, "c")
		low := prefix(backoff.Add(backoff.Min(x.seq, y.seq), z.seq), some)
		high := prefix(backoff.Add(x.seq, z.seq), some)
		if len(low) < len(high) {
			t.Fatalf("%d delays of the smaller schedule, want at least the %d of the larger: %v, %v, %v", len(low), len(high), x, y, z)
		}
		for i := range high {
			if low[i] > high[i] {
				t.Fatalf("delay %d falls from %d to %d when b rises: %v, %v, %v", i, low[i], high[i], x, y, z)
			}
		}
	})
	law(t, "Add(Max(a, b), Min(a, b)) = Add(a, b)", func(t *rapid.T) {
		x, y := expressions().Draw(t, "a"), expressions().Draw(t, "b")
		same(t, backoff.Add(x.seq, y.seq), backoff.Add(backoff.Max(x.seq, y.seq), backoff.Min(x.seq, y.seq)), x, y)
	})
	law(t, "Add(s, s) = Scale(s, 2) and Add(Constant(b), Linear(0, d)) = Linear(b, d)", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		same(t, backoff.Scale(e.seq, 2), backoff.Add(e.seq, e.seq), e)
		base, step := durations().Draw(t, "b"), durations().Draw(t, "d")
		same(t, backoff.Linear(base, step), backoff.Add(backoff.Constant(base), backoff.Linear(0, step)), base, step)
	})
	law(t, "Take and Drop distribute over Add", func(t *rapid.T) {
		x, y := expressions().Draw(t, "a"), expressions().Draw(t, "b")
		n := counts().Draw(t, "n")
		same(t, backoff.Add(backoff.Take(x.seq, n), backoff.Take(y.seq, n)), backoff.Take(backoff.Add(x.seq, y.seq), n), x, y)
		same(t, backoff.Add(backoff.Drop(x.seq, n), backoff.Drop(y.seq, n)), backoff.Drop(backoff.Add(x.seq, y.seq), n), x, y)
	})
}

func TestWithin(t *testing.T) {
	law(t, "the longest prefix whose sum is at most total", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		total := rapid.OneOf(durations(), rapid.Map(rapid.IntRange(0, 6), func(n int) time.Duration {
			sum := new(big.Int) // the sum of a prefix: the edge
			for d := range backoff.Take(e.seq, n) {
				sum.Add(sum, big.NewInt(int64(d)))
			}
			if !sum.IsInt64() {
				return backoff.NoLimit
			}
			return time.Duration(sum.Int64())
		})).Draw(t, "total")

		want := []time.Duration{}
		sum, limit := new(big.Int), big.NewInt(int64(total))
		for d := range backoff.Take(e.seq, some) {
			if sum.Add(sum, big.NewInt(int64(d))).Cmp(limit) > 0 {
				break
			}
			want = append(want, d)
		}
		if diff := cmp.Diff(want, prefix(backoff.Within(e.seq, total), some)); diff != "" {
			t.Fatalf("Within(%v, %d) (-want +got):\n%s", e, total, diff)
		}
	})
	law(t, "Within(Within(s, a), b) = Within(s, min(a, b))", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		a, b := durations().Draw(t, "a"), durations().Draw(t, "b")
		same(t, backoff.Within(e.seq, min(a, b)), backoff.Within(backoff.Within(e.seq, a), b), e)
	})
}

// portion is fraction·d to the nearest nanosecond, halves upwards, in rationals.
func portion(d time.Duration, fraction float64) *big.Int {
	r := new(big.Rat).SetFloat64(fraction)
	r.Mul(r, new(big.Rat).SetInt64(int64(d)))
	r.Add(r, big.NewRat(1, 2))
	return new(big.Int).Div(r.Num(), r.Denom())
}

// clamp is n, or NoLimit where that is more.
func clamp(n *big.Int) time.Duration {
	if !n.IsInt64() {
		return backoff.NoLimit
	}
	return time.Duration(n.Int64())
}

func TestScale(t *testing.T) {
	law(t, "factor·d, to the nearest nanosecond", func(t *rapid.T) {
		d, factor := durations().Draw(t, "d"), scales().Draw(t, "factor")
		want := clamp(portion(d, factor))
		got, _ := backoff.At(backoff.Scale(backoff.Constant(d), factor), 0)
		// Below 2⁻¹¹ a factor keeps 64 bits after the point.
		if diff := want - got; diff != 0 && (factor >= 0x1p-11 || diff > 1 || diff < -1) {
			t.Fatalf("%d · %v = %d, want %d", d, factor, got, want)
		}
	})
	law(t, "Scale(s, 2) = Map(s, saturating double)", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		same(t, backoff.Map(e.seq, func(d time.Duration) time.Duration {
			if d > backoff.NoLimit/2 {
				return backoff.NoLimit
			}
			return 2 * d
		}), backoff.Scale(e.seq, 2), e)
	})
}

func TestJitter(t *testing.T) {
	law(t, "Jitter(s, f) in [(1−f)·d, d]", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		fraction := fractions().Draw(t, "f")
		seed, _ := seeded(t)
		delays, jittered := prefix(e.seq, some), prefix(backoff.Jitter(e.seq, fraction, seed), some)
		for i, d := range delays {
			lo := d - clamp(portion(d, fraction))
			if got := jittered[i]; got < lo-1 || got > d {
				t.Fatalf("delay %d of Jitter(%v, %v) is %d, want [%d, %d]", i, e, fraction, got, lo, d)
			}
		}
	})
	law(t, "Jitter(Cap(s, c), f) <= c", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		c, fraction := durations().Draw(t, "c"), fractions().Draw(t, "f")
		seed, _ := seeded(t)
		for d := range backoff.Take(backoff.Jitter(backoff.Cap(e.seq, c), fraction, seed), some) {
			if d > c {
				t.Fatalf("%d > %d", d, c)
			}
		}
	})
	law(t, "Spread(s, f) in [(1−f)·d, (1+f)·d]", func(t *rapid.T) {
		e := expressions().Draw(t, "s")
		fraction := fractions().Draw(t, "f")
		seed, _ := seeded(t)
		delays, spread := prefix(e.seq, some), prefix(backoff.Spread(e.seq, fraction, seed), some)
		for i, d := range delays {
			width := portion(d, fraction)
			lo := d - clamp(width)
			hi := clamp(width.Add(width, big.NewInt(int64(d))))
			if got := spread[i]; got < lo-1 || got-1 > hi {
				t.Fatalf("delay %d of Spread(%v, %v) is %d, want [%d, %d]", i, e, fraction, got, lo, hi)
			}
		}
	})

	// The intervals are reached at both ends.
	law(t, "the ends of Jitter's interval", func(t *rapid.T) {
		d, fraction := durations().Draw(t, "d"), fractions().Filter(func(f float64) bool { return f == 0 || f > 0x1p-11 }).Draw(t, "f")
		lo, _ := backoff.At(backoff.Jitter(backoff.Constant(d), fraction, lowest), 0)
		hi, _ := backoff.At(backoff.Jitter(backoff.Constant(d), fraction, highest), 0)
		// The first number of the counter may be refused. The second number is 1
		// of 2⁶⁴, which is less than 1 ns above the end.
		if want := d - clamp(portion(d, fraction)); lo != want || hi != d {
			t.Fatalf("[%d, %d], want [%d, %d]", lo, hi, want, d)
		}
	})

	law(t, "the jittered generators are Jitter after Cap", func(t *rapid.T) {
		base, limit := durations().Draw(t, "base"), durations().Draw(t, "limit")
		fraction := fractions().Draw(t, "fraction")
		seed, _ := seeded(t)
		capped := backoff.Cap(backoff.Exponential(base, 2), limit)
		same(t, backoff.Jitter(capped, 1, seed), backoff.FullJitter(base, limit, seed), "FullJitter")
		same(t, backoff.Jitter(capped, 0.5, seed), backoff.EqualJitter(base, limit, seed), "EqualJitter")
		same(t, backoff.Jitter(capped, fraction, seed), backoff.TopJitter(base, limit, fraction, seed), "TopJitter")
		same(t, capped, backoff.TopJitter(base, limit, 0, seed), "TopJitter of 0")
	})

	law(t, "if limit < base, base is lowered to limit", func(t *rapid.T) {
		a, b := durations().Draw(t, "a"), durations().Draw(t, "b")
		limit, base := min(a, b), max(a, b)
		seed, _ := seeded(t)
		same(t, backoff.FullJitter(limit, limit, seed), backoff.FullJitter(base, limit, seed), "FullJitter")
		same(t, backoff.EqualJitter(limit, limit, seed), backoff.EqualJitter(base, limit, seed), "EqualJitter")
		same(t, backoff.TopJitter(limit, limit, 0.3, seed), backoff.TopJitter(base, limit, 0.3, seed), "TopJitter")
		same(t, backoff.DecorrelatedJitter(limit, limit, seed), backoff.DecorrelatedJitter(base, limit, seed), "DecorrelatedJitter")
		same(t, backoff.SmoothJitter(limit, limit, seed), backoff.SmoothJitter(base, limit, seed), "SmoothJitter")
		same(t, backoff.NormalJitter(limit, limit, 2, 0.5, seed), backoff.NormalJitter(base, limit, 2, 0.5, seed), "NormalJitter")
	})

	law(t, "DecorrelatedJitter in [base, min(limit, 3·previous)]", func(t *rapid.T) {
		base, limit := durations().Draw(t, "base"), durations().Draw(t, "limit")
		seed, _ := seeded(t)
		lo := min(base, limit)
		previous := lo
		for d := range backoff.Take(backoff.DecorrelatedJitter(base, limit, seed), some) {
			hi := limit
			if previous <= limit/3 {
				hi = 3 * previous
			}
			if d < lo || d > hi {
				t.Fatalf("%d after %d, want [%d, %d]", d, previous, lo, hi)
			}
			previous = d
		}
	})

	law(t, "Uniform in [lo, hi]", func(t *rapid.T) {
		a, b := durations().Draw(t, "a"), durations().Draw(t, "b")
		seed, _ := seeded(t)
		for d := range backoff.Take(backoff.Uniform(min(a, b), max(a, b), seed), some) {
			if d < min(a, b) || d > max(a, b) {
				t.Fatalf("%d, want [%d, %d]", d, min(a, b), max(a, b))
			}
		}
	})

	law(t, "NormalJitter of deviation 0 = Cap(Exponential), up to rounding", func(t *rapid.T) {
		base, limit := durations().Draw(t, "base"), durations().Draw(t, "limit")
		factor := factors().Draw(t, "factor")
		want := prefix(backoff.Cap(backoff.Exponential(base, factor), limit), some)
		for i, got := range prefix(backoff.NormalJitter(base, limit, factor, 0), some) {
			if math.Abs(float64(got)-float64(want[i])) > 1+1e-12*float64(want[i]) {
				t.Fatalf("delay %d is %d, want %d", i, got, want[i])
			}
		}
	})
}

func TestMonotone(t *testing.T) {
	law(t, "never falls", func(t *rapid.T) {
		e := started(false).Draw(t, "schedule")
		previous := time.Duration(0)
		i := 0
		for d := range backoff.Take(e.seq, 300) {
			if d < previous {
				t.Fatalf("delay %d is %d after %d", i, d, previous)
			}
			previous = d
			i++
		}
	})
	law(t, "reaches saturation and stays there", func(t *rapid.T) {
		base := rapid.Map(rapid.Int64Range(1, math.MaxInt64), func(d int64) time.Duration { return time.Duration(d) }).Draw(t, "base")
		factor := rapid.Float64Range(1.01, 1e300).Draw(t, "factor")
		power := rapid.Float64Range(8, 1e300).Draw(t, "power")
		step := rapid.Map(rapid.Int64Range(1<<52, math.MaxInt64), func(d int64) time.Duration { return time.Duration(d) }).Draw(t, "step")
		// ln(2⁶³)/ln(1.01) is 4,389; 2⁶³/2⁵² is 2,048; 2^(63/8) is 235; the
		// 92nd Fibonacci number exceeds 2⁶³.
		for text, seq := range map[string]iter.Seq[time.Duration]{
			format("Exponential", base, factor): backoff.Drop(backoff.Exponential(base, factor), 4390),
			format("Linear", base, step):        backoff.Drop(backoff.Linear(base, step), 2048),
			format("Polynomial", base, power):   backoff.Drop(backoff.Polynomial(base, power), 235),
			format("Fibonacci", base):           backoff.Drop(backoff.Fibonacci(base), 92),
		} {
			for d := range backoff.Take(seq, 3) {
				if d != backoff.NoLimit {
					t.Fatalf("%s: %d after so long, want NoLimit", text, d)
				}
			}
		}
	})
	law(t, "an exponential of a factor above 1 never stands still for long", func(t *rapid.T) {
		// From 1 ns by a factor of 1 + 2^-k the delay reaches 2 ns within
		// ln(1.5)·2^k steps: it is not rounded between them.
		k := rapid.IntRange(1, 14).Draw(t, "k")
		factor := 1 + math.Ldexp(1, -k)
		steps := int(math.Ceil(math.Log(1.5)/math.Log(factor))) + 1
		if d, _ := backoff.At(backoff.Exponential(1, factor), steps); d < 2 {
			t.Fatalf("delay %d is %d, want 2", steps, d)
		}
	})
}

// TestExact compares the formulas with arithmetic of 400 bits.
func TestExact(t *testing.T) {
	number := func(f float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(f) }
	close := func(want *big.Float, got time.Duration) bool {
		if limit := number(math.MaxInt64); want.Cmp(limit) >= 0 {
			return got == backoff.NoLimit
		}
		diff := new(big.Float).Sub(want, new(big.Float).SetPrec(400).SetInt64(int64(got)))
		tolerance := new(big.Float).Mul(want, number(1e-12))
		tolerance.Add(tolerance, number(0.500001))
		return diff.Abs(diff).Cmp(tolerance) <= 0
	}
	law(t, "Exponential is base·factorⁿ", func(t *rapid.T) {
		base, factor := durations().Draw(t, "base"), factors().Draw(t, "factor")
		n := rapid.IntRange(0, 2000).Draw(t, "n")
		want := new(big.Float).SetPrec(400).SetInt64(int64(base))
		for range n {
			want.Mul(want, number(factor))
		}
		if got, _ := backoff.At(backoff.Exponential(base, factor), n); !close(want, got) {
			t.Fatalf("delay %d is %d, want %s", n, got, want.Text('f', 3))
		}
	})
	law(t, "of a whole factor to the nanosecond", func(t *rapid.T) {
		base, factor := durations().Draw(t, "base"), rapid.IntRange(1, 100).Draw(t, "factor")
		want := big.NewInt(int64(base))
		for n, got := range prefix(backoff.Exponential(base, float64(factor)), 70) {
			if got != clamp(want) {
				t.Fatalf("delay %d is %d, want %d", n, got, want)
			}
			want.Mul(want, big.NewInt(int64(factor)))
		}
	})
	law(t, "Polynomial is base·(n+1)ᵖ", func(t *rapid.T) {
		base := durations().Draw(t, "base")
		quarters := rapid.IntRange(0, 40).Draw(t, "4·power")
		n := rapid.IntRange(0, 2000).Draw(t, "n")
		want := new(big.Float).SetPrec(400).SetInt64(int64(base))
		root := number(float64(n + 1))
		root.Sqrt(root.Sqrt(root)) // the fourth root
		for range quarters {
			want.Mul(want, root)
		}
		if got, _ := backoff.At(backoff.Polynomial(base, float64(quarters)/4), n); !close(want, got) {
			t.Fatalf("delay %d is %d, want %s", n, got, want.Text('f', 3))
		}
	})
	law(t, "Linear is base + n·step", func(t *rapid.T) {
		base, step := durations().Draw(t, "base"), durations().Draw(t, "step")
		n := rapid.IntRange(0, 2000).Draw(t, "n")
		same(t, backoff.Linear(step, step), backoff.Polynomial(step, 1), "Polynomial of 1")
		want := new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(step)))
		want.Add(want, big.NewInt(int64(base)))
		if got, _ := backoff.At(backoff.Linear(base, step), n); got != clamp(want) {
			t.Fatalf("delay %d is %d, want %d", n, got, want)
		}
	})
	law(t, "Fibonacci is the sum of the two before", func(t *rapid.T) {
		base := durations().Draw(t, "base")
		a, b := big.NewInt(int64(base)), big.NewInt(int64(base))
		for n, got := range prefix(backoff.Fibonacci(base), 100) {
			if got != clamp(a) {
				t.Fatalf("delay %d is %d, want %d", n, got, a)
			}
			a, b = b, new(big.Int).Add(a, b)
		}
	})
}
