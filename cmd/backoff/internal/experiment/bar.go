package experiment

import (
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"example.com/backoff/cmd/backoff/internal/digits"
)

const (
	barDelay = time.Second // a shorter run has no bar
	barParts = 1000        // of each experiment
)

// A bar shows the progress of a command, on a terminal, after its first second. Only one
// goroutine at a time may use it.
type bar struct {
	w       io.Writer
	name    string
	total   int
	start   time.Time
	delay   time.Duration
	options []mpb.ContainerOption

	container *mpb.Progress // nil until the bar is shown
	bar       *mpb.Bar
}

func newBar(w io.Writer, name string, total int) *bar {
	return &bar{w: w, name: name, total: total, start: time.Now(), delay: barDelay}
}

// show shows how many of the total are done.
func (b *bar) show(done float64) {
	if b.container == nil {
		if time.Since(b.start) < b.delay {
			return
		}
		b.container = mpb.New(append([]mpb.ContainerOption{mpb.WithOutput(b.w), mpb.WithWidth(70)}, b.options...)...)
		b.bar = b.container.AddBar(int64(b.total)*barParts,
			mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(b.name)),
			mpb.AppendDecorators(
				decor.Percentage(decor.WC{W: 5}),
				decor.Any(b.left, decor.WC{W: 14}),
			),
		)
	}
	b.bar.SetCurrent(int64(done * barParts))
}

// left returns the remaining time, at the average pace since the command began.
func (b *bar) left(s decor.Statistics) string {
	if s.Current == 0 || s.Completed {
		return ""
	}
	left := time.Since(b.start).Seconds() * float64(s.Total-s.Current) / float64(s.Current)
	return digits.Approximate(max(left, 1)) + " left"
}

// end removes the bar.
func (b *bar) end() {
	if b.container == nil {
		return
	}
	b.bar.Abort(true)
	b.container.Wait()
	b.container = nil
}
