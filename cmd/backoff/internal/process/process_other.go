//go:build !unix || aix || solaris

package process

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// On these systems there are no process groups. An interrupt from the keyboard reaches the
// command without help, and the end of an attempt ends only its first process.
var (
	EndingSignals = []os.Signal{os.Interrupt}
	otherSignals  []os.Signal
	jobSignals    []os.Signal
	childSignals  []os.Signal
)

// SignalStatus returns the exit status for an interrupt, the only signal here.
func SignalStatus(os.Signal) int { return statusSignal + 2 }

// SignalName returns the system's name of a signal.
func SignalName(sig os.Signal) string { return sig.String() }

// Busy returns false, because these systems do not say so in the same way.
func Busy(error) bool { return false }

type Process struct{ cmd *exec.Cmd }

// Start starts a process.
func Start(cmd *exec.Cmd, _ *Terminal) (*Process, error) {
	return &Process{cmd}, cmd.Start()
}

// Wait returns how the process ended.
func (p *Process) Wait() (Exit, error) {
	err := p.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return Exit{Status: exit.ExitCode() & 0xff}, nil
	}
	return Exit{}, err
}

func (p *Process) signal(os.Signal) {}

// Terminate is Kill, because there is no signal that asks a process to end.
func (p *Process) Terminate() { p.Kill() }

// Kill ends the process.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // an error means that it has ended

// Alive returns false, because there are no groups.
func (p *Process) Alive() bool { return false }

func (p *Process) interrupted(Exit) os.Signal { return nil }

func (w *Relay) handleJob(os.Signal) bool { return false }

func reap() {}

type stopper struct{ due <-chan time.Time }

func newStopper(*Relay) *stopper { return new(stopper) }
func (*stopper) act()            {}

func hasForeground(int) bool { return true }

type Terminal struct{}

// OpenTerminal returns nil, because a terminal is not passed on.
func OpenTerminal() *Terminal { return nil }

// Close does nothing.
func (*Terminal) Close() {}

// DieOf does nothing.
func (*Terminal) DieOf(os.Signal) {}
