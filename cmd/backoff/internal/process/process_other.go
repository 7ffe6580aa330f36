//go:build !unix || aix || solaris

package process

import (
	"errors"
	"os"
	"os/exec"
)

// Without process groups and signals an interrupt from the keyboard reaches the
// command by itself, and what ends an attempt ends its first process only.
var (
	EndingSignals = []os.Signal{os.Interrupt}
	otherSignals  []os.Signal
	stopSignals   []os.Signal
)

// SignalStatus is that of an interrupt: there are no other signals.
func SignalStatus(os.Signal) int { return statusSignal + 2 }

// SignalName returns the name that the system has for a signal.
func SignalName(sig os.Signal) string { return sig.String() }

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

// Terminate cannot ask.
func (p *Process) Terminate() { p.Kill() }

// Kill ends the process.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // it has ended, if this fails

// Alive reports that nothing is left: there are no groups.
func (p *Process) Alive() bool { return false }

func (p *Process) interrupted(Exit) os.Signal { return nil }

func (w *Relay) stopAll(os.Signal) {}

type Terminal struct{}

// OpenTerminal returns nil: nobody passes a terminal on.
func OpenTerminal() *Terminal { return nil }

// Close does nothing.
func (*Terminal) Close() {}

// DieOf does nothing.
func (*Terminal) DieOf(os.Signal) {}
