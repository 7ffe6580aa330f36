package supervise

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStatusesSet(t *testing.T) {
	for _, test := range []struct {
		texts []string
		want  string
	}{
		{[]string{"0"}, "0"},
		{[]string{"255"}, "255"},
		{[]string{"0-255"}, "0-255"},
		{[]string{"1,75-77"}, "1,75-77"},
		{[]string{" 1, 75 - 77 "}, "1,75-77"},
		{[]string{"3,1,2"}, "1-3"},
		{[]string{"7-7"}, "7"},
		{[]string{"1-3,2-5"}, "1-5"},
		{[]string{"1", "75-77"}, "1,75-77"},
	} {
		s := new(statuses)
		for _, text := range test.texts {
			if err := s.Set(text); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		if got := s.String(); got != test.want || !s.given {
			t.Errorf("%q gives %q (given: %t), want %q", test.texts, got, s.given, test.want)
		}
	}
	for _, text := range []string{"", ",", "1,", "x", "-1", "256", "1-256", "3-1", "1-2-3", "1.5", "0x1", "+1"} {
		s := new(statuses)
		if err := s.Set("9"); err != nil {
			t.Fatal(err)
		}
		if err := s.Set(text); err == nil || s.String() != "9" {
			t.Errorf("%q: the error is %v and the set %q, want an error, and the set as it was", text, err, s)
		}
	}
}

// A value of the flag replaces the default.
func TestStatusesDefault(t *testing.T) {
	var s statuses
	s.Has[0] = true
	if err := s.Set("1"); err != nil || s.String() != "1" {
		t.Errorf("the set is %q (%v), want 1", s.String(), err)
	}
}

// Set reads the text of a set as the same set.
func TestStatusesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := statuses{given: true}
		for _, status := range rapid.SliceOfN(rapid.Uint8(), 1, 300).Draw(t, "statuses") {
			want.Has[status] = true
		}
		got := new(statuses)
		if err := got.Set(want.String()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Has, got.Has); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.String(), diff)
		}
	})
}

// Which statuses succeed and which are retried, for each combination of flags.
func TestPolicy(t *testing.T) {
	for _, test := range []struct {
		on, until, stopOn string
		success, retried  string
	}{
		{"", "", "", "0", "1-125,128-140,142-255"},
		{"1,75-77", "", "", "0", "1,75-77"},
		{"127", "", "", "0", "127"},
		{"", "1", "", "1", "0,2-125,128-140,142-255"},
		{"", "0-1", "", "0-1", "2-125,128-140,142-255"},
		{"", "", "2", "0", "1,3-125,128-140,142-255"},
		{"", "1", "2-255", "1", "0"},
		{"3", "", "2", "0", "3"},
	} {
		p := policy{}
		p.Until.Has[0] = true
		for _, flag := range []struct {
			s    *statuses
			text string
		}{{&p.On, test.on}, {&p.Until, test.until}, {&p.StopOn, test.stopOn}} {
			if flag.text != "" {
				if err := flag.s.Set(flag.text); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := p.Check(); err != nil {
			t.Errorf("%+q: %v", test, err)
		}
		var success, retried statuses
		for status := range 256 {
			success.Has[status] = p.success(status)
			retried.Has[status] = !p.success(status) && p.retried(status, false)
		}
		if success.String() != test.success || retried.String() != test.retried {
			t.Errorf("on %q, until %q, stop-on %q: %s succeed and %s are retried, want %s and %s",
				test.on, test.until, test.stopOn, &success, &retried, test.success, test.retried)
		}
	}
}
