package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"example.com/backoff/cmd/backoff/internal/process"
)

// An attempt is the result of running the command once.
type attempt struct {
	number   int
	start    time.Duration // since the first attempt began
	elapsed  time.Duration
	ending   process.Exit
	timedOut bool
	failure  error // why the command could not be run
	busy     bool  // failure is one of the machine, which may be over soon
	streak   int   // successes in a row, including this one; 0 if it failed
	delay    time.Duration
	retried  bool // another attempt follows after delay, unless a signal ends it
}

// An attemptError is the failure of an attempt.
type attemptError struct{ *attempt }

func (e attemptError) Error() string { return e.ending.String() }

// errTooFewInARow is the error of an attempt that succeeded, if --successes wants more in a
// row.
var errTooFewInARow = errors.New("succeeded, but not often enough in a row")

// attempt is the operation that is retried. Its error is an attemptError, errTooFewInARow,
// the error of a Relay if a signal came before the attempt, or an error of backoff itself.
func (s *supervisor) attempt(ctx context.Context) error {
	s.progress.stopWaiting()
	start := time.Now()
	if len(s.attempts) == 0 {
		s.firstStart = start
	}
	a := &attempt{number: len(s.attempts) + 1, start: start.Sub(s.firstStart)}
	err := s.try(ctx, a)
	a.elapsed = time.Since(start)
	if err != nil {
		return err
	}
	s.attempts = append(s.attempts, a)
	if a.failure != nil || !s.Policy.success(a.ending.Status) {
		return attemptError{a}
	}
	a.streak = 1
	if a.number > 1 {
		a.streak += s.attempts[a.number-2].streak
	}
	if a.streak < s.Successes {
		return errTooFewInARow
	}
	return nil
}

// try runs the command once. It returns an error only if the fault is not the command's.
func (s *supervisor) try(ctx context.Context, a *attempt) (err error) {
	path, err := lookPath(s.argv[0])
	if err != nil {
		a.cannotRun(err)
		return nil
	}
	lost := make(chan error, 2) // of the standard input and output
	stdin, inStarted, inEnded, err := s.in.Open(func(err error) { lost <- fmt.Errorf("standard input: %w", err) })
	if err != nil {
		return a.notReady("standard input", err)
	}
	defer inEnded()
	stdout, outStarted, outEnded, err := s.out.Open(func(err error) { lost <- fmt.Errorf("standard output: %w", err) })
	if err != nil {
		inStarted()
		return a.notReady("standard output", err)
	}
	defer func() {
		if failure := outEnded(); failure != nil && err == nil {
			err = fmt.Errorf("standard output: %w", failure)
		}
	}()
	var refused error
	p, err := s.watch.Start(func() (p *process.Process, err error) {
		// If a variable is twice in the environment, the last one wins.
		env := append(os.Environ(), "RETRY_ATTEMPT="+strconv.Itoa(a.number))
		p, refused = process.Start(&exec.Cmd{
			Path: path, Args: s.argv, Env: env, Stdin: stdin, Stdout: stdout, Stderr: os.Stderr,
		}, s.tty)
		return p, refused
	})
	inStarted()
	outStarted()
	if refused != nil {
		a.cannotRun(refused)
		return nil
	}
	if err != nil {
		return err
	}
	return s.await(ctx, a, p, lost)
}

// An ended is what Wait returned.
type ended struct {
	exit process.Exit
	err  error
}

// await waits for the process, for as long as it may run.
func (s *supervisor) await(ctx context.Context, a *attempt, p *process.Process, lost <-chan error) error {
	over := make(chan ended, 1)
	go func() {
		exit, err := p.Wait()
		over <- ended{exit, err}
	}()
	// Not ctx.Done, because a signal cancels ctx too. The command, which got the signal,
	// may then run until the deadline.
	var limit <-chan time.Time
	if deadline, ok := ctx.Deadline(); ok {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		limit = timer.C
	}
	var result ended
	var broken error
	select {
	case result = <-over:
	case <-limit:
		a.timedOut = true
		result = s.end(p, over)
	case broken = <-lost:
		result = s.end(p, over)
	}
	s.watch.Exited(p, result.exit)
	a.ending = result.exit
	switch {
	case result.err != nil:
		return result.err
	case broken != nil:
		return broken
	case a.timedOut:
		a.ending = process.Exit{Status: process.StatusTimedOut}
	}
	return nil
}

// end ends the process and its group, by SIGTERM, and after KillAfter by SIGKILL.
func (s *supervisor) end(p *process.Process, over <-chan ended) (result ended) {
	if s.KillAfter == 0 {
		p.Kill()
		return <-over
	}
	defer process.AdoptOrphans()()
	p.Terminate()
	force := time.NewTimer(s.KillAfter)
	defer force.Stop()
	select {
	case result = <-over:
	case <-force.C:
		p.Kill()
		return <-over
	}
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for p.Alive() {
		select {
		case <-poll.C:
		case <-force.C:
			p.Kill()
			return result
		}
	}
	return result
}

// cannotRun records that the command could not be started.
func (a *attempt) cannotRun(err error) {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		err = e.Err
	}
	a.failure, a.busy = err, process.Busy(err)
	a.ending = process.Exit{Status: process.StatusNoRun}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		a.ending.Status = process.StatusNotFound
	}
}

// notReady is called when a standard file of the command could not be made. If another
// attempt may succeed in that, the attempt has failed. Otherwise backoff has.
func (a *attempt) notReady(file string, err error) error {
	if process.Busy(err) {
		a.cannotRun(err)
		return nil
	}
	return fmt.Errorf("%s: %w", file, err)
}

// lookPath finds a command as a shell does.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		return path, nil // a user who has . in PATH wants that
	}
	if !errors.Is(err, exec.ErrNotFound) {
		return path, err
	}
	// A file that exists but is not executable is not "not found".
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.Base(name) != name {
			break
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return "", fs.ErrPermission
		}
	}
	return path, err
}
