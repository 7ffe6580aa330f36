package table

import (
	"encoding/json"
	"io"
)

// WriteIndented writes a value as JSON that people can read too.
func WriteIndented(w io.Writer, value any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(value)
}
