package supervise

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

// Elapsed is the sum of the delays so far.
func TestDryRun(t *testing.T) {
	for _, test := range []struct {
		schedule string
		timeout  time.Duration
		want     string
	}{
		{"list(1s, 2s, 1500ms)", 0, `
attempt         delay       elapsed
      1                          0s
      2            1s            1s
      3            2s            3s
      4          1.5s          4.5s
no attempt left
`},
		{"linear(1s, 1s)", 6 * time.Second, `
attempt         delay       elapsed
      1                          0s
      2            1s            1s
      3            2s            3s
no time left: the next delay is 3s
`},
		{"constant(9220000000s) | take(2)", 0, `
attempt         delay       elapsed
      1                          0s
      2  2561111h6m40s  2561111h6m40s
      3  2561111h6m40s   ≥ 292 years
no attempt left
`},
		{"full-jitter(1s, none) | take(0)", 0, `
attempt         delay       elapsed
      1                          0s
no attempt left
the delays are those of --seed 0
`},
		{"list()", 0, `
attempt         delay       elapsed
      1                          0s
no attempt left
`},
	} {
		o := &Options{Schedule: clitest.Parse(t, test.schedule), Timeout: test.timeout}
		var got strings.Builder
		if err := o.WriteDryRun(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, "\n"+got.String()); diff != "" {
			t.Errorf("%s, timeout %v (-want +got):\n%s", test.schedule, test.timeout, diff)
		}
	}
}

func TestDryRunIsShort(t *testing.T) {
	o := &Options{Schedule: clitest.Parse(t, "constant(1s)")}
	var got strings.Builder
	if err := o.WriteDryRun(&got); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(got.String(), "\n")
	const last = "     20            1s           19s"
	if diff := cmp.Diff([]string{last, "and so on", ""}, lines[max(0, len(lines)-3):]); diff != "" {
		t.Errorf("the end (-want +got):\n%s", diff)
	}
}
