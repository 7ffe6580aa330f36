// Package picturetest examines pictures in tests: where an ink is, and which texts there are.
package picturetest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"testing"
)

// InkSpan returns how many pixels of a picture have a colour, and where they begin and
// end.
func InkSpan(t *testing.T, picture []byte, ink color.NRGBA) (pixels, left, right, top, bottom int) {
	t.Helper()
	decoded := DecodePNG(t, picture, 1200, 750)
	return InkWithin(decoded, decoded.Bounds(), ink)
}

// DecodePNG decodes a picture. The test fails if it is not a PNG image of this size.
func DecodePNG(t *testing.T, picture []byte, width, height int) image.Image {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	if size := decoded.Bounds(); size.Dx() != width || size.Dy() != height {
		t.Errorf("the picture is %v, want %d × %d", size, width, height)
	}
	return decoded
}

// InkWithin is InkSpan for a part of an image.
func InkWithin(decoded image.Image, size image.Rectangle, ink color.NRGBA) (pixels, left, right, top, bottom int) {
	left, top = size.Max.X, size.Max.Y
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if Near(color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA), ink) {
				pixels++
				left, right = min(left, x), max(right, x)
				top, bottom = min(top, y), max(bottom, y)
			}
		}
	}
	return
}

// Near reports whether two colours differ only by rounding.
func Near(a, b color.NRGBA) bool {
	const rounding = 2
	same := func(a, b uint8) bool { return max(a, b)-min(a, b) <= rounding }
	return same(a.R, b.R) && same(a.G, b.G) && same(a.B, b.B) && same(a.A, b.A)
}

// OnWhite returns the colour of an ink with this alpha on white paper.
func OnWhite(ink color.NRGBA, alpha uint8) color.NRGBA {
	thin := func(c uint8) uint8 {
		return uint8((int(c)*int(alpha) + 255*(255-int(alpha))) / 255)
	}
	return color.NRGBA{thin(ink.R), thin(ink.G), thin(ink.B), 0xff}
}

// SvgTexts returns the texts of a picture, each with its y, which grows downwards. The test
// fails if the picture is not XML.
func SvgTexts(t *testing.T, picture []byte) map[string]float64 {
	t.Helper()
	texts := map[string]float64{}
	y := 0.0
	decoder := xml.NewDecoder(bytes.NewReader(picture))
	inText := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
			for _, a := range token.Attr {
				if inText && a.Name.Local == "y" {
					y, err = strconv.ParseFloat(a.Value, 64)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				texts[string(token)] = y
			}
		}
	}
}

// CheckTexts checks that all wanted texts are in a picture, and no unwanted one.
func CheckTexts(t *testing.T, args []string, texts map[string]float64, wanted, unwanted []string) {
	t.Helper()
	for _, want := range wanted {
		if _, ok := texts[want]; !ok {
			t.Errorf("%q: %q is not among %v", args, want, texts)
		}
	}
	for _, none := range unwanted {
		if _, ok := texts[none]; ok {
			t.Errorf("%q: %q is among %v", args, none, texts)
		}
	}
}

// CheckHalves checks a picture of two figures of the same curves, one above the other:
// every curve is in both, and the number of shaded columns is right, within 20.
func CheckHalves(t *testing.T, png []byte, inks []color.NRGBA, curves int, shade color.Gray, shadedColumns int) {
	t.Helper()
	const inset = 20 // of the frame
	upper, lower := image.Rect(150, 150, 1200-inset, 560), image.Rect(150, 680, 1200-inset, 1080)
	picture := DecodePNG(t, png, 1200, 1125)
	for half, part := range map[string]image.Rectangle{"upper": upper, "lower": lower} {
		for i, ink := range inks {
			// A curve may be covered by others, so that few of its pixels are left.
			pixels, _, _, _, _ := InkWithin(picture, part, ink)
			if (pixels > 0) != (i < curves) {
				t.Errorf("%s half: %d pixels of curve %d of %d", half, pixels, i, curves)
			}
		}
		shaded := 0 // columns, each for the most part
		for x := part.Min.X; x < part.Max.X; x++ {
			column := image.Rect(x, part.Min.Y, x+1, part.Max.Y)
			if pixels, _, _, _, _ := InkWithin(picture, column, color.NRGBA{shade.Y, shade.Y, shade.Y, 0xff}); pixels > part.Dy()/2 {
				shaded++
			}
		}
		if math.Abs(float64(shaded-shadedColumns)) > 20 { // some lines of the grid look like it
			t.Errorf("%s half: %d columns are shaded, want %d", half, shaded, shadedColumns)
		}
	}
}
