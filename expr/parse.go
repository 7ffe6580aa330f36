package expr

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of an expression. Parsing, writing and ranging over it take stack for each
// stage and each level.
const (
	maxStages = 1000
	maxDepth  = 100
)

// Parse returns the expression that text describes. The error, if any, is an [*Error] with
// the position of the first mistake.
func Parse(text string) (*Expr, error) {
	p := parser{text: text}
	p.advance()
	stages, err := p.pipeline(0)
	if err != nil {
		return nil, err
	}
	if p.token != "" {
		return nil, p.noPipe("the end of the text")
	}
	return &Expr{stages}, nil
}

// A parser reads one text by recursive descent, one token ahead.
type parser struct {
	text   string
	token  string // a mark, or a word; empty at the end of the text
	at     int    // where token begins, in bytes
	next   int    // where the text after token begins
	stages int    // number of stages that have begun
}

// isMark reports whether r is a token by itself.
func isMark(r rune) bool { return strings.ContainsRune("|(),", r) }

// advance goes on to the next token.
func (p *parser) advance() {
	rest := strings.TrimLeftFunc(p.text[p.next:], unicode.IsSpace)
	p.at = len(p.text) - len(rest)
	end := strings.IndexFunc(rest, func(r rune) bool { return isMark(r) || unicode.IsSpace(r) })
	switch {
	case end < 0:
		end = len(rest)
	case end == 0:
		end = 1 // every mark is one byte long
	}
	p.token = rest[:end]
	p.next = p.at + end
}

// word reports whether the token is neither a mark nor the end of the text.
func (p *parser) word() bool {
	return p.token != "" && !isMark(rune(p.token[0]))
}

// accept advances if the token is mark.
func (p *parser) accept(mark string) bool {
	if p.token != mark {
		return false
	}
	p.advance()
	return true
}

// pipeline parses EXPR, inside depth others.
func (p *parser) pipeline(depth int) ([]call, error) {
	if depth > maxDepth {
		return nil, p.fail(fmt.Sprintf("nested more than %d deep", maxDepth), "want fewer levels")
	}
	var calls []call
	for {
		c, err := p.call(depth, len(calls) == 0)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
		if !p.accept("|") {
			return calls, nil
		}
	}
}

// call parses STAGE.
func (p *parser) call(depth int, first bool) (call, error) {
	s, err := p.stage(first)
	if err != nil {
		return call{}, err
	}
	p.advance()
	if !p.accept("(") {
		return call{}, p.noParenthesis(s)
	}
	c := call{stage: s}
	var begins []parser // p at the beginning of each argument
	for p.token != ")" || len(begins) > 0 {
		begins = append(begins, *p)
		a, err := p.arg(s, len(c.args), depth)
		if err != nil {
			return call{}, err
		}
		c.args = append(c.args, a)
		if p.token == ")" {
			break
		}
		if !p.accept(",") {
			return call{}, p.noComma(s, len(c.args)-1, begins[len(begins)-1])
		}
	}
	if len(c.args) < len(s.Params) && !s.Many {
		return call{}, p.fail(s.Name+": "+s.Params[len(c.args)].Name+" is missing", "want "+s.Usage())
	}
	if s.check != nil {
		if bad, want := s.check(c.args); want != "" {
			return call{}, begins[bad].badArg(s, bad, "want "+want)
		}
	}
	p.advance()
	return c, nil
}

// stage returns the stage that the token names. It is an error if the stage cannot stand
// there.
func (p *parser) stage(first bool) (*stage, error) {
	if !p.isName() {
		return nil, p.noName(first)
	}
	s := stageNamed(p.token)
	switch {
	case s == nil:
		return nil, p.unknown(first)
	case first && !s.Starts:
		return nil, p.fail(s.Name+" starts no schedule", "want one before it, as in "+s.Example)
	case !first && s.Starts:
		return nil, p.fail(s.Name+" starts a schedule", "want a stage that follows one, such as then("+s.Name+"(...))")
	case p.stages == maxStages:
		return nil, p.fail(fmt.Sprintf("more than %d stages", maxStages), "want fewer")
	}
	p.stages++
	return s, nil
}

// arg parses ARG, argument i of s.
func (p *parser) arg(s *stage, i, depth int) (arg, error) {
	if i >= len(s.Params) && !s.Many {
		return arg{}, p.tooMany(s)
	}
	param := s.param(i)
	if param.kind.nests() {
		if startsNumber(p.token) {
			return arg{}, p.noSchedule(s)
		}
		nested, err := p.pipeline(depth + 1)
		return arg{nested: nested}, err
	}
	if !p.word() {
		return arg{}, p.unexpected(param.Want + " for " + param.Name)
	}
	a, hint := param.kind.read(p.token)
	if hint != "" {
		return arg{}, p.unreadable(s, i, hint)
	}
	p.advance()
	return a, nil
}

// unexpected returns the error about a token that does not belong where it stands.
func (p *parser) unexpected(want string) error {
	return p.fail("unexpected "+p.got(), "want "+want)
}

// badArg returns the error about the token as argument i of s.
func (p *parser) badArg(s *stage, i int, hint string) error {
	return p.fail(s.Name+": "+s.param(i).Name+" is "+plain(p.token), hint)
}

// got names the token.
func (p *parser) got() string {
	if p.token == "" {
		return "end of text"
	}
	return fmt.Sprintf("%q", shorten(p.token))
}

// fail returns an error at the token.
func (p *parser) fail(problem, want string) error {
	return &Error{
		Column:  utf8.RuneCountInString(p.text[:p.at]) + 1,
		Got:     p.token,
		Problem: problem,
		Want:    want,
	}
}
