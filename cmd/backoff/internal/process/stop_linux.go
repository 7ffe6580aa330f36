package process

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A stopper stops backoff because of a SIGTSTP that was caught, unless a SIGCONT came after
// it. No check for SIGCONT can decide that, because one may come between the check and the
// stop, and backoff would stay stopped. The system decides: a SIGCONT removes each stop
// signal that was sent before it and is still pending. So the stopper sends a stop signal to
// its own thread, which blocks it, before any SIGTSTP comes, and stops by unblocking it.
//
// The signal is SIGTTIN, because Go gives back the default action of no signal that it has
// caught. As SIGTSTP does, it does not stop a process whose parent could not continue it.
type stopper struct {
	of  *Relay
	due <-chan time.Time // when to call act; nil for never
}

// newStopper binds the calling goroutine to its thread, which ends with it.
func newStopper(of *Relay) *stopper {
	runtime.LockOSThread()
	s := &stopper{of: of}
	s.act()
	return s
}

// mask blocks or unblocks the stop signal in this thread.
func (*stopper) mask(how int) {
	var set unix.Sigset_t
	set.Val[0] = 1 << (unix.SIGTTIN - 1)
	_ = unix.PthreadSigmask(how, &set, nil) // its arguments are right
}

// act prepares for the next SIGTSTP.
func (s *stopper) act() {
	s.due = nil
	s.mask(unix.SIG_BLOCK)
	// If it failed, a SIGTSTP would stop the command for a moment, and not backoff.
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGTTIN)
}

// stop is called after a SIGTSTP. It returns when backoff may run, and so may the process.
func (s *stopper) stop() {
	s.mask(unix.SIG_UNBLOCK)
	// Backoff was stopped here, or a SIGCONT had come.
	s.mask(unix.SIG_BLOCK)
	s.of.signal(unix.SIGCONT)
}

// continued is called after a SIGCONT. The channel of signals may still have a SIGTSTP that
// came before it, which must not stop backoff any more.
func (s *stopper) continued() { s.due = time.After(settling) }
