package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/backoff/expr"
)

// starts and follows are the names of the generators and of the other stages, as an error
// lists them.
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
		// no stage
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
		{"help(1s)", `column 1: unknown stage "help", want one of ` + starts},
		{"list() | help(1s)", `column 10: unknown stage "help", want one of ` + follows},
		{"wait(1s)", `column 1: unknown stage "wait", did you mean constant?`},
		{"list() | wait(1s)", `column 10: unknown stage "wait", did you mean then(constant(...))?`},
		{"exp(1s, 2)", `column 1: unknown stage "exp", did you mean exponential?`},
		{"const(1s)", `column 1: unknown stage "const", did you mean constant?`},
		{"fixed(1s)", `column 1: unknown stage "fixed", did you mean constant?`},
		{"backoff.FullJitter(1s, 2s)", `column 1: unknown stage "backoff.FullJitter", did you mean full-jitter?`},
		{"list() | max-delay(10s)", `column 10: unknown stage "max-delay", did you mean cap?`},
		{"list() | maxElapsedTime(10s)", `column 10: unknown stage "maxElapsedTime", did you mean within?`},
		{"list() | retries(3)", `column 10: unknown stage "retries", did you mean take?`},
		{"list() | max_retries(3)", `column 10: unknown stage "max_retries", did you mean take?`},
		{"list() | attempts(4)", `column 10: unknown stage "attempts", did you mean take? It counts retries, one less than attempts`},
		{"list() | tries(4)", `column 10: unknown stage "tries", did you mean take? It counts retries, one less than attempts`},
		{"list() | plus(list())", `column 10: unknown stage "plus", did you mean add?`},
		{"full–jitter(1s, 2s)", `column 1: unknown stage "full–jitter", did you mean full-jitter?`},
		{long, `column 1: unknown stage "` + long[:40] + `…", want one of ` + starts},

		// marks
		{"constant", "column 9: unexpected end of text, want ( after constant"},
		{"constant 1s", `column 10: unexpected "1s", did you mean constant(1s)?`},
		{"constant 1d", `column 10: unexpected "1d", did you mean constant(24h)?`},
		{"constant 100 ms", `column 10: unexpected "100", did you mean constant(100ms)?`},
		{"constant -1d", `column 10: unexpected "-1d", want ( after constant`},
		{"list() | cap none", `column 14: unexpected "none", did you mean cap(none)?`},
		{"list() | cap 1d", `column 14: unexpected "1d", did you mean cap(24h)?`},
		{"list() | jitter 0.5", `column 17: unexpected "0.5", did you mean jitter(0.5)?`},
		{"list() | jitter 50%", `column 17: unexpected "50%", did you mean jitter(0.5)?`},
		{"list() | jitter 500%", `column 17: unexpected "500%", want ( after jitter`},
		{"list() | take 50%", `column 15: unexpected "50%", want ( after take`},
		{"list() | take 8", `column 15: unexpected "8", did you mean take(8)?`},
		{"list() | take eight", `column 15: unexpected "eight", want ( after take`},
		{"list 1s", `column 6: unexpected "1s", want ( after list`},
		{"list() | max list()", `column 14: unexpected "list", want ( after max`},
		{"constant [1s]", `column 10: unexpected "[", want ( after constant`},
		{"constant | cap(1s)", `column 10: unexpected "|", want ( after constant`},
		{"constant(1s", "column 12: unexpected end of text, want )"},
		{"constant(1s | cap(2s)", `column 13: unexpected "|", want )`},
		{"constant(1s 2s)", `column 13: unexpected "2s", want )`},
		{"exponential(1s 2)", `column 16: unexpected "2", want ,`},
		{"list(1s 2s)", `column 9: unexpected "2s", want , or )`},
		{"list(1s) | then(list(1s)", "column 25: unexpected end of text, want | or )"},
		{"list(1s) | then(list(1s) cap(3s))", `column 26: unexpected "cap", did you mean | cap?`},
		{"constant(1s))", `column 13: unexpected ")", want | or the end of the text`},
		{"constant(1s) cap(3s)", `column 14: unexpected "cap", did you mean | cap?`},
		{"exponential(100ms,2).cap(10s)", `column 21: unexpected ".cap", did you mean | cap?`},
		{"constant(1s) x", `column 14: unexpected "x", want | or the end of the text`},
		{"constant(1s) + constant(2s)", `column 14: unexpected "+", did you mean | add(constant(...))?`},
		{"constant(1s)+uniform(0s,1s)", `column 13: unexpected "+", did you mean | add(uniform(...))?`},
		{"constant(1s) +uniform(0s,1s)", `column 14: unexpected "+", did you mean | add(uniform(...))?`},
		{"constant(1s)+2", `column 13: unexpected "+2", want | or the end of the text`},
		{"constant(1s) + cap(2s)", `column 14: unexpected "+", want | or the end of the text`},
		{"constant(1s) +cap(2s)", `column 14: unexpected "+cap", did you mean | cap?`},
		{"constant(1s) -cap(2s)", `column 14: unexpected "-cap", did you mean | cap?`},
		{"constant(1s) >cap(2s)", `column 14: unexpected ">cap", did you mean | cap?`},
		{"constant(1s) .limit(2s)", `column 14: unexpected ".limit", did you mean | cap?`},
		{"constant(1s) >limit(2s)", `column 14: unexpected ">limit", did you mean | cap?`},
		{"constant(1s) =limit(2s)", `column 14: unexpected "=limit", did you mean | cap?`},
		{"constant(1s) &limit(2s)", `column 14: unexpected "&limit", did you mean | cap?`},
		{"constant(1s) +limit(2s)", `column 14: unexpected "+limit", did you mean | cap?`},
		{"constant(1s) ->limit(2s)", `column 14: unexpected "->limit", did you mean | cap?`},
		{"constant(1s) -> cap(2s)", `column 14: unexpected "->", want | or the end of the text`},
		{"constant(1s) |> cap(2s)", `column 15: unexpected ">", want a stage such as cap(10s)`},
		{"constant(1s) ¦ cap(2s)", `column 14: unexpected "¦", want |`},
		{"constant(1s)│cap(2s)", `column 13: unexpected "│", want |`},
		{"constant（1s）", `column 9: unexpected "（", want (`},
		{"constant[1s]", `column 9: unexpected "[", want (`},
		{"constant(1s]", `column 12: unexpected "]", want )`},
		{"list(1s，2s)", `column 8: unexpected "，", want ,`},
		{"list(1s; 2s)", `column 8: unexpected ";", want ,`},
		{"[1s, 2s]", `column 1: unexpected "[1s", want a schedule such as constant(1s)`},
		{"'constant(1s)'", `column 1: unexpected "'", want the expression without quotation marks`},
		{"“constant(1s)”", `column 1: unexpected "“", want the expression without quotation marks`},
		{"constant(1s), constant(1s)", `column 13: unexpected ",", want | or the end of the text`},
		{"list(1s,)", `column 9: unexpected ")", want a duration >= 0 for delay`},
		{"list(,1s)", `column 6: unexpected ",", want a duration >= 0 for delay`},
		{"list((1s))", `column 6: unexpected "(", want a duration >= 0 for delay`},
		{"constant(", "column 10: unexpected end of text, want a duration >= 0 for delay"},
		{"exponential(1s,", "column 16: unexpected end of text, want a finite number >= 1 for factor"},
		{"constant(1s,)", `column 13: unexpected ")", want constant(delay)`},

		// number of arguments
		{"constant()", "column 10: constant: delay is missing, want constant(delay)"},
		{"exponential(1s)", "column 15: exponential: factor is missing, want exponential(base, factor)"},
		{"normal-jitter(1s, 2s)", "column 21: normal-jitter: factor is missing, want normal-jitter(base, limit, factor, deviation)"},
		{"list() | then()", "column 15: then: EXPR is missing, want then(EXPR)"},
		{"constant(1s, 2s)", `column 14: constant: "2s" is one argument too many, want constant(delay)`},
		{"exponential(1s, 2, 10s)", `column 20: exponential: "10s" is one argument too many, want exponential(base, factor) | cap(10s)`},
		{"exponential(1s, 2, 0)", `column 20: exponential: "0" is one argument too many, want exponential(base, factor)`},
		{"exponential(1s, 2, cap=3s)", `column 20: exponential: "cap=3s" is one argument too many, want exponential(base, factor) | cap(3s), without names`},
		{"exponential(1s, 2, cap=)", `column 20: exponential: "cap=" is one argument too many, want exponential(base, factor), without names`},
		{"full-jitter(1s, 9s, max:10s)", `column 21: full-jitter: "max:10s" is one argument too many, want full-jitter(base, limit), without names`},
		{"full-jitter(1s, 9s, 10s)", `column 21: full-jitter: "10s" is one argument too many, want full-jitter(base, limit)`},
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
		{"constant(3sec)", "column 10: constant: delay is 3sec, did you mean 3s?"},
		{"constant(\"3s\")", `column 10: constant: delay is "\"3s\"", did you mean 3s?`},
		{"constant(5mins)", "column 10: constant: delay is 5mins, did you mean 5m?"},
		{"constant(1.5d)", "column 10: constant: delay is 1.5d, did you mean 36h?"},
		{"constant(5.1d)", "column 10: constant: delay is 5.1d, did you mean 122h24m?"},
		{"constant(0.7d)", "column 10: constant: delay is 0.7d, did you mean 16h48m?"},
		{"constant(64.07d)", "column 10: constant: delay is 64.07d, did you mean 1537h40m48s?"},
		{"constant(0.333333333333333d)", "column 10: constant: delay is 0.333333333333333d, did you mean 8h?"},
		{"constant(1e9d)", "column 10: constant: delay is 1e9d, want a duration such as 3s"},
		{"constant(100MS)", "column 10: constant: delay is 100MS, did you mean 100ms?"},
		{"constant(1_500ms)", "column 10: constant: delay is 1_500ms, did you mean 1.5s?"},
		{"constant(100*time.Millisecond)", "column 10: constant: delay is 100*time.Millisecond, did you mean 100ms?"},
		{"constant(−1s)", "column 10: constant: delay is −1s, want a duration >= 0"},
		{"constant(100 ms)", "column 10: constant: delay is 100 ms, did you mean 100ms?"},
		{"constant(-100 ms)", "column 10: constant: delay is -100, want a duration such as 3s"},
		{"exponential(100 ms, 2)", "column 13: exponential: base is 100 ms, did you mean 100ms?"},
		{"list() | cap(1.5 seconds)", "column 14: cap: limit is 1.5 seconds, did you mean 1.5s?"},
		{"constant(1m 30s)", "column 10: constant: delay is 1m 30s, did you mean 1m30s?"},
		{"constant(100 2)", "column 10: constant: delay is 100, want a duration such as 100s"},
		{"exponential(base=100ms, 2)", "column 13: exponential: base is base=100ms, want the value alone, without a name"},
		{"exponential(base: 100ms, 2)", "column 13: exponential: base is base:, want the value alone, without a name"},

		// a duration or a number where a schedule is wanted
		{"3s", `column 1: unexpected "3s", want a schedule such as constant(3s)`},
		{"1.5 seconds", `column 1: unexpected "1.5 seconds", want a schedule such as constant(1.5s)`},
		{"100", `column 1: unexpected "100", want a schedule such as constant(1s)`},
		{"-3s", `column 1: unexpected "-3s", want a schedule such as constant(1s)`},
		{"list() | 3s", `column 10: unexpected "3s", want a stage such as cap(10s)`},
		{"list() | max(10s)", "column 14: max: EXPR is 10s, want a schedule; did you mean cap(10s), at most 10s, or floor(10s), at least 10s?"},
		{"list() | min(10 s)", "column 14: min: EXPR is 10 s, want a schedule; did you mean floor(10s), at least 10s, or cap(10s), at most 10s?"},
		{"list() | then(1s)", "column 15: then: EXPR is 1s, want a schedule; did you mean then(constant(1s))?"},
		{"list() | add(500ms)", "column 14: add: EXPR is 500ms, want a schedule; did you mean add(constant(500ms))?"},
		{"list() | max(10)", "column 14: max: EXPR is 10, want a schedule such as constant(1s)"},
		{"list() | max(.5s)", "column 14: max: EXPR is .5s, want a schedule; did you mean cap(500ms), at most 500ms, or floor(500ms), at least 500ms?"},
		{"list() | max(+1s)", "column 14: max: EXPR is +1s, want a schedule; did you mean cap(1s), at most 1s, or floor(1s), at least 1s?"},
		{"list() | max(-1s)", "column 14: max: EXPR is -1s, want a schedule such as constant(1s)"},
		{"list() | max(−1s)", "column 14: max: EXPR is −1s, want a schedule such as constant(1s)"},
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
		{"exponential(1s, 50%)", "column 17: exponential: factor is 50%, want a finite number >= 1"},
		{"polynomial(1s, -0.1)", "column 16: polynomial: power is -0.1, want a finite number >= 0"},
		{"polynomial(1s, nan)", "column 16: polynomial: power is nan, want a finite number >= 0"},
		{"top-jitter(1s, 2s, 1.1)", "column 20: top-jitter: fraction is 1.1, want a number in [0, 1]"},
		{"top-jitter(1s, 2s, NaN)", "column 20: top-jitter: fraction is NaN, want a number in [0, 1]"},
		{"normal-jitter(1s, 2s, 0, 0)", "column 23: normal-jitter: factor is 0, want a finite number >= 1"},
		{"normal-jitter(1s, 2s, 1, -1)", "column 26: normal-jitter: deviation is -1, want a finite number >= 0"},
		{"list() | scale(-1)", "column 16: scale: factor is -1, want a finite number >= 0"},
		{"list() | scale(+Inf)", "column 16: scale: factor is +Inf, want a finite number >= 0"},
		{"list() | jitter(-0.1)", "column 17: jitter: fraction is -0.1, want a number in [0, 1]"},
		{"list() | spread(10%)", "column 17: spread: fraction is 10%, did you mean 0.1?"},
		{"list() | jitter(150%)", "column 17: jitter: fraction is 150%, want a number in [0, 1]"},
		{"list() | jitter(%)", "column 17: jitter: fraction is %, want a number in [0, 1]"},
		{"list() | scale(50%)", "column 16: scale: factor is 50%, did you mean 0.5?"},

		// whole numbers
		{"list() | take(-1)", "column 15: take: n is -1, want a whole number in [0, 2147483647]"},
		{"list() | take(2.5)", "column 15: take: n is 2.5, want a whole number in [0, 2147483647]"},
		{"list() | drop(2147483648)", "column 15: drop: n is 2147483648, want a whole number in [0, 2147483647]"},
		{"list() | drop(99999999999999999999)", "column 15: drop: n is 99999999999999999999, want a whole number in [0, 2147483647]"},
		{"list() | take(3s)", "column 15: take: n is 3s, want a whole number in [0, 2147483647]"},

		// a column counts characters; words that cannot be printed are quoted
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

