//go:build unix

package load

import (
	"os"
	"syscall"
)

// stopProcess stops a process as Ctrl-Z does, though it cannot catch this.
func stopProcess(pid int) error { return sendSignal(pid, syscall.SIGSTOP) }

// resumeProcess resumes a stopped process.
func resumeProcess(pid int) error { return sendSignal(pid, syscall.SIGCONT) }

// mayStop returns an error if there is no such process, or if this one may not stop it.
func mayStop(pid int) error { return sendSignal(pid, 0) }

func sendSignal(pid int, s syscall.Signal) error {
	return os.NewSyscallError("kill", syscall.Kill(pid, s))
}
