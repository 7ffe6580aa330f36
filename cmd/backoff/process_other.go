//go:build !unix || aix || solaris

package main

import (
	"errors"
	"os"
	"os/exec"
)

// Without process groups and signals an interrupt from the keyboard reaches the
// command by itself, and what ends an attempt ends its first process only.
var (
	endingSignals = []os.Signal{os.Interrupt}
	otherSignals  []os.Signal
	stopSignals   []os.Signal
)

func signalStatus(os.Signal) int { return statusSignal + 2 }

func signalName(sig os.Signal) string { return sig.String() }

type process struct{ cmd *exec.Cmd }

func startProcess(cmd *exec.Cmd, _ *terminal) (*process, error) {
	return &process{cmd}, cmd.Start()
}

func (p *process) wait() (ending, error) {
	err := p.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return ending{status: exit.ExitCode() & 0xff}, nil
	}
	return ending{}, err
}

func (p *process) signal(os.Signal) {}

// terminate cannot ask.
func (p *process) terminate() { p.kill() }

func (p *process) kill() { _ = p.cmd.Process.Kill() } // it has ended, if this fails

func (p *process) left() bool { return false }

func (p *process) interrupted(ending) os.Signal { return nil }

func (w *watch) stopAll(os.Signal) {}

type terminal struct{}

func openTerminal() *terminal { return nil }

func (*terminal) close() {}

func (*terminal) dieOf(os.Signal) {}
