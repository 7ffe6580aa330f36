package process

import (
	"golang.org/x/sys/unix"
)

// AdoptOrphans makes backoff the parent of processes whose own parent ends, until release
// is called, so that Alive notices their end. Otherwise their parent is the first process of
// the system or the container, which may wait for them late or never, and until then a
// process that has ended looks alive.
func AdoptOrphans() (release func()) {
	// If it fails, backoff may wait a little longer than necessary.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }
}
