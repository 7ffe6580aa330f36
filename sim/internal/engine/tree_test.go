package engine

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// After any changes a Tree finds the client that a search of all clients finds.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		tree := NewTree(n)
		at := make([]time.Duration, n)
		for i := range at {
			at[i] = Never
		}
		times := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Just(int64(Never)), rapid.Int64Range(0, int64(Never)))
		for range rapid.IntRange(0, 100).Draw(t, "changes") {
			i := rapid.IntRange(0, n-1).Draw(t, "client")
			at[i] = time.Duration(times.Draw(t, "at"))
			tree.Set(i, at[i])
			first := 0
			for j := range at {
				if at[j] < at[first] {
					first = j
				}
			}
			if got, when := tree.Next(); got != first || when != at[first] {
				t.Fatalf("Next() = %d, %d, want %d, %d of %v", got, when, first, at[first], at)
			}
		}
		tree.Clear()
		if _, when := tree.Next(); when != Never {
			t.Errorf("after Clear the next event is at %v, want Never", when)
		}
	})
}
