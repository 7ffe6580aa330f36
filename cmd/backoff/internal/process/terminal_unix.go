//go:build unix && !aix && !solaris

package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A Terminal is the controlling terminal of backoff; nil if there is none.
//
// The command's group starts as a background group. Backoff and the rest of its pipeline
// stay in the foreground, so that in
//
//	backoff run -- ./report | less
//
// less has the keyboard, and backoff gets ctrl-C and passes it on. The system stops a
// background group that reads from the terminal or sets its modes, by SIGTTIN or SIGTTOU.
// Backoff then gives it the terminal and continues it, and takes the terminal back when the
// attempt ends. Until then ctrl-C reaches only the command. If the command dies of ctrl-C, or
// exits with status 130, backoff ends too. If it exits with another status, it is retried,
// and the next ctrl-C, during the delay, ends backoff.
type Terminal struct{ fd int }

// OpenTerminal returns the controlling terminal, or nil.
func OpenTerminal() *Terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &Terminal{fd}
}

// Close closes the terminal.
func (t *Terminal) Close() {
	if t != nil {
		unix.Close(t.fd)
	}
}

// foreground returns the group that has the terminal, or 0.
func (t *Terminal) foreground() int {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

// hasForeground reports whether backoff's group has the terminal that fd is open on.
func hasForeground(fd int) bool {
	// It is an error if fd is not backoff's controlling terminal.
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

// give makes a group the foreground, even if backoff is in the background.
func (t *Terminal) give(group int) {
	// The system stops a background process that does this, unless the process ignores
	// SIGTTOU. A command would inherit that. Notify undoes Ignore, and Reset does not.
	signal.Ignore(unix.SIGTTOU)
	defer func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, unix.SIGTTOU)
		signal.Stop(c)
	}()
	// It fails if the group or the terminal is gone. Then there is nothing to do.
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group)
}

// stopped is called when the process was stopped by sig.
func (p *Process) stopped(sig syscall.Signal) {
	if p.tty == nil {
		return
	}
	switch sig {
	case unix.SIGTTIN, unix.SIGTTOU:
		if has := p.tty.foreground(); has != p.pid && has != syscall.Getpgrp() {
			// Backoff is in the background too: stop both, as the shell expects.
			stopUntilContinued(0, sig)
		}
		if hasForeground(p.tty.fd) {
			if !p.hadTerminal {
				p.hadTerminal, p.restore = true, p.tty.keep()
			}
			p.tty.give(p.pid)
		}
		_ = unix.Kill(-p.pid, unix.SIGCONT)
	case unix.SIGTSTP:
		if p.tty.foreground() == p.pid {
			// Ctrl-Z: pass it on to backoff's group, see Relay.
			p.takeTerminal()
			_ = unix.Kill(0, unix.SIGTSTP)
		}
	}
}

// takeTerminal takes the terminal back if the process has it, and reports whether it had.
func (p *Process) takeTerminal() bool {
	if !p.hadTerminal || p.tty.foreground() != p.pid {
		return false
	}
	p.tty.give(syscall.Getpgrp())
	return true
}

// interrupted returns the signal of ctrl-C, of ctrl-\ or of a closed terminal, if the
// process had the terminal and died of it, and nil otherwise.
func (p *Process) interrupted(e Exit) os.Signal {
	if !p.hadTerminal {
		return nil
	}
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGHUP} {
		if e.Status == SignalStatus(sig) {
			return sig
		}
	}
	return nil
}

// keep returns a function that restores the present modes of the terminal.
func (t *Terminal) keep() func() {
	state, err := term.GetState(t.fd)
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(t.fd, state) }
}

// DieOf ends backoff by SIGINT if it is in the foreground of the terminal, because a shell
// that runs a loop ends the loop after SIGINT, and continues after exit status 130. It
// returns if it is not in the foreground, or if the signal does not end backoff.
func (t *Terminal) DieOf(sig os.Signal) {
	if t == nil || sig != unix.SIGINT || !hasForeground(t.fd) {
		return
	}
	signal.Reset(sig)
	if unix.Kill(unix.Getpid(), unix.SIGINT) == nil {
		time.Sleep(100 * time.Millisecond)
	}
}

// Those of ctrl-Z and of the shell that continues a job.
var jobSignals = []os.Signal{unix.SIGTSTP, unix.SIGCONT}

// settling is how long a SIGTSTP and a SIGCONT that were sent one right after the other may
// take to arrive, in either order.
const settling = 20 * time.Millisecond

// handleJob stops the process and backoff, or continues the process because backoff was
// continued. It returns false for other signals. The caller holds the lock.
func (w *Relay) handleJob(sig os.Signal) bool {
	switch sig {
	case unix.SIGTSTP:
		w.signal(sig)
		w.stopper.stop()
	case unix.SIGCONT:
		w.signal(sig)
		w.stopper.continued()
	default:
		return false
	}
	return true
}
