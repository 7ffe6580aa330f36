// Package present has the flags that say how a result is written: --format, --log, --png
// and --svg.
package present

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/picture"
)

// A Flags is what flags say of how a result is written.
type Flags struct {
	Logarithmic bool
	Format      string
	Png, Svg    string
}

var formats = []string{"table", "csv", "json"}

// AddFlags adds --format, --log, --png and --svg to a command.
func (o *Flags) AddFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.Logarithmic, "log", false, "draw on a logarithmic axis")
	flags.StringVar(&o.Format, "format", "table", "write as `format`: table, csv or json")
	flags.Var((*FileName)(&o.Png), "png", "draw into this PNG `file`")
	flags.Var((*FileName)(&o.Svg), "svg", "draw into this SVG `file`")
	complete := cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic(err) // there is no such flag, or it has one already
	}
}

// CheckFormat checks the format, and that there are two files for two pictures.
func (o *Flags) CheckFormat(command string) error {
	if !slices.Contains(formats, o.Format) {
		return fmt.Errorf("%s: --format is %q, want one of %s", command, o.Format, strings.Join(formats, ", "))
	}
	return o.checkNames(command)
}

// checkNames sees that one picture does not replace the other.
func (o *Flags) checkNames(command string) error {
	if o.Png != "" && o.Png == o.Svg {
		return fmt.Errorf("%s: --png and --svg are both %q, want two files", command, o.Png)
	}
	return nil
}

// A FileName is the name of a file as a flag's value: not the empty text, which is what
// a variable that nobody set leaves in a script.
type FileName string

func (f *FileName) Type() string { return "file" }

// Want says what the flag takes.
func (f *FileName) Want() string { return "a file's name" }

func (f *FileName) String() string { return string(*f) }

func (f *FileName) Set(text string) error {
	if text == "" {
		return errors.New("empty")
	}
	*f = FileName(text)
	return nil
}

// Check checks the flags of a command that takes its time.
func (o *Flags) Check(command string) error {
	if err := o.CheckFormat(command); err != nil {
		return err
	}
	return o.CheckFiles(command)
}

// CheckFiles looks, before anything takes time, whether there can be such files.
func (o *Flags) CheckFiles(command string) error {
	if err := o.checkNames(command); err != nil {
		return err
	}
	for _, name := range []string{o.Png, o.Svg} {
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

// WritePictures draws figures into the files that are asked for.
func (o *Flags) WritePictures(figures ...figure.Figure) error {
	for _, picture := range []struct {
		file string
		draw func(io.Writer, ...figure.Figure) error
	}{{o.Png, picture.WritePNG}, {o.Svg, picture.WriteSVG}} {
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
