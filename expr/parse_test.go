package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/expr"
)

// starts and follows are the names of the stages, as an error lists them.
var starts, follows = names(true), names(false)

func names(starts bool) string {
	var all []string
	for _, s := range expr.Stages() {
		if s.Starts == starts {
			all = append(all, s.Name)
		}
	}
	return strings.Join(all, ", ")
}

func TestParseErrors(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, test := range []struct{ text, want string }{
		// where a stage is wanted
		{"", "column 1: unexpected end of text, want a schedule such as constant(1s)"},
		{" \n ", "column 4: unexpected end of text, want a schedule such as constant(1s)"},
		{"| cap(3s)", `column 1: unexpected "|", want a schedule such as constant(1s)`},
		{"(constant(1s))", `column 1: unexpected "(", want a schedule such as constant(1s)`},
		{"cap(3s)", "column 1: cap starts no schedule, want one before it, as in exponential(1s, 2) | cap(5s)"},
		{"take(3) | constant(1s)", "column 1: take starts no schedule, want one before it, as in exponential(1s, 2) | take(4)"},
		{"constant(1s) |", "column 15: unexpected end of text, want a stage such as cap(10s)"},
		{"constant(1s) | | cap(3s)", `column 16: unexpected "|", want a stage such as cap(10s)`},
		{"constant(1s) | fibonacci(1s)", "column 16: fibonacci starts a schedule, want a stage that follows one, such as then(fibonacci(...))"},
		{"constant(1s) | then(cap(3s))", "column 21: cap starts no schedule, want one before it, as in exponential(1s, 2) | cap(5s)"},

		// names
		{"constant(1s)| capp(3s)", `column 15: unknown stage "capp", did you mean cap?`},
		{"fulljitter(1s, 2s)", `column 1: unknown stage "fulljitter", did you mean full-jitter?`},
		{"FullJitter(1s, 2s)", `column 1: unknown stage "FullJitter", did you mean full-jitter?`},
		{"full_jitter(1s, 2s)", `column 1: unknown stage "full_jitter", did you mean full-jitter?`},
		{"expo(1s, 2)", `column 1: unknown stage "expo", did you mean exponential?`},
		{"exponentail(1s, 2)", `column 1: unknown stage "exponentail", did you mean exponential?`},
		{"decorelated-jitter(1s, 2s)", `column 1: unknown stage "decorelated-jitter", did you mean decorrelated-jitter?`},
		{"list() | Concat(list())", `column 10: unknown stage "Concat", did you mean then?`},
		{"decorelated(1s, 2s)", `column 1: unknown stage "decorelated", did you mean decorrelated-jitter?`},
		{"capp(1s)", `column 1: unknown stage "capp", did you mean cap? That follows a schedule`},
		{"constant(1s) | fulljitter(1s, 2s)", `column 16: unknown stage "fulljitter", did you mean then(full-jitter(...))?`},
		{"constant(1s) | Limit(2s)", `column 16: unknown stage "Limit", did you mean cap?`},
		{"list() | mx(list())", `column 10: unknown stage "mx", want one of ` + follows},
		{"list() | map(list())", `column 10: unknown stage "map", which takes a Go function, and no text can give that`},
		{"wait(1s)", `column 1: unknown stage "wait", want one of ` + starts},
		{"list() | wait(1s)", `column 10: unknown stage "wait", want one of ` + follows},
		{"3s", `column 1: unknown stage "3s", want one of ` + starts},
		{long, `column 1: unknown stage "` + long[:40] + `…", want one of ` + starts},

		// marks
		{"constant", "column 9: unexpected end of text, want ( after constant"},
		{"constant 1s", `column 10: unexpected "1s", want ( after constant`},
		{"constant | cap(1s)", `column 10: unexpected "|", want ( after constant`},
		{"constant(1s", "column 12: unexpected end of text, want , or )"},
		{"constant(1s | cap(2s)", `column 13: unexpected "|", want , or )`},
		{"constant(1s 2s)", `column 13: unexpected "2s", want , or )`},
		{"list(1s) | then(list(1s)", "column 25: unexpected end of text, want , or )"},
		{"constant(1s))", `column 13: unexpected ")", want | or the end of the text`},
		{"constant(1s) cap(3s)", `column 14: unexpected "cap", want | or the end of the text`},
		{"constant(1s), constant(1s)", `column 13: unexpected ",", want | or the end of the text`},
		{"list(1s,)", `column 9: unexpected ")", want a duration >= 0 for delay`},
		{"list(,1s)", `column 6: unexpected ",", want a duration >= 0 for delay`},
		{"list((1s))", `column 6: unexpected "(", want a duration >= 0 for delay`},
		{"constant(", "column 10: unexpected end of text, want a duration >= 0 for delay"},
		{"exponential(1s,", "column 16: unexpected end of text, want a finite number >= 1 for factor"},
		{"constant(1s,)", `column 13: unexpected ")", want constant(delay)`},

		// how many arguments
		{"constant()", "column 10: constant: delay is missing, want constant(delay)"},
		{"exponential(1s)", "column 15: exponential: factor is missing, want exponential(base, factor)"},
		{"normal-jitter(1s, 2s)", "column 21: normal-jitter: factor is missing, want normal-jitter(base, limit, factor, deviation)"},
		{"list() | then()", "column 15: then: EXPR is missing, want then(EXPR)"},
		{"constant(1s, 2s)", `column 14: constant: "2s" is one argument too many, want constant(delay)`},
		{"list() | then(list(), list())", `column 23: then: "list" is one argument too many, want then(EXPR)`},

		// durations
		{"list() | cap(3)", "column 14: cap: limit is 3, want a duration such as 3s or none"},
		{"constant(3)", "column 10: constant: delay is 3, want a duration such as 3s"},
		{"constant(0.5)", "column 10: constant: delay is 0.5, want a duration such as 0.5s"},
		{"constant(1m30)", "column 10: constant: delay is 1m30, want a duration such as 1m30s"},
		{"constant(-3)", "column 10: constant: delay is -3, want a duration such as 3s"},
		{"constant(-3s)", "column 10: constant: delay is -3s, want a duration >= 0"},
		{"constant(-1ns)", "column 10: constant: delay is -1ns, want a duration >= 0"},
		{"list() | cap(-1ns)", "column 14: cap: limit is -1ns, want a duration >= 0 or none"},
		{"constant(none)", "column 10: constant: delay is none, want a duration such as 3s"},
		{"list() | floor(none)", "column 16: floor: limit is none, want a duration such as 3s"},
		{"constant(abc)", "column 10: constant: delay is abc, want a duration such as 3s"},
		{"constant(3sec)", "column 10: constant: delay is 3sec, want a duration such as 3s"},
		{"constant(\"3s\")", `column 10: constant: delay is "\"3s\"", want a duration such as 3s`},
		{"constant(3000000h)", "column 10: constant: delay is 3000000h, want at most 2562047h47m16.854775807s"},
		{"list() | within(3000000h)", "column 17: within: total is 3000000h, want at most 2562047h47m16.854775807s or none"},
		{"constant(2562047h47m16.854775808s)", "column 10: constant: delay is 2562047h47m16.854775808s, want at most 2562047h47m16.854775807s"},
		{"list(1s, 2s, x)", "column 14: list: delay is x, want a duration such as 3s"},
		{"uniform(2s, 1s)", "column 13: uniform: hi is 1s, want >= lo, which is 2s"},

		// numbers
		{"exponential(1s, 0.99)", "column 17: exponential: factor is 0.99, want a finite number >= 1"},
		{"exponential(1s, NaN)", "column 17: exponential: factor is NaN, want a finite number >= 1"},
		{"exponential(1s, Inf)", "column 17: exponential: factor is Inf, want a finite number >= 1"},
		{"exponential(1s, 1e309)", "column 17: exponential: factor is 1e309, want a finite number >= 1"},
		{"exponential(1s, 2s)", "column 17: exponential: factor is 2s, want a finite number >= 1"},
		{"polynomial(1s, -0.1)", "column 16: polynomial: power is -0.1, want a finite number >= 0"},
		{"polynomial(1s, nan)", "column 16: polynomial: power is nan, want a finite number >= 0"},
		{"top-jitter(1s, 2s, 1.1)", "column 20: top-jitter: fraction is 1.1, want a number in [0, 1]"},
		{"top-jitter(1s, 2s, NaN)", "column 20: top-jitter: fraction is NaN, want a number in [0, 1]"},
		{"normal-jitter(1s, 2s, 0, 0)", "column 23: normal-jitter: factor is 0, want a finite number >= 1"},
		{"normal-jitter(1s, 2s, 1, -1)", "column 26: normal-jitter: deviation is -1, want a finite number >= 0"},
		{"list() | scale(-1)", "column 16: scale: factor is -1, want a finite number >= 0"},
		{"list() | scale(+Inf)", "column 16: scale: factor is +Inf, want a finite number >= 0"},
		{"list() | jitter(-0.1)", "column 17: jitter: fraction is -0.1, want a number in [0, 1]"},
		{"list() | spread(10%)", "column 17: spread: fraction is 10%, want a number in [0, 1]"},

		// whole numbers
		{"list() | take(-1)", "column 15: take: n is -1, want a whole number in [0, 2147483647]"},
		{"list() | take(2.5)", "column 15: take: n is 2.5, want a whole number in [0, 2147483647]"},
		{"list() | drop(2147483648)", "column 15: drop: n is 2147483648, want a whole number in [0, 2147483647]"},
		{"list() | drop(99999999999999999999)", "column 15: drop: n is 99999999999999999999, want a whole number in [0, 2147483647]"},
		{"list() | take(3s)", "column 15: take: n is 3s, want a whole number in [0, 2147483647]"},

		// a column counts characters, and what cannot be printed is quoted
		{"list(1µs, 2µs) | cap(µ)", "column 22: cap: limit is µ, want a duration such as 3s or none"},
		{"list(1µs) | cäp(3s)", `column 13: unknown stage "cäp", want one of ` + follows},
		{"constant(a\x00b)", `column 10: constant: delay is "a\x00b", want a duration such as 3s`},
		{"constant(\xff)", `column 10: constant: delay is "\xff", want a duration such as 3s`},
		{"constant(" + long + ")", "column 10: constant: delay is " + long[:40] + "…, want a duration such as 3s"},
	} {
		e, err := expr.Parse(test.text)
		if err == nil {
			t.Errorf("Parse(%q) is %s, want the error %q", test.text, e, test.want)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("Parse(%q), error (-want +got):\n%s", test.text, diff)
		}
		if strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("Parse(%q): the error has more than one line: %q", test.text, err)
		}
	}
}

