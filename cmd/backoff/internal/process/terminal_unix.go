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

// A Terminal is the one that controls backoff; nil if none does.
//
// The command's group is a background group at first: backoff and what stands beside
// it in the pipeline stay in the foreground, so that in
//
//	backoff run -- ./report | less
//
// less has the keyboard and backoff gets ctrl-C, and passes it on. A background group
// that reads from the terminal, or sets it, is stopped by SIGTTIN or SIGTTOU. That is
// how it asks for the terminal: it gets it then, and is continued, until the attempt
// ends. Ctrl-C goes to it alone in that time. If it dies of it, so does backoff; a
// command that makes an ordinary exit status of it, other than 130, is retried, and
// the next ctrl-C, in the delay, is for backoff.
type Terminal struct{ fd int }

// OpenTerminal returns the controlling terminal, or nil.
func OpenTerminal() *Terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &Terminal{fd}
}

// Close closes what OpenTerminal has opened.
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

// give makes a group the foreground, from wherever backoff stands.
func (t *Terminal) give(group int) {
	// Whoever is in the background and does this is stopped, unless it ignores SIGTTOU.
	// A command would inherit that: Reset leaves it so, and Notify does not.
	signal.Ignore(unix.SIGTTOU)
	defer func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, unix.SIGTTOU)
		signal.Stop(c)
	}()
	// It fails where the group or the terminal is gone: nothing is left to do then.
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
			// backoff is in the background itself: stop as a whole, as the shell expects.
			stopUntilContinued(0, sig)
		}
		if p.tty.foreground() == syscall.Getpgrp() {
			if !p.hadTerminal {
				p.hadTerminal, p.restore = true, p.tty.keep()
			}
			p.tty.give(p.pid)
		}
		_ = unix.Kill(-p.pid, unix.SIGCONT)
	case unix.SIGTSTP:
		if p.tty.foreground() == p.pid {
			// Ctrl-Z: pass it on to where it would have gone, see watch.
			p.takeTerminal()
			_ = unix.Kill(0, unix.SIGTSTP)
		}
	}
}

// takeTerminal takes back what the process was given, and reports whether it did.
func (p *Process) takeTerminal() bool {
	if !p.hadTerminal || p.tty.foreground() != p.pid {
		return false
	}
	p.tty.give(syscall.Getpgrp())
	return true
}

// interrupted returns the signal of ctrl-C, of ctrl-\ or of a terminal that is gone, where
// the process alone got it.
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

// keep returns a function that restores the modes that the terminal has now.
func (t *Terminal) keep() func() {
	state, err := term.GetState(t.fd)
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(t.fd, state) }
}

// DieOf ends backoff as a signal would have, where a shell at the terminal must know:
// one that runs a loop goes on after an exit status of 130, and not after SIGINT.
// Elsewhere, and if the signal does not end it, it returns.
func (t *Terminal) DieOf(sig os.Signal) {
	if t == nil || sig != unix.SIGINT || t.foreground() != syscall.Getpgrp() {
		return
	}
	signal.Reset(sig)
	if unix.Kill(unix.Getpid(), unix.SIGINT) == nil {
		time.Sleep(100 * time.Millisecond)
	}
}

// Ctrl-Z.
var stopSignals = []os.Signal{unix.SIGTSTP}

// stopAll stops the process and backoff, and continues the process when backoff is
// continued.
func (w *Relay) stopAll(sig os.Signal) {
	w.signal(sig)
	// Not sig: package signal has no way back to what it does by default.
	stopUntilContinued(unix.Getpid(), unix.SIGSTOP)
	w.signal(unix.SIGCONT)
}
