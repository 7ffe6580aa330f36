package supervise

import (
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/cmd/backoff/internal/process"
)

// A progress says on standard error what is waited for: on a terminal in a line that
// counts down, elsewhere in one that stands in a log.
type progress struct {
	w     io.Writer
	quiet bool
	width func() int // of the terminal in characters; nil: it is none

	stop chan struct{} // closed to end the countdown; nil: there is none
	done chan struct{} // closed when it has ended
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, quiet: quiet, width: process.TerminalWidth(w)}
}

// say writes a line.
func (p *progress) say(format string, args ...any) {
	if !p.quiet {
		fmt.Fprintf(p.w, "backoff: %s\n", fmt.Sprintf(format, args...))
	}
}

// startWaiting says what happened and how long it is until the next attempt.
func (p *progress) startWaiting(what string, delay time.Duration) {
	switch {
	case p.quiet:
	case p.width == nil:
		p.say("%s; next in %v", what, digits.Three(delay))
	default:
		p.stop, p.done = make(chan struct{}), make(chan struct{})
		go p.countDown(what, delay)
	}
}

// stopWaiting ends what depart began.
func (p *progress) stopWaiting() {
	if p.stop != nil {
		close(p.stop)
		<-p.done
		p.stop = nil
	}
}

func (p *progress) countDown(what string, delay time.Duration) {
	defer close(p.done)
	start := time.Now()
	ticks := time.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	longest := 0
	write := func(wait string, d time.Duration) {
		// A line that wraps could not be written over. Of one that is too long the
		// time stays.
		room := p.width() - 1
		line := cut("backoff: "+what, room-len(wait)-len(tenths(d))) + wait + tenths(d)
		runes := []rune(cut(line, room))
		longest = max(longest, len(runes))
		fmt.Fprintf(p.w, "\r%s%s", string(runes), strings.Repeat(" ", longest-len(runes)))
	}
	for {
		write("; next in ", delay-time.Since(start))
		select {
		case <-p.stop:
			write("; waited ", time.Since(start))
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

// tenths writes a duration so that its last digit does not flicker: 3.2s, 1m5s.
func tenths(d time.Duration) string {
	d = max(d, 0)
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	}
	return d.Truncate(time.Second).String()
}
