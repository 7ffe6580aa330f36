package overload

import "fmt"

// An Error is about an invalid field of a [Config].
type Error struct {
	Field string // as in "Queue", "Trigger.Factor" or "Warmup + Trigger.For + After"
	Got   string // its value
	Want  string // the valid values, to be read after "want"
}

// Error returns a sentence such as "overload: Queue is -1, want 0 to 1000000000".
func (e *Error) Error() string {
	return fmt.Sprintf("overload: %s is %s, want %s", e.Field, e.Got, e.Want)
}

// reject returns the Error about a field.
func reject(field string, got any, want string) error {
	return &Error{field, fmt.Sprint(got), want}
}
