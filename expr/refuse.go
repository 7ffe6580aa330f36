package expr

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// with returns a copy of p whose token is other and begins at bytes later.
func (p parser) with(at int, other string) *parser {
	p.at += at
	p.token = other
	return &p
}

// duration returns the duration that begins at the token: its text and its value. The text
// may have a space in it: 100 ms.
func (p parser) duration() (written string, d time.Duration, ok bool) {
	written = p.token
	if d, ok := meantDuration(written); ok {
		return written, d, true
	}
	p.advance()
	if !p.word() {
		return "", 0, false
	}
	d, ok = meantDuration(written + p.token)
	return written + " " + p.token, d, ok
}

// noName returns the error where the name of a stage is wanted and the token is none.
func (p *parser) noName(first bool) error {
	if r, _ := utf8.DecodeRuneInString(p.token); p.token != "" && strings.ContainsRune(quotes, r) {
		return p.with(0, string(r)).unexpected("the expression without quotation marks")
	}
	if !first {
		return p.unexpected("a stage such as cap(10s)")
	}
	if written, d, ok := p.duration(); ok && d >= 0 {
		return p.with(0, written).unexpected("a schedule such as constant(" + FormatDuration(d) + ")")
	}
	return p.unexpected("a schedule such as constant(1s)")
}

// isName reports whether the token looks like the name of a stage.
func (p *parser) isName() bool {
	r, _ := utf8.DecodeRuneInString(p.token)
	return p.word() && strings.ContainsFunc(p.token, unicode.IsLetter) && !startsNumber(p.token) &&
		!strings.ContainsRune(quotes, r) && markLikes[r] == ""
}

// unknown returns the error about a name that no stage has.
func (p *parser) unknown(first bool) error {
	if at, character, mark := markLike(p.token); at > 0 {
		return p.with(at, character).unexpected(mark)
	}
	return p.fail("unknown stage "+p.got(), suggestion(p.token, first))
}

// noParenthesis returns the error after the name of s.
func (p *parser) noParenthesis(s *stage) error {
	if at, character, mark := markLike(p.token); mark == "(" {
		return p.with(at, character).unexpected("( after " + s.Name)
	}
	if p.word() && len(s.Params) == 1 && !s.Many && !s.nests() {
		if text, ok := p.meant(s.Params[0].kind); ok {
			return p.fail("unexpected "+p.got(), "did you mean "+s.Name+"("+text+")?")
		}
	}
	return p.unexpected("( after " + s.Name)
}

// meant returns the argument of kind k that the token is, or is meant to be.
func (p *parser) meant(k *kind) (text string, ok bool) {
	a, hint := k.read(p.token)
	if hint == "" {
		return k.write(a), true
	}
	if k == duration || k == bound {
		_, d, ok := p.duration()
		return FormatDuration(d), ok && d >= 0
	}
	f, ok := meantPercent(p.token)
	text = formatNumber(f)
	_, hint = k.read(text)
	return text, ok && hint == ""
}

// value returns what comes after the name of an argument, such as 3s in cap=3s. Without a
// name, ok is false.
func (p *parser) value() (value *parser, ok bool) {
	at := strings.IndexAny(p.token, "=:")
	if at <= 0 || strings.IndexFunc(p.token, unicode.IsLetter) != 0 {
		return p, false
	}
	return p.with(at+1, p.token[at+1:]), true
}

// unreadable returns the error about the token as argument i of s, which its kind refuses with
// a hint.
func (p *parser) unreadable(s *stage, i int, hint string) error {
	k := s.param(i).kind
	if at, character, mark := markLike(p.token); at > 0 {
		return p.with(at, character).unexpected(mark)
	}
	if _, named := p.value(); named {
		return p.badArg(s, i, "want the value alone, without a name")
	}
	if k == duration || k == bound {
		if written, d, ok := p.duration(); ok && d >= 0 {
			return p.with(0, written).badArg(s, i, "did you mean "+FormatDuration(d)+"?")
		}
	}
	return p.badArg(s, i, hint)
}

// tooMany returns the error about an argument more than s takes.
func (p *parser) tooMany(s *stage) error {
	if !p.word() {
		return p.unexpected(s.Usage())
	}
	want := "want " + s.Usage()
	limited := slices.ContainsFunc(s.Params, func(p Param) bool { return p.kind == bound })
	value, named := p.value()
	if _, d, ok := value.duration(); ok && d > 0 && s.Params[0].Name == "base" && !limited {
		want += " | cap(" + FormatDuration(d) + ")"
	}
	if named {
		want += ", without names"
	}
	return p.fail(s.Name+": "+p.got()+" is one argument too many", want)
}

// noSchedule returns the error about a number or a duration where s takes a schedule.
func (p *parser) noSchedule(s *stage) error {
	const want = "want a schedule; did you mean "
	written, d, ok := p.duration()
	if !ok || d < 0 {
		return p.badArg(s, 0, "want a schedule such as constant(1s)")
	}
	text := FormatDuration(d)
	atMost, atLeast := "cap("+text+"), at most "+text, "floor("+text+"), at least "+text
	p = p.with(0, written)
	switch s.Name {
	case "max":
		return p.badArg(s, 0, want+atMost+", or "+atLeast+"?")
	case "min":
		return p.badArg(s, 0, want+atLeast+", or "+atMost+"?")
	}
	return p.badArg(s, 0, want+s.Name+"(constant("+text+"))?")
}

// noComma returns the error after argument i of s, which begins at arg.
func (p *parser) noComma(s *stage, i int, arg parser) error {
	if s.nests() {
		return p.noPipe(")")
	}
	joined := arg.token + p.token
	if d, err := time.ParseDuration(joined); err == nil && p.word() && FormatDuration(d) == joined {
		return arg.with(0, arg.token+" "+p.token).badArg(s, i, "did you mean "+joined+"?")
	}
	switch {
	case s.Many:
		return p.unexpected(", or )")
	case i+1 < len(s.Params):
		return p.unexpected(",")
	}
	return p.unexpected(")")
}

// noPipe returns the error after a stage where | or end is wanted.
func (p *parser) noPipe(end string) error {
	if at, character, mark := markLike(p.token); mark == "|" {
		return p.with(at, character).unexpected("|")
	}
	if name, sum := strings.CutPrefix(p.token, "+"); sum {
		if name == "" {
			next := *p
			next.advance()
			name = next.token
		}
		if s := stageNamed(name); s != nil && s.Starts {
			return p.with(0, "+").fail(`unexpected "+"`, "did you mean | add("+s.Name+"(...))?")
		}
	}
	if best := nearest(strings.TrimLeft(p.token, ".>=&+-"), false); best != "" {
		return p.fail("unexpected "+p.got(), "did you mean | "+best+"?")
	}
	return p.unexpected("| or " + end)
}