// Every name of a unit that time.ParseDuration refuses has a hint.
func TestUnits(t *testing.T) {
	for word, want := range map[string]string{
		"2nano": "2ns", "2nanosecond": "2ns", "2nsec": "2ns",
		"2micro": "2µs", "2microsecond": "2µs", "2usec": "2µs",
		"2milli": "2ms", "2millisecond": "2ms", "2msec": "2ms",
		"2sec": "2s", "2second": "2s",
		"2min": "2m", "2minute": "2m",
		"2hr": "2h", "2hour": "2h",
		"2d": "48h", "2day": "48h",
		"2w": "336h", "2week": "336h",
	} {
		for _, word := range []string{word, word + "s"} {
			_, err := expr.Parse("constant(" + word + ")")
			want := "column 10: constant: delay is " + word + ", did you mean " + want + "?"
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

func TestErrorFields(t *testing.T) {
	for text, want := range map[string]expr.Error{
		"constant(1s)| capp(3s)": {15, "capp", `unknown stage "capp"`, "did you mean cap?"},
		"constant(1s":            {12, "", "unexpected end of text", "want )"},
		"constant( 100 ms )":     {11, "100 ms", "constant: delay is 100 ms", "did you mean 100ms?"},
		"list(1s)；take(3)":       {9, "；take", `unexpected "；take"`, "want | or the end of the text"},
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

// Expressions at the bounds work, and one more stage or level is an error.
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
