package expr

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error describes the first mistake in a text, in one line:
//
//	column 15: unknown stage "capp", did you mean cap?
type Error struct {
	Column  int    // position of the mistake, in characters from 1
	Got     string // text at that position; empty at the end
	Problem string // what is wrong: unknown stage "capp"
	Want    string // what is right there: did you mean cap?
}

// Error returns the line: the column, the problem, and what is wanted.
func (e *Error) Error() string {
	return fmt.Sprintf("column %d: %s, %s", e.Column, e.Problem, e.Want)
}

// longest is the number of characters of a word that an error shows.
const longest = 40

// shorten cuts a word that is too long to be shown.
func shorten(word string) string {
	if utf8.RuneCountInString(word) <= longest {
		return word
	}
	return string([]rune(word)[:longest]) + "…"
}

// plain returns a word as an error shows it: bare, or quoted if it could be misread.
func plain(word string) string {
	word = shorten(word)
	odd := func(r rune) bool { return r == '"' || r == utf8.RuneError || !unicode.IsGraphic(r) }
	if strings.ContainsFunc(word, odd) {
		return fmt.Sprintf("%q", word)
	}
	return word
}
