package contention

import "fmt"

// An Error is about a field of a [Config] that is out of its bounds.
type Error struct {
	Field string // as in "Reps", "Clients[1]" or "Clients × Reps"
	Got   string // its value
	Want  string // its bounds, as they follow "want": 1 to 1000000
}

// Error returns a sentence such as "contention: Reps is 0, want 1 to 1000000".
func (e *Error) Error() string {
	return fmt.Sprintf("contention: %s is %s, want %s", e.Field, e.Got, e.Want)
}

// reject returns an Error.
func reject(field string, got any, want string) error {
	return &Error{field, fmt.Sprint(got), want}
}
