package spool

import (
	"io"
	"io/fs"
	"os"
	"sync"
)

// An Input is the standard input that every attempt reads from its first byte.
//
// The command gets a regular file itself, rewound, and a terminal or another device
// unchanged. Only a pipe or a socket is recorded, because it can be read only once.
type Input struct {
	file      *os.File
	start     int64      // the offset to which a regular file is rewound; -1 if it is none
	recording *recording // nil if the command gets the file
	used      bool
}

// NewInput returns an input that reads from file.
func NewInput(file *os.File) *Input {
	in := &Input{file: file, start: -1}
	info, err := file.Stat()
	if err != nil {
		return in // closed, for example; the command gets the same error
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		if at, err := file.Seek(0, io.SeekCurrent); err == nil {
			in.start = at
		}
	case mode&(fs.ModeNamedPipe|fs.ModeSocket) != 0:
		in.recording = newRecording(file)
	}
	return in
}

// Open returns the file from which the next attempt reads. The caller calls started when
// the command has started or failed to start, and ended when the attempt is over. Open calls
// failed if the command cannot get its whole input.
func (in *Input) Open(failed func(error)) (file *os.File, started, ended func(), err error) {
	again := in.used
	in.used = true
	if in.recording != nil {
		return in.recording.play(failed)
	}
	if again && in.start >= 0 {
		if _, err := in.file.Seek(in.start, io.SeekStart); err != nil {
			return nil, nil, nil, err
		}
	}
	return in.file, func() {}, func() {}, nil
}

// A recording keeps what was read from a source that can be read only once. It reads more
// only after the pipe to the command has taken all that it has, so that an endless source
// does not fill the disk.
type recording struct {
	source io.Reader

	mu      sync.Mutex
	more    *sync.Cond // there is more to play, the source has ended, or a player was stopped
	file    *tempFile  // made with the first byte
	size    int64      // of the file
	end     error      // of the source: io.EOF, or the error that ended it
	reading bool       // a goroutine reads the source; it may outlive the attempt
}

func newRecording(source io.Reader) *recording {
	r := &recording{source: source}
	r.more = sync.NewCond(&r.mu)
	return r
}

// play feeds a pipe from the beginning of the recording.
func (r *recording) play(failed func(error)) (file *os.File, started, ended func(), err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	p := &player{recording: r}
	go p.feed(to, failed)
	return from, func() { from.Close() }, func() { p.stop(to) }, nil
}

// A player feeds one attempt.
type player struct {
	*recording
	stopped bool // guarded by the recording's mu
}

func (p *player) stop(to *os.File) {
	p.mu.Lock()
	p.stopped = true
	p.more.Broadcast()
	p.mu.Unlock()
	to.Close() // which ends a blocked Write
}

func (p *player) feed(to *os.File, failed func(error)) {
	defer to.Close()
	chunk := make([]byte, 1<<16)
	for at := int64(0); ; {
		n, err := p.next(chunk, at)
		if err == io.EOF {
			return
		}
		if err != nil {
			// The command cannot tell this end of the pipe from the end of its input.
			failed(err)
			return
		}
		if _, err := to.Write(chunk[:n]); err != nil {
			return // the command does not read the rest, which is no error
		}
		at += int64(n)
	}
}

// next waits until the recording has bytes at an offset, and reads them.
func (p *player) next(chunk []byte, at int64) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at == p.size && p.end == nil && !p.stopped {
		if !p.reading {
			p.reading = true
			go p.read()
		}
		p.more.Wait()
	}
	switch {
	case p.stopped:
		return 0, io.EOF
	case at == p.size:
		return 0, p.end
	}
	n, err := p.file.ReadAt(chunk[:min(int64(len(chunk)), p.size-at)], at)
	if n > 0 {
		err = nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // somebody has truncated the file
	}
	return n, err
}

// read records the next piece of the source.
func (r *recording) read() {
	chunk := make([]byte, 1<<16)
	n, err := r.source.Read(chunk)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		return // closed
	}
	if n > 0 {
		if failure := r.record(chunk[:n]); failure != nil {
			err = failure
		} else {
			r.size += int64(n)
		}
	}
	r.end = err
	r.reading = false
	r.more.Broadcast()
}

func (r *recording) record(piece []byte) error {
	if r.file == nil {
		file, err := newTempFile()
		if err != nil {
			return err
		}
		r.file = &file
	}
	_, err := r.file.WriteAt(piece, r.size)
	return err
}

// Close removes the recording.
func (in *Input) Close() error {
	if in.recording == nil {
		return nil
	}
	r := in.recording
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = fs.ErrClosed
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
