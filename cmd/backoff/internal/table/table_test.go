package table

import "testing"

func TestLetter(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "A1", 53: "B2"} {
		if got := Letter(i); got != want {
			t.Errorf("Letter(%d) = %s, want %s", i, got, want)
		}
	}
}
