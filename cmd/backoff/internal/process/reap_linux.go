package process

import (
	"golang.org/x/sys/unix"
)

// AdoptOrphans makes backoff the parent of processes whose own parent ends, until
// the function that it returns is called. So it can tell that they have ended: the
// first process of a container may bury them late, or never, and until then a dead
// process looks from outside like one that lives.
func AdoptOrphans() (release func()) {
	// Where it fails an end is waited for a little longer than necessary.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }
}
