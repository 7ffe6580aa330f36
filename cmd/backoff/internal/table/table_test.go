package table

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/backoff/cmd/backoff/internal/screen"
)

func TestLetter(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "A1", 53: "B2"} {
		if got := Letter(i); got != want {
			t.Errorf("Letter(%d) = %s, want %s", i, got, want)
		}
	}
}

// on returns a table as a screen of that width shows it.
func on(t interface{ Fatal(...any) }, table *Table, width int) string {
	var b bytes.Buffer
	w := screen.NewWriter(&b)
	w.Width, w.Wraps = width, true
	table.Write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func numbers() *Table {
	var t Table
	t.Add("", "delay", "", "elapsed")
	t.Add("retry", "p50", "max", "p50", "max")
	t.Add("1", "100ms", "200ms", "100ms", "200ms")
	t.Add("...")
	return &t
}

// A table that is too wide is written in parts, with whole groups while there is room.
func TestParts(t *testing.T) {
	const whole = `
        delay           elapsed
retry     p50     max       p50     max
    1   100ms   200ms     100ms   200ms
  ...
`
	const groups = `
        delay
retry     p50     max
    1   100ms   200ms
  ...

        elapsed
retry       p50     max
    1     100ms   200ms
  ...
`
	const columns = `
        delay
retry     p50
    1   100ms
  ...

        delay
retry     max
    1   200ms
  ...

        elapsed
retry       p50
    1     100ms
  ...

        elapsed
retry     max
    1   200ms
  ...
`
	for _, test := range []struct {
		width int
		want  string
	}{{160, whole}, {39, whole}, {38, groups}, {23, groups}, {20, columns}, {1, columns}} {
		if diff := cmp.Diff(test.want[1:], on(t, numbers(), test.width)); diff != "" {
			t.Errorf("%d columns wide (-want +got):\n%s", test.width, diff)
		}
	}
	var file bytes.Buffer
	numbers().Write(&file)
	if diff := cmp.Diff(whole[1:], file.String()); diff != "" {
		t.Errorf("in a file (-want +got):\n%s", diff)
	}
}

// A long key is broken into lines beside the cells of its row.
func TestLongKey(t *testing.T) {
	table := Table{Left: true}
	table.Add("schedule", "time")
	table.Add("full-jitter(10ms, 2s) | take(5)", "500ms")
	table.Add("constant(0s)", "1s")
	const want = `
schedule               time
full-jitter(10ms,     500ms
2s) | take(5)
constant(0s)             1s
`
	if diff := cmp.Diff(want[1:], on(t, &table, 38)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line := range strings.Lines(on(t, &table, 39)) {
		if screen.Columns(line) != 39+len("\n") {
			t.Errorf("on 39 columns, which are enough, there is the line %q", line)
		}
	}
}

// Every cell is there, whatever the width, and no line is too long while a part is more
// than one column wide.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table
		columns := rapid.IntRange(1, 8).Draw(t, "columns")
		named := rapid.SliceOfN(rapid.Bool(), columns, columns).Draw(t, "named")
		var head, names []string
		for i := range columns {
			name := ""
			if named[i] {
				name = "group"
			}
			head, names = append(head, name), append(names, "cell"+strconv.Itoa(i))
		}
		table.Add(append([]string{""}, head...)...)
		table.Add(append([]string{"key"}, names...)...)
		width := rapid.IntRange(1, 90).Draw(t, "width")
		got := on(t, &table, width)
		for _, name := range names {
			if strings.Count(got, name) != 1 {
				t.Fatalf("%s is not once in\n%s", name, got)
			}
		}
		for line := range strings.Lines(got) {
			if n := len(strings.TrimSuffix(line, "\n")); n > max(width, len("key   group")) {
				t.Fatalf("%d columns in\n%s", n, got)
			}
		}
	})
}
