package splitmix_test

import (
	"fmt"
	"testing"

	"example.com/backoff/internal/splitmix"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The first two random numbers from 0, as published.
func ExampleAt() {
	fmt.Printf("%016x\n", splitmix.At(0, 0))
	fmt.Printf("%016x\n", splitmix.At(0, 1))
	// Output:
	// e220a8397b1dcdaf
	// 6e789e6aa1b965f4
}

// A generator is its state.
func ExampleMix() {
	state := uint64(0)
	for range 2 {
		state += splitmix.Step
		fmt.Printf("%016x\n", splitmix.Mix(state))
	}
	// Output:
	// e220a8397b1dcdaf
	// 6e789e6aa1b965f4
}

// At gives the same numbers as a generator that goes step by step, from any seed.
func TestAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		var want, got []uint64
		state := seed
		for n := range rapid.Uint64Range(1, 50).Draw(t, "n") {
			state += splitmix.Step
			want = append(want, splitmix.Mix(state))
			got = append(got, splitmix.At(seed, n))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Different states give different numbers: Mix can be undone.
func TestMixIsABijection(t *testing.T) {
	// unshift undoes x ^= x >> n.
	unshift := func(x uint64, n uint) uint64 {
		y := x
		for range 64/n + 1 {
			y = x ^ y>>n
		}
		return y
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Uint64().Draw(t, "state")
		got := unshift(splitmix.Mix(want), 31)
		got = unshift(got*0x319642b2d24d8ec3, 27) // the inverses of the two factors modulo 2⁶⁴
		got = unshift(got*0x96de1b173f119089, 30)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
