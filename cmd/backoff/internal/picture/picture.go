// Package picture draws figures as PNG and SVG images.
package picture

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"example.com/backoff/cmd/backoff/internal/figure"
)

const (
	pictureWidth  = 8 * vg.Inch
	pictureHeight = 5 * vg.Inch // of one figure
	pictureDPI    = 150
	margin        = 12 // points around all
)

// Inks are the colours of Okabe and Ito, which the colour-blind can tell apart.
var Inks = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff},
	{0x00, 0x9e, 0x73, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff},
	{0x56, 0xb4, 0xe9, 0xff},
}

// They thin an ink for a band and its edge: what is behind shows through.
const (
	BandAlpha = 0x38
	edgeAlpha = 0x90
)

// dashes tell curves of one colour apart.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}}

// heightOf returns the height of a picture of so many figures.
func heightOf(figures int) vg.Length { return pictureHeight * vg.Length(figures+1) / 2 }

// WritePNG draws figures as a PNG image.
func WritePNG(w io.Writer, figures ...figure.Figure) error {
	c := vgimg.NewWith(vgimg.UseWH(pictureWidth, heightOf(len(figures))), vgimg.UseDPI(pictureDPI))
	if err := drawPicture(draw.New(c), figures); err != nil {
		return err
	}
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// WriteSVG draws figures as an SVG image.
func WriteSVG(w io.Writer, figures ...figure.Figure) error {
	c := vgsvg.New(pictureWidth, heightOf(len(figures)))
	if err := drawPicture(draw.New(c), figures); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	// A viewer without that font takes one of the same widths.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// drawPicture draws figures of the same schedules one below the other, and above
// them a legend of the first.
func drawPicture(canvas draw.Canvas, figures []figure.Figure) error {
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.ThumbnailWidth = 24
	legend.Padding = 2
	legend.TextStyle.Font = sans(11)
	canvas = draw.Crop(canvas, margin, -margin, margin, -margin)
	room := canvas.Size().X - legend.ThumbnailWidth - 12

	plots := make([][]*plot.Plot, len(figures)) // in one column, for them to be aligned
	for i, f := range figures {
		p, thumbs, err := newPlot(f)
		if err != nil {
			return err
		}
		if len(figures) > 1 {
			p.Title.Text, p.Y.Label.Text = f.Title, "" // has all that a label would say
			p.Title.TextStyle.Font = sans(11)
			p.Title.Padding = 6
		}
		plots[i] = []*plot.Plot{p}
		if i == 0 {
			for j, c := range f.Curves {
				legend.Add(fit(c.Name, &legend, room), thumbs[j]...)
			}
		}
	}

	height := legend.Rectangle(canvas).Size().Y
	legend.Draw(canvas)
	canvas = draw.Crop(canvas, 0, 0, 0, -height-10)
	tiles := draw.Tiles{Rows: len(figures), Cols: 1, PadY: margin}
	for i, row := range plot.Align(plots, tiles, canvas) {
		plots[i][0].Draw(row[0])
	}
	return nil
}

// newPlot returns the plot of a figure's curves, of a random schedule the median within
// its band, and for each curve what shows it in a legend.
func newPlot(f figure.Figure) (*plot.Plot, [][]plot.Thumbnailer, error) {
	b := figure.NewBounds(f.Curves)
	if b.Points == 0 {
		return nil, nil, fmt.Errorf("nothing to draw: no schedule has a delay")
	}
	if f.Logarithmic && b.Max == 0 {
		return nil, nil, fmt.Errorf("nothing to draw on a logarithmic axis: all %s are 0", f.Vertical)
	}

	p := plot.New()
	p.X.Label.Text = f.Along
	p.Y.Label.Text = f.Up
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(11)
		axis.Label.Padding = 4
		axis.Tick.Label.Font = sans(10)
		axis.Padding = 0
	}
	switch h := f.Axis; {
	case h.Bin > 0:
		p.X.Min = 0
		p.X.Max = float64(b.Points) * h.Bin.Seconds()
		p.X.Tick.Marker = linearTicks(figure.Durations)
	case h.At != nil:
		p.X.Min = 0
		p.X.Max = float64(h.At[len(h.At)-1])
		p.X.Tick.Marker = linearTicks(figure.Counts)
	default:
		p.X.Min = 1
		p.X.Max = p.X.Min + math.Max(1, float64(b.Points-1))
		p.X.Tick.Marker = plot.TickerFunc(retryTicks)
	}
	if f.Logarithmic {
		p.Y.Min, p.Y.Max = logRange(b)
		p.Y.Scale = plot.LogScale{}
		p.Y.Tick.Marker = logTicks(f.Vertical)
	} else {
		p.Y.Min, p.Y.Max = 0, linearTop(f.Vertical, b)
		p.Y.Tick.Marker = linearTicks(f.Vertical)
	}
	if err := addShade(p, f.Shaded); err != nil {
		return nil, nil, err
	}
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: color.Gray{0xe0}, Width: 0.5}
	grid.Horizontal = grid.Vertical
	p.Add(grid)

	thumbs := make([][]plot.Thumbnailer, len(f.Curves))
	for _, add := range []func(*plot.Plot, figure.Figure, figure.Curve, int) ([]plot.Thumbnailer, error){
		addBand, // all of them first, so that none covers a line
		addLine,
	} {
		for i, c := range f.Curves {
			more, err := add(p, f, c, i)
			if err != nil {
				return nil, nil, err
			}
			thumbs[i] = append(thumbs[i], more...)
		}
	}
	return p, thumbs, nil
}

// Shade points out a time.
var Shade = color.Gray{0xee}

