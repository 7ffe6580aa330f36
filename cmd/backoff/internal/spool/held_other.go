//go:build !unix

package spool

import "os"

// A held is the output of one attempt in a temporary file, to which the command writes. On
// these systems standard output has no name by which it could be truncated.
type held struct{ kept tempFile }

func (h *held) open(func(error)) (*os.File, error) { return h.kept.File, nil }
func (h *held) started()                           {}
func (h *held) ended() error                       { return nil }