func TestErrorFields(t *testing.T) {
	for text, want := range map[string]expr.Error{
		"constant(1s)| capp(3s)": {15, "capp", `unknown stage "capp"`, "did you mean cap?"},
		"constant(1s":            {12, "", "unexpected end of text", "want , or )"},
		"uniform(2s, 1000ms)":    {13, "1000ms", "uniform: hi is 1000ms", "want >= lo, which is 2s"},
	} {
		_, err := expr.Parse(text)
		e, ok := errors.AsType[*expr.Error](err)
		if !ok {
			t.Errorf("Parse(%q): the error is %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, *e); diff != "" {
			t.Errorf("Parse(%q), error (-want +got):\n%s", text, diff)
		}
	}
}

// The bounds hold to the unit, and what is inside them works.
func TestBounds(t *testing.T) {
	nest := func(depth int) string {
		return strings.Repeat("list(1s) | then(", depth) + "list(1s)" + strings.Repeat(")", depth)
	}
	chain := func(stages int) string {
		return "constant(1s)" + strings.Repeat(" | take(5)", stages-1)
	}
	for _, test := range []struct {
		text   string
		delays int
	}{{nest(100), 101}, {chain(1000), 5}} {
		e := parse(t, test.text)
		if e.String() != test.text {
			t.Errorf("%.40s... does not print as it was written", test.text)
		}
		if got := first(e.Schedule(), 200); len(got) != test.delays {
			t.Errorf("%.40s... has %d delays, want %d", test.text, len(got), test.delays)
		}
	}
	for text, want := range map[string]string{
		nest(101):                           "column 1617: nested more than 100 deep, want fewer levels",
		strings.Repeat("list()|then(", 9e5): "column 1213: nested more than 100 deep, want fewer levels",
		chain(1001):                         "column 10006: more than 1000 stages, want fewer",
	} {
		if _, err := expr.Parse(text); err == nil || err.Error() != want {
			t.Errorf("Parse(%.40s...): %v, want %s", text, err, want)
		}
	}
}
