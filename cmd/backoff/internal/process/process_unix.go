//go:build unix && !aix && !solaris

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// EndingSignals end backoff. Those of otherSignals are only passed on.
var (
	EndingSignals = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT}
	otherSignals  = []os.Signal{unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH}
	childSignals  = []os.Signal{unix.SIGCHLD}
)

// SignalStatus returns the exit status with which shells report a death by a signal.
func SignalStatus(sig os.Signal) int { return statusSignal + int(sig.(syscall.Signal)) }

// SignalName returns a name such as SIGTERM.
func SignalName(sig os.Signal) string { return unix.SignalName(sig.(syscall.Signal)) }

// A Process is the command of one attempt. It leads a process group, so that its end can be
// the end of all processes that it started, except those that have left the group, as
// daemons do.
//
// The group is not that of backoff, because a signal to that group would reach backoff and
// everything else in the shell's pipeline. See Terminal for what this means for a command
// that reads from a terminal.
type Process struct {
	pid         int
	tty         *Terminal
	hadTerminal bool   // the group was the terminal's foreground; used in Wait and after it
	restore     func() // restores the terminal's modes of that time
}

// Start starts a process in a group of its own.
func Start(cmd *exec.Cmd, tty *Terminal) (*Process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	if errors.Is(err, unix.ENOEXEC) {
		// POSIX specifies for execvp that sh runs a script without #!, as shells do.
		sh := &exec.Cmd{
			Path: "/bin/sh", Args: append([]string{"sh", cmd.Path}, cmd.Args[1:]...),
			Env: cmd.Env, Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
			SysProcAttr: cmd.SysProcAttr,
		}
		cmd, err = sh, sh.Start()
	}
	if err != nil {
		return nil, err
	}
	p := &Process{pid: cmd.Process.Pid, tty: tty}
	return p, cmd.Process.Release() // Wait waits itself: os.Process does not report stops
}

// Wait returns how the process ended. Meanwhile it does what reap does.
func (p *Process) Wait() (Exit, error) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, syscall.WUNTRACED, nil)
		switch {
		case err == unix.EINTR || err == nil && pid != p.pid:
		case err != nil:
			return Exit{}, os.NewSyscallError("wait4", err)
		case status.Stopped():
			p.stopped(status.StopSignal())
		case status.Signaled():
			if p.takeTerminal() {
				p.restore() // a process that was killed cannot
			}
			return Exit{Status: SignalStatus(status.Signal()), Signal: status.Signal()}, nil
		case status.Exited():
			p.takeTerminal()
			return Exit{Status: status.ExitStatus()}, nil
		}
	}
}

// reap waits for processes that have ended and are not the command. Backoff has such children
// if it is the first process of a container, which is the parent of every process whose own
// parent has ended. Until it has waited for one, the system keeps it.
func reap() {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if err != unix.EINTR && (err != nil || pid <= 0) {
			return
		}
	}
}

// signal sends sig to the group. If it is an ending signal, it continues the group too,
// because a stopped process does not get the signal before that.
func (p *Process) signal(sig os.Signal) {
	// An error means that the group is gone, or belongs to another user by now.
	_ = unix.Kill(-p.pid, sig.(syscall.Signal))
	switch sig {
	case unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT:
		_ = unix.Kill(-p.pid, unix.SIGCONT)
	}
}

// Terminate asks the group to end.
func (p *Process) Terminate() { p.signal(unix.SIGTERM) }

// Kill ends the group.
func (p *Process) Kill() { p.signal(unix.SIGKILL) }

// Alive reports whether the group still has processes after its leader has ended.
func (p *Process) Alive() bool {
	// A process that has ended stays in the group until its parent has waited for it. The
	// parent is backoff after AdoptOrphans, or as the first process of a container.
	for {
		if pid, err := unix.Wait4(-p.pid, nil, unix.WNOHANG, nil); err != nil || pid <= 0 {
			break
		}
	}
	return unix.Kill(-p.pid, 0) == nil
}

// stopUntilContinued stops backoff by sending sig to pid, and returns when backoff is
// continued. It waits for a limited time, because the system does not stop a process whose
// parent could not continue it.
func stopUntilContinued(pid int, sig syscall.Signal) {
	stop := subscribe(unix.SIGCONT)
	defer stop.stop()
	if unix.Kill(pid, sig) != nil {
		return
	}
	select {
	case <-stop.c:
	case <-time.After(100 * time.Millisecond):
	}
}
