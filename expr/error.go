package expr

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error says what is wrong with a text, in one line:
//
//	column 15: unknown stage "capp", did you mean cap?
type Error struct {
	Column  int    // where it stands, counting characters from 1
	Got     string // what stands there; empty at the end of the text
	Problem string // what is wrong with it: unknown stage "capp"
	Want    string // what could stand there: did you mean cap?
}

// Error returns the line.
func (e *Error) Error() string {
	return fmt.Sprintf("column %d: %s, %s", e.Column, e.Problem, e.Want)
}

// longest is how many characters of a word an error shows.
const longest = 40

// shorten cuts a word that is too long to be shown.
func shorten(word string) string {
	if utf8.RuneCountInString(word) <= longest {
		return word
	}
	return string([]rune(word)[:longest]) + "…"
}

// plain returns a word as it is to be shown: bare, or quoted where that could be
// misread.
func plain(word string) string {
	word = shorten(word)
	odd := func(r rune) bool { return r == '"' || r == utf8.RuneError || !unicode.IsGraphic(r) }
	if strings.ContainsFunc(word, odd) {
		return fmt.Sprintf("%q", word)
	}
	return word
}

// suggestion returns what to say about an unknown name: the stage that is meant,
// or else all that could stand there.
func suggestion(name string, first bool) string {
	if known := letters(name); known == "map" || known == "func" {
		return "which takes a Go function, and no text can give that"
	}
	if best := nearest(name, first); best != "" {
		return "did you mean " + best + "?"
	}
	switch best := nearest(name, !first); {
	case best != "" && first:
		return "did you mean " + best + "? That follows a schedule"
	case best != "":
		return "did you mean then(" + best + "(...))?"
	}
	var names []string
	for _, s := range stages {
		if s.Starts == first {
			names = append(names, s.Name)
		}
	}
	return "want one of " + strings.Join(names, ", ")
}

// nearest returns the name of the stage, of those that start a schedule or of the
// others, that an unknown name is a misspelling of, or another word for; and the empty
// text if there is none.
func nearest(name string, starts bool) (best string) {
	name = letters(name)
	least := 1 + len(name)/3 // more letters than that are no misspelling
	for _, s := range stages {
		if s.Starts != starts {
			continue
		}
		if synonyms[name] == s.Name {
			return s.Name
		}
		known := []string{s.Name, s.Func}
		if word, _, several := strings.Cut(s.Name, "-"); several && len(word) > len("full") {
			known = append(known, word)
		}
		for _, known := range known {
			if d := difference(name, letters(known)); known != "" && d < least {
				best, least = s.Name, d
			}
		}
	}
	return best
}

// synonyms are words that other libraries have for a stage.
var synonyms = map[string]string{
	"fixed": "constant", "delays": "list", "random": "uniform",
	"limit": "cap", "clamp": "cap", "ceiling": "cap", "append": "then",
	"maximum": "max", "minimum": "min", "retries": "take", "attempts": "take",
}

// letters returns a name without what differs between styles of writing it.
func letters(name string) string { return styles.Replace(strings.ToLower(name)) }

var styles = strings.NewReplacer("-", "", "_", "")

// difference returns the least number of letters that must be inserted, deleted or
// replaced to make known of name (V. Levenshtein, 1966), or 0 where name is the
// beginning of known, three letters or more.
func difference(name, known string) int {
	if len(name) >= 3 && strings.HasPrefix(known, name) {
		return 0
	}
	if len(name) > 2*len(known)+longest { // far off, and not worth the time
		return len(name)
	}
	row := make([]int, len(known)+1) // row[j]: from the letters of name so far to known[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(name) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(known) {
			above := row[j+1]
			cost := diagonal
			if name[i] != known[j] {
				cost = 1 + min(diagonal, above, row[j])
			}
			diagonal, row[j+1] = above, cost
		}
	}
	return row[len(known)]
}
