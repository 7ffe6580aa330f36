//go:build !linux

package process

// AdoptOrphans does nothing: only Linux has it.
func AdoptOrphans() (release func()) { return func() {} }
