package plan

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

// The source's numbers, through the command.
func TestSolveSource(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--base 1s --factor 2 --retries 10", "elapsed 1023"},
		{"--base 1s --factor 2 --retries 10", "delay 1024"},
		{"--base 1s --factor 1.1 --retries 48", "elapsed 960.172337849"},
		{"--base 1s --factor 1.1 --retries 49", "elapsed 1057.189571634"},
		{"--base 1s --elapsed 1000s --ratio 0.1", "factor 1.1"},
		{"--base 1s --elapsed 1000s --ratio 0.1", "delay 101"},
		{"--retries 10 --elapsed 1023s --factor 2", "base 1"},
		{"--base 1s --elapsed 1023s --delay 1024s", "factor 2"},
		{"--base 1s --elapsed 1023s --delay 1024s", "retries 10"},
		{"--factor 2 --elapsed 1023s --delay 1024s", "base 1"},
		{"--base 1s --factor 2 --delay 1024s", "elapsed 1023"},
		{"--base 30s --retries 8 --delay 3000000000s", "factor 10"},
		{"--base 3ns --factor 1234567.3 --retries 2", "delay 4572.469254688"}, // 3·1234567.3² = 4572469254687.87 ns
		{"--base 200ms --factor 1.0146988914330468 --delay 202939778ns", "retries 1"},
		{"--base 200ms --factor 1.0146988914330468 --delay 202939778ns", "elapsed 0.2"},
		{"--base 1s --factor 1.1 --delay 2593742460ns", "retries 10"}, // 1.1¹⁰ s, rounded downwards
		{"--base 1s --factor 1.1 --delay 2593742460ns", "elapsed 15.937424601"},
		{"--base 1s --factor 1.7 --retries 4 --elapsed 10503ms", "limit 4.913"}, // 1 + 1.7 + 1.7² + 1.7³, and no delay reaches it
	} {
		var solved struct {
			Answers []struct {
				Name  string
				Value json.Number
			}
		}
		text := clitest.Succeeds(t, New, append([]string{"plan", "--format", "json"}, strings.Fields(test.args)...)...)
		if err := json.Unmarshal([]byte(text), &solved); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, a := range solved.Answers {
			all = append(all, a.Name+" "+a.Value.String())
		}
		if !slices.Contains(all, test.want) {
			t.Errorf("%s: %q is not among %q", test.args, test.want, all)
		}
	}
}

// A time that is too long for a time.Duration is marked, and nothing wrong follows from it.
func TestSolveBeyondDurations(t *testing.T) {
	for _, test := range []struct {
		args string
		want []string
	}{
		{"--base 1s --retries 300 --factor 1.1 --format json", []string{`"value": null`, "1s·1.1^300"}},
		{"--base 1s --retries 300 --factor 1.1 --format csv", []string{"\nelapsed,,", "\ndelay,,"}},
		{"--base 1s --retries 300 --factor 1.1", []string{"1s·1.1^300 = ≥ 292 years"}},
		{"--base 1s --retries 2147483647 --factor 1.1 --limit 10s", []string{"min(10s, 1s·1.1^2147483647) = 10s"}},
		{"--base 1s --factor 1.001 --delay 2600h", []string{"log(9360000s/1s)/log(1.001) = 16059.98", "Retry 16,059 comes"}},
		{"--base 1ns --factor 1 --elapsed 2562047h47m16.854775807s", []string{
			"9,223,372,036,854,775,807 retries, 9,223,372,036,854,775,808 attempts, fit within 2562047h47m16.854775807s.",
		}},
		{"--base 1s --factor 2 --elapsed 2562047h47m16.854775807s", []string{"33 retries, 34 attempts, fit within 2562047h47m16.854775807s: retry 33 comes at"}},
		{"--base 1s --factor 1.7 --retries 4 --elapsed 10503ms", []string{"(4 − 3) = 4.913s"}},
		{"--base 1s --factor 1.0000000000000002 --delay 2h", []string{"log(1.0000000000000002) = 400002"}},
	} {
		got := clitest.Succeeds(t, New, append([]string{"plan"}, strings.Fields(test.args)...)...)
		words := strings.Join(strings.Fields(got), " ") // wherever lines are broken
		for _, want := range test.want {
			if !strings.Contains(words, want) && !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", test.args, want, got)
			}
		}
	}
}

// An error about parameters that are impossible together names a flag that was given.
func TestSolveImpossible(t *testing.T) {
	clitest.Refuses(t, New, "plan: --delay is 1.5s, want at least base·factor, 2s, the delay that follows retry 1",
		"plan", "--base", "1s", "--factor", "2", "--delay", "1500ms")
	clitest.Refuses(t, New, "plan: --delay is 202.939777ms, want at least base·factor, 202.939778ms, the delay that follows retry 1",
		"plan", "--base", "200ms", "--factor", "1.0146988914330468", "--delay", "202939777ns")
	clitest.Refuses(t, New, "plan: --delay is 1s, want more than (factor − 1)·elapsed, ≥ 292 years: no base is left",
		"plan", "--factor", "1e9", "--elapsed", "1000h", "--delay", "1s")
	clitest.Refuses(t, New, "plan: --ratio alone, want 2 more of --base, --retries, --elapsed, --delay", "plan", "--ratio", "0.1", "--limit", "1m")
	clitest.Refuses(t, New, "plan: --compare-factor is 2 and the retries take ≥ 292 years, want a shorter time to compare them in",
		"plan", "--base", "1s", "--factor", "1.1", "--retries", "300", "--compare-factor", "2")
}

// The sentences speak of a retry at elapsed only if one comes then.
func TestSolveRetryAtElapsed(t *testing.T) {
	for elapsed, want := range map[string]string{
		"1000s": "9 retries, 10 attempts, fit within 16m40s: retry 9 comes at 8m31s, and the delay after it is 8m32s. If a retry came at 16m40s, the delay after it would be 16m41s, 100 % of the elapsed time.",
		"1023s": "10 retries, 11 attempts, fit within 17m3s. The delay after a retry at 17m3s is 17m4s, 100 % of the elapsed time.",
	} {
		text := unbroken(clitest.Succeeds(t, New, "plan", "--base", "1s", "--factor", "2", "--elapsed", elapsed))
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q\n%s", elapsed, want, text)
		}
	}
}
