// Package picture draws figures as PNG and SVG images.
package picture

import (
	"bytes"
	"cmp"
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

// Inks are those of package figure.
var Inks = figure.Inks

// They thin an ink, so that the things behind show through: of a band, of its edge, and of
// the line between two points that have nothing between them.
const (
	BandAlpha  = 0x38
	edgeAlpha  = 0x90
	faintAlpha = 0x70
)

// Dashes and shapes tell curves apart without their colours. After six curves the colours
// begin again, and the dashes one later, so that 36 curves differ.
var (
	dashes = [][]vg.Length{nil, {7, 3}, {2, 2}, {9, 3, 2, 3}, {14, 4}, {5, 2, 2, 2, 2, 2}}
	shapes = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	}
)

// heightOf returns the height of a picture of a number of figures.
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

// drawPicture draws figures of the same schedules one below the other, and the legend of
// the first above them.
func drawPicture(canvas draw.Canvas, figures []figure.Figure) error {
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.ThumbnailWidth = 24
	legend.Padding = 2
	legend.TextStyle.Font = sans(11)
	canvas = draw.Crop(canvas, margin, -margin, margin, -margin)
	room := canvas.Size().X - legend.ThumbnailWidth - 12

	plots := make([][]*plot.Plot, len(figures)) // in one column, so that they are aligned
	for i, f := range figures {
		p, entries, err := newPlot(f)
		if err != nil {
			return err
		}
		if len(figures) > 1 {
			p.Title.Text, p.Y.Label.Text = f.Title+f.ScaleNote(), "" // the title contains the label
			p.Title.TextStyle.Font = sans(11)
			p.Title.Padding = 6
		}
		plots[i] = []*plot.Plot{p}
		if i == 0 {
			for _, e := range entries {
				legend.Add(fit(e.name, &legend, room), e.thumbs...)
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

// An entry is a line of a legend.
type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

// newPlot returns the plot of a figure's curves, with the median within its band for a
// random one, and its legend.
func newPlot(f figure.Figure) (*plot.Plot, []entry, error) {
	b := figure.NewBounds(f.Curves)
	if b.Points == 0 {
		return nil, nil, fmt.Errorf("nothing to draw: no schedule has a delay")
	}

	p := plot.New()
	p.X.Label.Text = f.Along
	p.Y.Label.Text = f.Up + f.ScaleNote()
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
		p.X.Min = 0.5 // room for half of the first point's band
		p.X.Max = math.Max(2, float64(b.Points)) + 0.5
		p.X.Tick.Marker = plot.TickerFunc(retryTicks)
	}
	if f.Logarithmic() {
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

	entries := make([]entry, len(f.Curves))
	var spikes []entry
	for i, c := range f.Curves { // before the lines, so that they cover none
		if len(c.Spikes) == 0 {
			continue
		}
		name := cmp.Or(f.Atom, "at the same instant")
		stem, err := addSpikes(p, f, i)
		if err != nil {
			return nil, nil, err
		}
		spikes = append(spikes, entry{c.Name + ": " + name, []plot.Thumbnailer{stem}})
	}
	for _, add := range []func(*plot.Plot, figure.Figure, int) ([]plot.Thumbnailer, error){
		addBand, // all of them first, so that none covers a line
		addLine,
	} {
		for i, c := range f.Curves {
			thumbs, err := add(p, f, i)
			if err != nil {
				return nil, nil, err
			}
			entries[i].name = c.Name
			entries[i].thumbs = append(entries[i].thumbs, thumbs...)
		}
	}
	return p, append(entries, spikes...), nil
}

// Shade highlights a time.
var Shade = color.Gray{0xee}

// addShade shades the time from shaded[0] to shaded[1].
func addShade(p *plot.Plot, shaded [2]time.Duration) error {
	from, to := shaded[0].Seconds(), shaded[1].Seconds()
	if from == to {
		return nil
	}
	area, err := plotter.NewPolygon(rectangle(from, to, p.Y.Min, p.Y.Max))
	if err != nil {
		return err
	}
	area.Color = Shade
	area.LineStyle = draw.LineStyle{}
	p.Add(area)
	return nil
}

func rectangle(left, right, foot, top float64) plotter.XYs {
	return plotter.XYs{{X: left, Y: foot}, {X: right, Y: foot}, {X: right, Y: top}, {X: left, Y: top}}
}

// ink returns the colour of curve i, as thin as alpha.
func ink(i int, alpha uint8) color.NRGBA {
	c := figure.Inks[i%len(figure.Inks)]
	c.A = alpha
	return c
}

// dashesOf returns the dashes of curve i.
func dashesOf(i int) []vg.Length { return dashes[(i+i/len(dashes))%len(dashes)] }

// besides returns how far the points of curve i stand beside those of the others, and how
// wide the band of one is: curves of few points that stand apart do not cover each other.
func besides(f figure.Figure, i int) (offset, width float64) {
	const most, room = 60, 0.8
	if !f.Discrete || figure.NewBounds(f.Curves).Points > most {
		return 0, 1
	}
	width = room / float64(len(f.Curves))
	return width * (float64(i) - float64(len(f.Curves)-1)/2), width
}

// addBand adds the band of curve i to p, if it has one, and returns its part of the legend.
func addBand(p *plot.Plot, f figure.Figure, i int) ([]plot.Thumbnailer, error) {
	c := f.Curves[i]
	if !c.Random || f.Band == "" || len(c.Median) < 2 {
		return nil, nil
	}
	edge := points(p, f, c.Max, i)
	lower := points(p, f, c.Min, i)
	var rings []plotter.XYer
	if f.Discrete {
		_, width := besides(f, i)
		for j := range edge {
			rings = append(rings, rectangle(edge[j].X-width/2, edge[j].X+width/2, lower[j].Y, edge[j].Y))
		}
	} else {
		slices.Reverse(lower)
		rings = append(rings, append(edge, lower...))
	}
	band, err := plotter.NewPolygon(rings...)
	if err != nil {
		return nil, err
	}
	band.Color = ink(i, BandAlpha)
	band.LineStyle = draw.LineStyle{Color: ink(i, edgeAlpha), Width: 0.5}
	p.Add(band)
	return []plot.Thumbnailer{band}, nil
}

// addLine adds the line of curve i to p, if it has a point, and returns its part of the
// legend. Where nothing lies between two points the line is faint, and the points are
// large.
func addLine(p *plot.Plot, f figure.Figure, i int) ([]plot.Thumbnailer, error) {
	c := f.Curves[i]
	if len(c.Median) == 0 {
		return nil, nil
	}
	line, dots, err := plotter.NewLinePoints(points(p, f, c.Median, i))
	if err != nil {
		return nil, err
	}
	line.Color = ink(i, 0xff)
	line.Width = 1.6
	line.Dashes = dashesOf(i)
	dots.Shape = shapes[i%len(shapes)]
	dots.Color = line.Color
	dots.Radius = 2.2
	if f.Discrete {
		line.Color = ink(i, faintAlpha)
		line.Width = 0.8
		dots.Radius = 3.2
	}
	switch {
	case f.Discrete && len(c.Median) > 150:
		dots.Radius = 1
	case f.Axis.Bin > 0 || !f.Discrete && len(c.Median) > 60:
		dots.Radius = 0
	}
	p.Add(line, dots)
	return []plot.Thumbnailer{line, dots}, nil
}

// A stem is how a legend shows a spike: upright.
type stem struct{ draw.LineStyle }

// Thumbnail draws the stem into a line of a legend.
func (s stem) Thumbnail(c *draw.Canvas) {
	middle := (c.Min.X + c.Max.X) / 2
	c.StrokeLine2(s.LineStyle, middle, c.Min.Y, middle, c.Max.Y)
}

// mostSpikes is how many spikes of a curve a picture has room for: more would cover it.
const mostSpikes = 120

// thinned returns the spikes to draw on an axis of this width: all if there is room for
// them.
func thinned(f figure.Figure, spikes []figure.Spike, width float64) []figure.Spike {
	if len(spikes) <= mostSpikes {
		return spikes
	}
	return apart(f, spikes, width/mostSpikes)
}

// apart returns the spikes that are at least distance from the one before, the highest of
// those that stand closer together.
func apart(f figure.Figure, spikes []figure.Spike, distance float64) []figure.Spike {
	var some []figure.Spike
	last := math.Inf(-1)
	for _, spike := range spikes {
		if x := f.Axis.X(spike.At); x >= last+distance {
			some = append(some, spike)
			last = x
		} else if highest := &some[len(some)-1]; spike.Value > highest.Value {
			highest.Value = spike.Value
		}
	}
	return some
}

// addSpikes adds the spikes of curve i to p, with a triangle on those that are higher than
// the picture, and returns their part of the legend.
func addSpikes(p *plot.Plot, f figure.Figure, i int) (plot.Thumbnailer, error) {
	s := stem{draw.LineStyle{Color: ink(i, 0xff), Width: 2.4, Dashes: dashesOf(i)}}
	spikes := thinned(f, f.Curves[i].Spikes, p.X.Max-p.X.Min)
	style, radius := s.LineStyle, vg.Length(5)
	if len(spikes) > mostSpikes/4 {
		style.Width, radius = 0.8, 3
	}
	var beyond plotter.XYs
	for _, spike := range spikes {
		x, top := f.Axis.X(spike.At), min(max(spike.Value, p.Y.Min), p.Y.Max)
		line, err := plotter.NewLine(plotter.XYs{{X: x, Y: p.Y.Min}, {X: x, Y: top}})
		if err != nil {
			return nil, err
		}
		line.LineStyle = style
		p.Add(line)
		if spike.Value > p.Y.Max {
			beyond = append(beyond, plotter.XY{X: x, Y: p.Y.Max})
		}
	}
	if len(beyond) > 0 {
		tips, err := plotter.NewScatter(beyond)
		if err != nil {
			return nil, err
		}
		tips.GlyphStyle = draw.GlyphStyle{Color: s.Color, Radius: radius, Shape: draw.PyramidGlyph{}}
		p.Add(tips)
	}
	return s, nil
}

// points returns the places of the values of curve i, those of a time at both ends of
// their bin. A value that a logarithmic axis does not show lies on its foot.
func points(p *plot.Plot, f figure.Figure, values []float64, i int) plotter.XYs {
	offset, _ := besides(f, i)
	var xys plotter.XYs
	for j, value := range values {
		at := plotter.XY{X: f.Axis.X(float64(j)) + offset, Y: max(value, p.Y.Min)}
		xys = append(xys, at)
		if f.Axis.Bin > 0 {
			at.X = f.Axis.X(float64(j + 1))
			xys = append(xys, at)
		}
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

// logRange returns the ends of a logarithmic axis: beyond the curves by a twentieth of
// their height on each side, so that they do not touch the edge, and by more if they are so
// flat that only one mark would be visible: two neighbours of a mark differ by a factor of
// 6 at most.
func logRange(b figure.Bounds) (lo, hi float64) {
	past := math.Pow(b.Max/b.Floor, 0.05)
	if b.Max < 6*b.Floor {
		past = 2.5
	}
	return b.Floor / past, b.Max * past
}

// retryTicks names the retries of figure.RetryMarks, with a tick at each retry between two
// names that stand close together.
func retryTicks(_, hi float64) []plot.Tick {
	last := int(hi)
	named := figure.RetryMarks(last, 20)
	var ticks []plot.Tick
	for n := 1; n <= last; n++ {
		if slices.Contains(named, n) {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
		} else if last < 60 {
			ticks = append(ticks, plot.Tick{Value: float64(n)})
		}
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
