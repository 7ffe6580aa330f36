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

func SignalStatus(os.Signal) int { return statusSignal + 2 }

func SignalName(sig os.Signal) string { return sig.String() }

type Process struct{ cmd *exec.Cmd }

func Start(cmd *exec.Cmd, _ *Terminal) (*Process, error) {
	return &Process{cmd}, cmd.Start()
}

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

func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // it has ended, if this fails

func (p *Process) Alive() bool { return false }

func (p *Process) interrupted(Exit) os.Signal { return nil }

func (w *Relay) stopAll(os.Signal) {}

type Terminal struct{}

func OpenTerminal() *Terminal { return nil }

func (*Terminal) Close() {}

func (*Terminal) DieOf(os.Signal) {}
