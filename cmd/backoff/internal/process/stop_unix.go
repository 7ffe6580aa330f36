//go:build unix && !aix && !solaris && !linux

package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// A stopper stops backoff because of a SIGTSTP that was caught, unless a SIGCONT comes soon
// before or after it: the order of the two is unknown.
type stopper struct {
	of   *Relay
	due  <-chan time.Time // when to call act; nil for never
	last time.Time        // when a SIGCONT came
}

func newStopper(of *Relay) *stopper { return &stopper{of: of} }

// stop is called after a SIGTSTP.
func (s *stopper) stop() {
	if time.Since(s.last) > settling {
		s.due = time.After(settling)
	} else {
		s.of.signal(unix.SIGCONT)
	}
}

// act stops backoff.
func (s *stopper) act() {
	s.due = nil
	// Not SIGTSTP, because package signal cannot restore its default action.
	stopUntilContinued(unix.Getpid(), unix.SIGSTOP)
	s.of.signal(unix.SIGCONT)
}

// continued is called after a SIGCONT.
func (s *stopper) continued() { s.due, s.last = nil, time.Now() }
