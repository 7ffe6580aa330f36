//go:build unix

package spool

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// A held is the output of one attempt in a temporary file, which has room for more than
// memory has.
//
// The command writes to a pipe. It can open its standard output again by a name such as
// /dev/stdout, as in "echo b >/dev/stdout": a file would be truncated by that, even one that
// is open for appending. A pipe keeps what every process has written to it.
type held struct {
	kept   tempFile
	from   *os.File
	to     *os.File // the command's end
	copied chan error
}

// open returns the pipe to which the command writes.
func (h *held) open(failed func(error)) (to *os.File, err error) {
	h.from, h.to, err = os.Pipe()
	if err != nil {
		return nil, err
	}
	h.copied = make(chan error, 1)
	go func() {
		_, err := io.Copy(h.kept, h.from)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			failed(err)
		}
		h.copied <- err
	}()
	return h.to, nil
}

func (h *held) started() { h.to.Close() }

// ended keeps what is in the pipe. It does not wait for the pipe's end, because processes
// that the command has left behind may hold it open. They can write until backoff ends.
func (h *held) ended() error {
	_ = h.from.SetReadDeadline(time.Unix(1, 0)) // a pipe has deadlines
	err := <-h.copied
	_ = h.from.SetReadDeadline(time.Time{})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = h.drain()
	}
	go func() {
		defer h.from.Close()
		_, _ = io.Copy(io.Discard, h.from)
	}()
	return err
}

// fullest is how much a pipe can hold on Linux, unless root enlarges it.
const fullest = 1 << 20

// drain keeps what the pipe has, without waiting for more.
func (h *held) drain() error {
	pipe, err := h.from.SyscallConn()
	if err != nil {
		return err
	}
	chunk := make([]byte, 1<<16)
	for left := fullest; left > 0; { // a process left behind may write without end
		var n int
		var failure error
		if err := pipe.Read(func(fd uintptr) bool {
			n, failure = syscall.Read(int(fd), chunk)
			return true // do not wait
		}); err != nil {
			return err
		}
		switch {
		case failure == syscall.EINTR:
			continue
		case failure == syscall.EAGAIN || failure == nil && n == 0:
			return nil
		case failure != nil:
			return os.NewSyscallError("read", failure)
		}
		if _, err := h.kept.Write(chunk[:n]); err != nil {
			return err
		}
		left -= n
	}
	return nil
}
