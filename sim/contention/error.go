package contention

import "fmt"

// An Error says which field of a [Config] makes no sense: what it is, and what is
// wanted instead.
type Error struct {
	Field string // as in "Reps", "Clients[1]" or "Clients × Reps"
	Got   string // what it is
	Want  string // what is wanted, to be read after "want"
}

// Error returns a sentence such as "contention: Reps is 0, want 1 to 1000000".
func (e *Error) Error() string {
	return fmt.Sprintf("contention: %s is %s, want %s", e.Field, e.Got, e.Want)
}

// reject returns the Error about a field.
func reject(field string, got any, want string) error {
	return &Error{field, fmt.Sprint(got), want}
}
