//go:build unix && !aix && !solaris

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestBusy(t *testing.T) {
	for err, want := range map[error]bool{
		unix.ETXTBSY: true, unix.EMFILE: true, unix.ENFILE: true, unix.EAGAIN: true, unix.ENOMEM: true,
		unix.ENOENT: false, unix.EACCES: false, unix.ENOEXEC: false, unix.E2BIG: false,
		errors.New("another"): false,
	} {
		for _, err := range []error{err, fmt.Errorf("open: %w", &fs.PathError{Op: "open", Path: "x", Err: os.NewSyscallError("open", err)})} {
			if got := Busy(err); got != want {
				t.Errorf("%v is busy: %t, want %t", err, got, want)
			}
		}
	}
	if Busy(nil) {
		t.Error("nil is busy")
	}
}
