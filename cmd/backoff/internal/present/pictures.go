package present

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/backoff/cmd/backoff/internal/figure"
	"example.com/backoff/cmd/backoff/internal/picture"
)

// A Pictures holds the files to draw into.
type Pictures struct {
	Named    []string // .png or .svg by their names
	Png, Svg string
}

// AddFlags adds --picture, --png and --svg to a command.
func (o *Pictures) AddFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&namedPictures{all: &o.Named}, "picture", "draw into this `file`, whose name ends in .png or .svg; may be repeated")
	flags.Var(&pictureFile{name: &o.Png, format: "png", other: "svg"}, "png", "draw into this PNG `file`")
	flags.Var(&pictureFile{name: &o.Svg, format: "svg", other: "png"}, "svg", "draw into this SVG `file`")
}

// extension returns the extension of a file's name in small letters, without its dot.
func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
}

// namedPictures is the value of --picture.
type namedPictures struct{ all *[]string }

func (p *namedPictures) Type() string   { return "file" }
func (p *namedPictures) String() string { return "" }

// Want describes the values that the flag takes.
func (p *namedPictures) Want() string { return "a file's name that ends in .png or .svg" }

func (p *namedPictures) Set(text string) error {
	if e := extension(text); e != "png" && e != "svg" {
		return errors.New("the name does not tell the format")
	}
	*p.all = append(*p.all, text)
	return nil
}

// A pictureFile is the value of --png or --svg. The empty text is no name: it is the value
// of a variable that a script has not set.
type pictureFile struct {
	name          *string
	format, other string
	refused       string
}

func (p *pictureFile) Type() string   { return "file" }
func (p *pictureFile) String() string { return "" }

// formats are the extensions of files that people expect to be what their names say. Others
// may be a temporary file's.
var formats = strings.Fields("png svg jpg jpeg gif webp bmp tif tiff pdf ps eps html csv json txt")

// Want describes the values that the flag takes, and what is wrong with the one before.
func (p *pictureFile) Want() string {
	switch format := strings.ToUpper(p.format); {
	case p.refused == "-":
		return "a file's name: a picture is not written to standard output"
	case extension(p.refused) == p.other:
		return fmt.Sprintf("a file's name for %s: use --%s or --picture for .%[2]s", format, p.other)
	case p.refused != "":
		return fmt.Sprintf("a file's name for %s, such as one that ends in .%s", format, p.format)
	}
	return "a file's name"
}

func (p *pictureFile) Set(text string) error {
	if e := extension(text); text == "" || text == "-" || e != p.format && slices.Contains(formats, e) {
		p.refused = text
		return errors.New("no name for this format")
	}
	*p.name = text
	return nil
}

// A drawing is a file, the flag that names it, and the function that draws into it.
type drawing struct {
	flag string
	file string
	draw func(io.Writer, ...figure.Figure) error
}

func (o *Pictures) drawings() []drawing {
	var all []drawing
	for _, name := range o.Named {
		draw := picture.WritePNG
		if extension(name) == "svg" {
			draw = picture.WriteSVG
		}
		all = append(all, drawing{"picture", name, draw})
	}
	if o.Png != "" {
		all = append(all, drawing{"png", o.Png, picture.WritePNG})
	}
	if o.Svg != "" {
		all = append(all, drawing{"svg", o.Svg, picture.WriteSVG})
	}
	return all
}

// checkNames checks that one picture does not replace another.
func (o *Pictures) checkNames(command string) error {
	seen := map[string]drawing{}
	for _, d := range o.drawings() {
		name := filepath.Clean(d.file)
		if other, ok := seen[name]; ok {
			return fmt.Errorf("%s: --%s %q and --%s %q are one file, want two", command, other.flag, other.file, d.flag, d.file)
		}
		seen[name] = d
	}
	return nil
}

// CheckFiles checks that the files can be written, before a command runs for a while.
func (o *Pictures) CheckFiles(command string) error {
	if err := o.checkNames(command); err != nil {
		return err
	}
	for _, d := range o.drawings() {
		_, missing := os.Lstat(d.file) // a link that leads nowhere is not ours to remove
		file, err := os.OpenFile(d.file, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		file.Close()
		if missing != nil {
			os.Remove(d.file)
		}
	}
	return nil
}

// WritePictures draws figures into the files.
func (o *Pictures) WritePictures(figures ...figure.Figure) error {
	for _, d := range o.drawings() {
		// Into memory first, so that an error leaves no half of a file.
		var b bytes.Buffer
		if err := d.draw(&b, figures...); err != nil {
			return err
		}
		if err := os.WriteFile(d.file, b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}
