//go:build unix && !aix && !solaris

package process

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// Busy reports whether err says that the machine or the command's file is in use, so that
// the same call may succeed later: another process writes the file, or there are too many
// open files, too many processes or too little memory.
func Busy(err error) bool {
	return slices.ContainsFunc([]error{unix.ETXTBSY, unix.EMFILE, unix.ENFILE, unix.EAGAIN, unix.ENOMEM},
		func(busy error) bool { return errors.Is(err, busy) })
}