// addShade shades the time from shaded[0] to shaded[1].
func addShade(p *plot.Plot, shaded [2]time.Duration) error {
	from, to := shaded[0].Seconds(), shaded[1].Seconds()
	if from == to {
		return nil
	}
	area, err := plotter.NewPolygon(plotter.XYs{{X: from, Y: p.Y.Min}, {X: to, Y: p.Y.Min}, {X: to, Y: p.Y.Max}, {X: from, Y: p.Y.Max}})
	if err != nil {
		return err
	}
	area.Color = Shade
	area.LineStyle = draw.LineStyle{}
	p.Add(area)
	return nil
}

// addBand adds the band of curve i to p, if it has one, and returns what shows it in
// a legend.
func addBand(p *plot.Plot, f figure.Figure, c figure.Curve, i int) ([]plot.Thumbnailer, error) {
	if !c.Random || f.Band == "" || len(c.Median) < 2 {
		return nil, nil
	}
	edge := points(p, f.Axis, c.Max)
	lower := points(p, f.Axis, c.Min)
	slices.Reverse(lower)
	band, err := plotter.NewPolygon(append(edge, lower...))
	if err != nil {
		return nil, err
	}
	ink := Inks[i%len(Inks)]
	ink.A = BandAlpha
	band.Color = ink
	ink.A = edgeAlpha
	band.LineStyle = draw.LineStyle{Color: ink, Width: 0.5}
	p.Add(band)
	return []plot.Thumbnailer{band}, nil
}

// addLine adds the line of curve i to p, if it has a point, and returns what shows
// it in a legend.
func addLine(p *plot.Plot, f figure.Figure, c figure.Curve, i int) ([]plot.Thumbnailer, error) {
	if len(c.Median) == 0 {
		return nil, nil
	}
	line, dots, err := plotter.NewLinePoints(points(p, f.Axis, c.Median))
	if err != nil {
		return nil, err
	}
	line.Color = Inks[i%len(Inks)]
	line.Width = 1.6
	line.Dashes = dashes[i/len(Inks)%len(dashes)]
	dots.Shape = draw.CircleGlyph{}
	dots.Color = line.Color
	dots.Radius = 2.2
	if f.Axis.Bin > 0 || len(c.Median) > 60 {
		dots.Radius = 0
	}
	p.Add(line, dots)
	return []plot.Thumbnailer{line, dots}, nil
}

// points returns values where they stand, those of a time at both ends of their bin.
// What a logarithmic axis cannot show lies on its edge.
func points(p *plot.Plot, h figure.Axis, values []float64) plotter.XYs {
	var xys plotter.XYs
	for i, value := range values {
		at := plotter.XY{X: float64(i + 1), Y: max(value, p.Y.Min)}
		switch {
		case h.Bin > 0:
			at.X = float64(i) * h.Bin.Seconds()
			xys = append(xys, at)
			at.X = float64(i+1) * h.Bin.Seconds()
		case h.At != nil:
			at.X = float64(h.At[i])
		}
		xys = append(xys, at)
	}
	return xys
}

// fit returns name as it fits into room: in a smaller type, down to 7 points, for
// all of the legend, and cut off where that is not enough.
func fit(name string, legend *plot.Legend, room vg.Length) string {
	style := &legend.TextStyle
	for style.Font.Size > 7 && style.Width(name) > room {
		style.Font = font.From(style.Font, style.Font.Size-0.5)
	}
	runes := []rune(name)
	for len(runes) > 1 && style.Width(name) > room {
		runes = runes[:len(runes)-1]
		name = strings.TrimRight(string(runes), " ") + "…"
	}
	return name
}

// linearTop returns the end of a linear axis: a whole number of steps.
func linearTop(q figure.Quantity, b figure.Bounds) float64 {
	if b.Max == 0 {
		return 1
	}
	step := q.Step(b.Max, 10)
	return math.Ceil(b.Max/step) * step
}

// logRange returns the ends of a logarithmic axis: past the curves by a twentieth
// of their height on each side, so that what they do is not at the edge, and by
// more where they are so flat that one mark alone would be in sight: round
// durations lie apart by a factor of 2.5 at most.
func logRange(b figure.Bounds) (lo, hi float64) {
	past := math.Pow(b.Max/b.Floor, 0.05)
	if b.Max < 5*b.Floor {
		past = 2.3
	}
	return b.Floor / past, b.Max * past
}

func retryTicks(lo, hi float64) []plot.Tick {
	step := figure.CountStep(int(hi-lo), 20)
	var ticks []plot.Tick
	for n := int(math.Ceil(lo)); n <= int(hi); n++ {
		tick := plot.Tick{Value: float64(n)}
		if n%step == 0 {
			tick.Label = fmt.Sprint(n)
		} else if step > 2 {
			continue
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

func linearTicks(q figure.Quantity) plot.TickerFunc {
	return func(_, hi float64) []plot.Tick {
		step := q.Step(hi, 11)
		var ticks []plot.Tick
		for n := 0; ; n++ {
			y := float64(n) * step
			if y > hi*(1+1e-9) {
				return ticks
			}
			ticks = append(ticks, plot.Tick{Value: y, Label: q.Label(y)})
		}
	}
}

// logTicks names the round values, more closely where there would be less than
// three, and thins them out where there would be more than ten.
func logTicks(q figure.Quantity) plot.TickerFunc {
	return func(lo, hi float64) []plot.Tick {
		marks, fine := q.Marks(lo, hi)
		if len(marks) < 3 {
			marks = fine
		}
		thin := (len(marks) + 9) / 10
		var ticks []plot.Tick
		for i, value := range marks {
			tick := plot.Tick{Value: value}
			if i%thin == 0 {
				tick.Label = q.Label(value)
			}
			ticks = append(ticks, tick)
		}
		return ticks
	}
}
