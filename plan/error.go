package plan

import (
	"fmt"

	"example.com/backoff/internal/argument"
)

// An Error says which quantity makes a question impossible: what came, and what
// was wanted.
type Error struct {
	Question string // what was asked, as "FactorForRatio"; "Geometric" for a bad field
	Name     string // the argument or field, as "ratio" or "Limit"
	Got      string // what came
	Want     string // what was wanted, to be read after "want"
}

// Error returns a sentence such as "plan: FactorForRatio: ratio is -0.1, want a
// finite value > 0".
func (e *Error) Error() string {
	return argument.Text("plan", e.Question, e.Name, e.Got, e.Want)
}

// impossible returns the Error about one argument.
func impossible(question, name string, got any, want string) error {
	return &Error{question, name, fmt.Sprint(got), want}
}

// reject panics about one argument, with the text of its Error.
func reject(question, name string, got any, want string) {
	argument.Reject("plan", question, name, got, want)
}

// checkNonNegative panics if an argument is below 0.
func checkNonNegative[T ~int | ~int64](question, name string, got T) {
	if got < 0 {
		reject(question, name, got, ">= 0")
	}
}
