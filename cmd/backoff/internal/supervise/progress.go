package supervise

import (
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/process"
	"example.com/backoff/cmd/backoff/internal/screen"
	"example.com/backoff/internal/saturating"
)

// A progress writes to standard error why backoff waits and how long: in the foreground of a
// terminal as a line that counts down, elsewhere as a line of a log.
type progress struct {
	w          io.Writer
	quiet      bool
	width      func() int  // of the terminal in characters; nil if w is not a terminal
	foreground func() bool // whether backoff is in the foreground of the terminal

	stop chan struct{} // closed to end the countdown; nil if there is none
	done chan struct{} // closed when the countdown has ended
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{
		w: w, quiet: quiet, width: process.TerminalWidth(w),
		foreground: func() bool { return process.InForeground(w) },
	}
}

// say writes a line, and breaks it if the terminal is narrower.
func (p *progress) say(format string, args ...any) {
	if p.quiet {
		return
	}
	line := "backoff: " + fmt.Sprintf(format, args...)
	if p.width != nil {
		line = screen.Break(line, p.width()-1)
	}
	fmt.Fprintln(p.w, line)
}

// startWaiting says what happened and how long it is until the next attempt.
func (p *progress) startWaiting(what string, delay time.Duration) {
	switch {
	case p.quiet:
	case p.width == nil:
		p.logDelay(what, delay)
	default:
		p.stop, p.done = make(chan struct{}), make(chan struct{})
		go p.countDown(what, delay)
	}
}

func (p *progress) logDelay(what string, delay time.Duration) {
	p.say("%s; next in %s", what, digits.Brief(delay))
}

// stopWaiting ends the countdown that startWaiting began.
func (p *progress) stopWaiting() {
	if p.stop != nil {
		close(p.stop)
		<-p.done
		p.stop = nil
	}
}

// countDown draws the countdown while backoff is in the foreground: ctrl-Z and the shell's
// fg and bg may change that at any time. In the background it logs the delay, unless it has
// written about it.
func (p *progress) countDown(what string, delay time.Duration) {
	defer close(p.done)
	start := time.Now()
	ticks := time.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	longest := 0
	overwrite := func(line string) {
		n := screen.Columns(line)
		longest = max(longest, n)
		fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", longest-n))
	}
	write := func(wait string) {
		// A line that wraps could not be overwritten. If it is too long, what happened is
		// cut, and the time stays.
		room := p.width() - 1
		overwrite(cut(cut("backoff: "+what, room-len(wait))+wait, room))
	}
	for written := false; ; written = true {
		switch {
		case p.foreground():
			write("; next in " + left(delay-time.Since(start)))
		case !written:
			p.logDelay(what, delay)
		}
		select {
		case <-p.stop:
			if !p.foreground() {
				return
			}
			// This line stays, so that it is broken instead of cut.
			line := fmt.Sprintf("backoff: %s; waited %s", what, waited(time.Since(start)))
			first, rest, broken := strings.Cut(screen.Break(line, p.width()-1), "\n")
			overwrite(first)
			if broken {
				fmt.Fprint(p.w, "\n"+rest)
			}
			fmt.Fprintln(p.w)
			return
		case <-ticks.C:
		}
	}
}

// cut returns text, or its beginning and an ellipsis, n characters in all.
func cut(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:max(n-1, 0)]) + "…"
}

// left writes the time that is left, rounded up, so that a delay of 300 ms begins with 0.3s
// and not, a moment later, with 0.2s. The last digit does not flicker: 3.2s, 1m5s.
func left(d time.Duration) string {
	unit := 100 * time.Millisecond
	if d > time.Minute {
		unit = time.Second
	}
	d = max(d, 0)
	if rest := d % unit; rest > 0 {
		d = saturating.Add(d-rest, unit)
	}
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return digits.Exact(d)
}

// waited writes the time that was waited, to the nearest unit: 12ms, 3.2s, 1m5s.
func waited(d time.Duration) string {
	switch {
	case d < time.Second:
		return digits.Rounded(d, time.Millisecond)
	case d < time.Minute:
		return digits.Rounded(d, 100*time.Millisecond)
	}
	return digits.Rounded(d, time.Second)
}
