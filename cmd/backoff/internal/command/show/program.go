package show

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"io"
	"slices"
	"strings"
	"text/template"

	"example.com/backoff/expr"
)

// programText is the program, without the Go of the schedules.
var programText = template.Must(template.New("").Parse(`// Command retry calls send until it succeeds, and waits between the attempts.
package main

import (
	"context"
	"errors"
	"iter"
	"log"
{{- if .Slices}}
	"slices"
{{- end}}
	"time"

{{if .Backoff}}
	"example.com/backoff"
{{- end}}
	"example.com/backoff/retry"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // for all attempts and delays
	defer cancel()
	if err := retry.Do(ctx, {{(index .Schedules 0).Name}}(), send); err != nil { {{- .Others}}
		log.Fatal(err)
	}
}

// send is the operation to retry: replace it with yours. Return retry.Permanent(err) for
// an error that no retry will mend.
func send(ctx context.Context) error {
	return errors.New("nothing is sent yet")
}
{{range .Schedules}}
// {{.Name}} returns the schedule
//
//	{{.Text}}
func {{.Name}}() iter.Seq[time.Duration] {
	{{- range .Steps}}
	{{.}}
	{{- end}}
}
{{end}}`))

// writeProgram writes a program that retries by the first schedule, with a function for
// each schedule. The opts are those of [expr.Expr.Go].
func writeProgram(w io.Writer, exprs []*expr.Expr, opts ...string) error {
	type schedule struct {
		Name, Text string
		Steps      []string
	}
	var schedules []schedule
	var code, others []string
	for i, e := range exprs {
		name := "delays"
		if len(exprs) > 1 {
			name = fmt.Sprintf("delays%d", i+1)
		}
		text := e.Go(opts...)
		s, err := steps(text)
		if err != nil {
			return err
		}
		schedules = append(schedules, schedule{name, e.String(), s})
		code = append(code, text)
		if i > 0 {
			others = append(others, name+"()")
		}
	}
	or := ""
	if len(others) > 0 {
		or = " // or " + strings.Join(others, ", ")
	}
	all := strings.Join(code, "\n")
	var program bytes.Buffer
	err := programText.Execute(&program, map[string]any{
		"Schedules": schedules,
		"Others":    or,
		"Slices":    strings.Contains(all, "slices."),
		"Backoff":   strings.Contains(all, "backoff."),
	})
	if err != nil {
		return err
	}
	formatted, err := format.Source(program.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(formatted)
	return err
}

// steps returns one statement for each of the nested calls of an expression. The last
// statement returns the schedule.
func steps(expression string) ([]string, error) {
	outermost, err := parser.ParseExpr(expression)
	if err != nil {
		return nil, err
	}
	text := func(from, to ast.Node) string { return expression[from.Pos()-1 : to.End()-1] }
	var lines []string
	for call := outermost.(*ast.CallExpr); ; {
		var changed *ast.CallExpr // the schedule that this call changes
		if len(call.Args) > 0 {
			changed, _ = call.Args[0].(*ast.CallExpr)
		}
		if changed == nil {
			lines = append(lines, text(call, call))
			break
		}
		lines = append(lines, text(call, call.Fun)+"(seq"+expression[changed.End()-1:call.End()-1])
		call = changed
	}
	slices.Reverse(lines)
	for i := range lines {
		switch {
		case i == len(lines)-1:
			lines[i] = "return " + lines[i]
		case i == 0:
			lines[i] = "seq := " + lines[i]
		default:
			lines[i] = "seq = " + lines[i]
		}
	}
	return lines, nil
}
