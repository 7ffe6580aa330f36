package backofftest_test

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/backofftest"
)

// failing is set when this test runs its own program again, with tests that Run and
// RunStage must make fail.
const failing = "BACKOFFTEST_FAILING"

func TestRunReports(t *testing.T) {
	if os.Getenv(failing) != "" {
		t.Run("timeless", func(t *testing.T) {
			backofftest.Run(t, func(uint64) seq {
				return func(yield func(time.Duration) bool) {
					time.Sleep(time.Hour)
					yield(second)
				}
			})
		})
		t.Run("contract", func(t *testing.T) { backofftest.Run(t, fixed(retries(1))) })
		t.Run("panic", func(t *testing.T) { backofftest.Run(t, each(tableOfThree)) })
		t.Run("stage", func(t *testing.T) {
			backofftest.RunStage(t, func(src seq, _ uint64) seq { return backoff.Drop(src, 1) })
		})
		return
	}
	program := exec.Command(os.Args[0], "-test.run=^TestRunReports$", "-test.v")
	program.Env = append(os.Environ(), failing+"=1")
	output, err := program.CombinedOutput()
	if err == nil {
		t.Errorf("the program with the failing tests has exit status 0, want 1")
	}
	for _, want := range []string{
		`run_test.go:\d+: backofftest: 1h0m0s passed in a range that broke at delay 0: the schedule sleeps \(seed 0\)`,
		`run_test.go:\d+: backofftest: after a loop that broke at delay 0, the next range differs at delay 0: 1s, then the end: state outlives a range \(seed 0\)`,
		`run_test.go:\d+: backofftest: the schedule panicked at delay 3: runtime error: index out of range \[3\] with length 3 \(seed 0\)`,
		`run_test.go:\d+: the schedule's panic:`,
		`backofftest_test.tableOfThree\(`,
		`run_test.go:\d+: backofftest: to give 0 delays the stage drew 1, want at most 0 \(seed 0; the source is 1s\)`,
		`--- FAIL: TestRunReports/timeless`,
		`--- FAIL: TestRunReports/contract`,
		`--- FAIL: TestRunReports/panic`,
		`--- FAIL: TestRunReports/stage`,
	} {
		if n := len(regexp.MustCompile(want).FindAll(output, -1)); n != 1 {
			t.Errorf("the output matches %s %d times, want once:\n%s", want, n, output)
		}
	}
}

func tableOfThree(n int) time.Duration {
	return []time.Duration{second, 2 * second, 4 * second}[n]
}
