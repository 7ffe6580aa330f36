package saturating_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"example.com/backoff/internal/saturating"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ExampleAdd() {
	fmt.Println(saturating.Add(time.Second, time.Minute))
	fmt.Println(saturating.Add(time.Second, math.MaxInt64) == math.MaxInt64)
	// Output:
	// 1m1s
	// true
}

func TestAdd(t *testing.T) {
	const most time.Duration = math.MaxInt64
	for _, test := range []struct{ a, b, want time.Duration }{
		{0, 0, 0},
		{1, 2, 3},
		{most - 1, 1, most},
		{most, 0, most},
		{0, most, most},
		{most, 1, most},
		{most, most, most},
		{most/2 + 1, most/2 + 1, most},
	} {
		if diff := cmp.Diff(test.want, saturating.Add(test.a, test.b)); diff != "" {
			t.Errorf("Add(%d, %d) (-want +got):\n%s", test.a, test.b, diff)
		}
	}
}

// Add is the sum of the integers, or the largest time.Duration.
func TestAddIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, math.MaxInt64).Draw(t, "a")
		b := rapid.Int64Range(0, math.MaxInt64).Draw(t, "b")
		sum := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		want := time.Duration(math.MaxInt64)
		if sum.IsInt64() {
			want = time.Duration(sum.Int64())
		}
		if diff := cmp.Diff(want, saturating.Add(time.Duration(a), time.Duration(b))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
