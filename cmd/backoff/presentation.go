package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A drawing is what flags say of how a schedule is drawn from.
type drawing struct {
	retries int // the command's own flag
	draws   int
	seed    uint64
}

const (
	maxRetries = 100_000
	maxDrawn   = 20_000_000 // delays of one schedule: they are held in memory
)

func (d *drawing) addFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&d.draws, "draws", 10_000, "how many times to range over a random schedule")
	cmd.Flags().Uint64Var(&d.seed, "seed", 1, "where the random numbers begin")
}

// checkDraws checks the flags of a command, which wants so many draws at least.
func (d *drawing) checkDraws(command string, least int) error {
	switch {
	case d.retries < 1 || d.retries > maxRetries:
		return fmt.Errorf("%s: --retries is %d, want a whole number in [1, %d]", command, d.retries, maxRetries)
	case d.draws < least || d.draws > maxDrawn/d.retries:
		return fmt.Errorf("%s: --draws is %d, want a whole number in [%d, %d] for %s",
			command, d.draws, least, maxDrawn/d.retries, count(d.retries, "retry"))
	}
	return nil
}

// A presentation is what flags say of how a result is written.
type presentation struct {
	logarithmic bool
	format      string
	png, svg    string
}

var formats = []string{"table", "csv", "json"}

func (o *presentation) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.logarithmic, "log", false, "draw on a logarithmic axis")
	flags.StringVar(&o.format, "format", "table", "write as `format`: table, csv or json")
	flags.Var((*fileName)(&o.png), "png", "draw into this PNG `file`")
	flags.Var((*fileName)(&o.svg), "svg", "draw into this SVG `file`")
	complete := cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
}

func (o *presentation) checkFormat(command string) error {
	if !slices.Contains(formats, o.format) {
		return fmt.Errorf("%s: --format is %q, want one of %s", command, o.format, strings.Join(formats, ", "))
	}
	return o.checkNames(command)
}

// checkNames sees that one picture does not replace the other.
func (o *presentation) checkNames(command string) error {
	if o.png != "" && o.png == o.svg {
		return fmt.Errorf("%s: --png and --svg are both %q, want two files", command, o.png)
	}
	return nil
}

// A fileName is the name of a file as a flag's value: not the empty text, which is what
// a variable that nobody set leaves in a script.
type fileName string

func (f *fileName) Type() string { return "file" }

// Want says what the flag takes.
func (f *fileName) Want() string { return "a file's name" }

func (f *fileName) String() string { return string(*f) }

func (f *fileName) Set(text string) error {
	if text == "" {
		return errors.New("empty")
	}
	*f = fileName(text)
	return nil
}

// check checks the flags of a command that takes its time.
func (o *presentation) check(command string) error {
	if err := o.checkFormat(command); err != nil {
		return err
	}
	return o.checkFiles(command)
}

// checkFiles looks, before anything takes time, whether there can be such files.
func (o *presentation) checkFiles(command string) error {
	if err := o.checkNames(command); err != nil {
		return err
	}
	for _, name := range []string{o.png, o.svg} {
		if name == "" {
			continue
		}
		_, missing := os.Lstat(name) // a link that leads nowhere is not ours to remove
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		file.Close()
		if missing != nil {
			os.Remove(name)
		}
	}
	return nil
}

// writePictures draws figures into the files that are asked for.
func (o *presentation) writePictures(figures ...figure) error {
	for _, picture := range []struct {
		file string
		draw func(io.Writer, ...figure) error
	}{{o.png, writePNG}, {o.svg, writeSVG}} {
		if picture.file == "" {
			continue
		}
		// Drawn first, so that an error leaves no half of a file.
		var b bytes.Buffer
		if err := picture.draw(&b, figures...); err != nil {
			return err
		}
		if err := os.WriteFile(picture.file, b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}
