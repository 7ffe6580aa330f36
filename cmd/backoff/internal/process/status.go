package process

import (
	"fmt"
	"os"
)

// Exit statuses with a meaning of their own, the same as in timeout, env and shells.
const (
	StatusTimedOut = 124
	StatusFailed   = 125 // backoff itself, not the command
	StatusNoRun    = 126
	StatusNotFound = 127
	statusSignal   = 128 // plus the signal's number
	StatusPipe     = 141 // that of SIGPIPE
)

// An Exit is how a process ended.
type Exit struct {
	Status int
	Signal os.Signal // that killed it, or nil
}

func (e Exit) String() string {
	if e.Signal != nil {
		return "killed by " + SignalName(e.Signal)
	}
	return fmt.Sprintf("exit status %d", e.Status)
}
