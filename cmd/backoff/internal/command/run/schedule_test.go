package run

import "testing"

func TestSchedule(t *testing.T) {
	for _, test := range []struct{ attempts, delay, retry, want string }{
		{"", "", "", "equal-jitter(1s, 1m) | take(8)"},
		{"5", "", "", "equal-jitter(1s, 1m) | take(4)"},
		{"20", "", "", "equal-jitter(1s, 1m) | take(19)"},
		{"1", "", "", "equal-jitter(1s, 1m) | take(0)"},
		{"", "1s", "", "constant(1s)"},
		{"", "0.5", "", "constant(500ms)"},
		{"", "0", "", "constant(0s)"},
		{"3", "90", "", "constant(1m30s) | take(2)"},
		{"3", "exponential(1s, 2)|cap(1m)", "", "exponential(1s, 2) | cap(1m) | take(2)"},
		{"", "", "full-jitter(1s, 1m)", "full-jitter(1s, 1m)"},
		{"2147483647", "", "constant(1s) | take(2)", "constant(1s) | take(2) | take(2147483646)"},
	} {
		s := schedule{delay: test.delay, retry: test.retry}
		given := map[string]bool{"attempts": test.attempts != "", "delay": test.delay != "", "retry": test.retry != ""}
		for _, digit := range test.attempts {
			s.attempts = 10*s.attempts + int64(digit-'0')
		}
		e, err := s.parse(func(flag string) bool { return given[flag] })
		if err != nil {
			t.Errorf("%+v: %v", test, err)
		} else if got := e.String(); got != test.want {
			t.Errorf("%+v: %s, want %s", test, got, test.want)
		}
	}
}
