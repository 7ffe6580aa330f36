package argument_test

import (
	"math"
	"testing"
	"time"

	"example.com/backoff/internal/argument"
	"github.com/google/go-cmp/cmp"
)

func TestReject(t *testing.T) {
	tests := []struct {
		pkg, function, name string
		got                 any
		wanted              string
		want                string
	}{
		{"backoff", "Exponential", "factor", math.NaN(), "a finite value >= 1", "backoff: Exponential: factor is NaN, want a finite value >= 1"},
		{"backoff", "Constant", "delay", -time.Second, ">= 0", "backoff: Constant: delay is -1s, want >= 0"},
		{"retry", "If", "retryable", "nil", "a function", "retry: If: retryable is nil, want a function"},
		{"plan", "Draws", "n", 1, ">= 2", "plan: Draws: n is 1, want >= 2"},
	}
	for _, test := range tests {
		var got any
		func() {
			defer func() { got = recover() }()
			argument.Reject(test.pkg, test.function, test.name, test.got, test.wanted)
		}()
		if diff := cmp.Diff(any(test.want), got); diff != "" {
			t.Errorf("Reject panics with (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(test.want, argument.Text(test.pkg, test.function, test.name, test.got, test.wanted)); diff != "" {
			t.Errorf("Text (-want +got):\n%s", diff)
		}
	}
}
