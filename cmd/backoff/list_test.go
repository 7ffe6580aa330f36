package main

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/expr"
	"example.com/backoff/sim/contention"
	"example.com/backoff/sim/overload"
)

func TestList(t *testing.T) {
	got := succeeds(t, "list")
	golden(t, "list", got)
	for _, s := range expr.Stages() {
		if !strings.Contains(got, "\n  "+s.Usage()+"\n") || !strings.Contains(got, "      "+s.Formula+"\n") {
			t.Errorf("%s is not in the list", s.Usage())
		}
	}
}

// Each line of the list that is a command runs as it stands there.
func TestListedExamplesRun(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^ +backoff show '(.*)'$`).FindAllStringSubmatch(succeeds(t, "list"), -1)
	if want := len(expr.Stages()); len(commands) != want {
		t.Errorf("%d examples, want %d", len(commands), want)
	}
	for _, c := range commands {
		if got := succeeds(t, "show", c[1]); !strings.HasPrefix(got, c[1]+"\n") || !strings.Contains(got, "retry") {
			t.Errorf("show %s prints\n%s", c[1], got)
		}
	}
}

// A full disk is an error, whatever it cuts off.
func TestWriteErrors(t *testing.T) {
	full := errors.New("no space left")
	o := []overview{newOverview(mustParse(t, "uniform(1s, 2s) | take(3)"), 4, 10, 1)}
	sieges := []siege{{o[0].expr.String(), []overload.Rep{{Seconds: make([]overload.Second, 3)}}}}
	for name, write := range map[string]func(*cutOff) error{
		"list":          func(w *cutOff) error { return writeList(w) },
		"table":         func(w *cutOff) error { return writeTable(w, o[0]) },
		"empty":         func(w *cutOff) error { return writeTable(w, newOverview(mustParse(t, "list()"), 1, 1, 1)) },
		"chart":         func(w *cutOff) error { return writeChart(w, showFigure(o, false)) },
		"csv":           func(w *cutOff) error { return writeCSV(w, o) },
		"json":          func(w *cutOff) error { return writeJSON(w, o) },
		"png":           func(w *cutOff) error { return writePNG(w, showFigure(o, false)) },
		"svg":           func(w *cutOff) error { return writeSVG(w, showFigure(o, false)) },
		"plan":          func(w *cutOff) error { return writePlan(t, w, "table", "uniform(1s, 2s) | take(3)") },
		"plan csv":      func(w *cutOff) error { return writePlan(t, w, "csv", "uniform(1s, 2s) | take(3)") },
		"plan json":     func(w *cutOff) error { return writePlan(t, w, "json", "uniform(1s, 2s) | take(3)") },
		"comparison":    func(w *cutOff) error { return writePlan(t, w, "table", "uniform(1s, 2s)", "list()") },
		"solution":      func(w *cutOff) error { return writeSolved(w, "table") },
		"solution csv":  func(w *cutOff) error { return writeSolved(w, "csv") },
		"solution json": func(w *cutOff) error { return writeSolved(w, "json") },
		"contention": func(w *cutOff) error {
			f := contentionFlags{clients: clientCounts{[]int{2, 5}}}
			return f.write(w, []contest{{mustParse(t, "list()"), []contention.Cell{{Clients: 2, Reps: 1}, {Clients: 5, Reps: 1}}}})
		},
		"contention csv":  func(w *cutOff) error { return writeContentionCSV(w, make([]contest, 0)) },
		"contention json": func(w *cutOff) error { return (&contentionFlags{}).writeJSON(w, []contest{{expr: o[0].expr}}) },
		"overload": func(w *cutOff) error {
			return (&overloadFlags{}).write(w, overload.Default(), sieges, nil)
		},
		"overload csv":  func(w *cutOff) error { return writeOverloadCSV(w, sieges) },
		"verdict csv":   func(w *cutOff) error { return writeVerdictCSV(w, sieges) },
		"overload json": func(w *cutOff) error { return writeOverloadJSON(w, sieges, false) },
		"show": func(w *cutOff) error {
			s := showing{drawing: drawing{retries: 3, draws: 10}}
			return s.run(w, []*expr.Expr{mustParse(t, "constant(1s)"), mustParse(t, "list()")})
		},
	} {
		for _, left := range []int{0, 20} {
			if err := write(&cutOff{left, full}); !errors.Is(err, full) {
				t.Errorf("%s with room for %d bytes: the error is %v, want %v", name, left, err, full)
			}
		}
	}
}

func writePlan(t *testing.T, w io.Writer, format string, texts ...string) error {
	t.Helper()
	p := planning{drawing: drawing{retries: 3, draws: 10}, quantiles: []float64{0.5}}
	p.compare = len(texts) > 1
	var exprs []*expr.Expr
	for _, text := range texts {
		exprs = append(exprs, mustParse(t, text))
	}
	return writeForecasts(w, exprs, &p, &presentation{format: format})
}

func writeSolved(w io.Writer, format string) error {
	k := given{base: time.Second, factor: 2, retries: 3, limit: backoff.NoLimit}
	k.names = map[string]bool{"base": true, "factor": true, "retries": true}
	return k.run(w, format)
}

// A cutOff is a writer with room for left bytes.
type cutOff struct {
	left int
	err  error
}

func (c *cutOff) Write(b []byte) (int, error) {
	if len(b) > c.left {
		return c.left, c.err
	}
	c.left -= len(b)
	return len(b), nil
}

func mustParse(t *testing.T, text string) *expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
