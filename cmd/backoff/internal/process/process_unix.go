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

// The signals that end backoff, and those that are passed on and no more.
var (
	EndingSignals = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT}
	otherSignals  = []os.Signal{unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH}
)

// SignalStatus is the exit status that shells give a death by a signal.
func SignalStatus(sig os.Signal) int { return statusSignal + int(sig.(syscall.Signal)) }

// SignalName returns a name such as SIGTERM.
func SignalName(sig os.Signal) string { return unix.SignalName(sig.(syscall.Signal)) }

// A Process is one attempt's, and leads a process group, so that an end is an end
// for all that it started. Only what has left the group, as daemons do, is left.
//
// The group is not that of backoff: a signal to that would reach backoff itself and
// everything beside it in the shell's pipeline. terminal_unix.go says what this means
// for a command that reads from a terminal.
type Process struct {
	pid         int
	tty         *Terminal
	hadTerminal bool   // the group was the terminal's foreground; for wait and after it
	restore     func() // the terminal's modes, as they were then
}

// Start starts a process in a group of its own.
func Start(cmd *exec.Cmd, tty *Terminal) (*Process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	if errors.Is(err, unix.ENOEXEC) {
		// A script without #! is one for sh, says POSIX of execvp, and shells agree.
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
	return p, cmd.Process.Release() // wait does it: Process.Wait is not told of stops
}

// Wait returns how the process ended.
func (p *Process) Wait() (Exit, error) {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(p.pid, &status, syscall.WUNTRACED, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return Exit{}, os.NewSyscallError("wait4", err)
		case status.Stopped():
			p.stopped(status.StopSignal())
		case status.Signaled():
			if p.takeTerminal() {
				p.restore() // what was killed has not done it
			}
			return Exit{Status: SignalStatus(status.Signal()), Signal: status.Signal()}, nil
		case status.Exited():
			p.takeTerminal()
			return Exit{Status: status.ExitStatus()}, nil
		}
	}
}

// signal sends sig to the group. An ending signal wakes what is stopped, for it would
// not get it before.
func (p *Process) signal(sig os.Signal) {
	// An error says that the group is gone, or somebody else's by now.
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

// Alive reports whether the group has processes still, when its leader has ended.
func (p *Process) Alive() bool {
	// What has ended is in the group until it is buried. See AdoptOrphans; and backoff
	// may be the first process of a container.
	for {
		if pid, err := unix.Wait4(-p.pid, nil, unix.WNOHANG, nil); err != nil || pid <= 0 {
			break
		}
	}
	return unix.Kill(-p.pid, 0) == nil
}

// stopUntilContinued stops backoff by sending sig to pid, and returns when it is
// continued. The system does not stop a process whose parent could not continue it;
// hence the limit.
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
