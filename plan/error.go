package plan

import (
	"fmt"

	"example.com/backoff/internal/argument"
)

// An Error is about a question that has no answer. It names the quantity that makes it
// impossible, what came and what was wanted.
type Error struct {
	Question string // the method, such as "FactorForRatio", or "Geometric" for a bad field
	Name     string // the argument or field, such as "ratio" or "Limit"
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

// reject panics with the text of the Error about one argument.
func reject(question, name string, got any, want string) {
	argument.Reject("plan", question, name, got, want)
}

// checkNonNegative panics if an argument is below 0.
func checkNonNegative[T ~int | ~int64](question, name string, got T) {
	if got < 0 {
		reject(question, name, got, ">= 0")
	}
}
