package overload

import "fmt"

// An Error says which field of a [Config] makes no sense: what it is, and what is
// wanted instead.
type Error struct {
	Field string // as in "Queue", "Trigger.Factor" or "Warmup + Trigger.For + After"
	Got   string // what it is
	Want  string // what is wanted, to be read after "want"
}

// Error returns a sentence such as "overload: Queue is -1, want 0 to 1000000000".
func (e *Error) Error() string {
	return fmt.Sprintf("overload: %s is %s, want %s", e.Field, e.Got, e.Want)
}

// reject returns the Error about a field.
func reject(field string, got any, want string) error {
	return &Error{field, fmt.Sprint(got), want}
}
