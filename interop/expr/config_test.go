// Package expr_test verifies that libraries for configuration read and write schedules
// through encoding.TextUnmarshaler and encoding.TextMarshaler.
package expr_test

import (
	"testing"

	"github.com/caarlos0/env/v11"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"example.com/backoff/expr"
)

type config struct {
	Delays   expr.Expr   `yaml:"delays,omitempty" env:"DELAYS"`
	Pointer  *expr.Expr  `yaml:"pointer,omitempty" env:"POINTER"`
	Several  []expr.Expr `yaml:"several,omitempty" env:"SEVERAL" envSeparator:";"`
	Fallback expr.Expr   `yaml:"-" env:"FALLBACK" envDefault:"constant(1s)"`
	Needed   expr.Expr   `yaml:"-" env:"NEEDED,notEmpty"`
}

// YAML reads a schedule from a scalar of any style and writes it as a plain one, and
// leaves out what is not set.
func TestYAML(t *testing.T) {
	var fallback expr.Expr
	if err := fallback.Set("constant(1s)"); err != nil {
		t.Fatal(err)
	}
	const delays = "delays: exponential(100ms, 2) | cap(10s)\n"
	for text, want := range map[string]string{
		"delays: exponential(100ms, 2) | cap(10s)":          delays,
		"delays: 'exponential(100ms,2)|cap(10s)'":           delays,
		"delays: exponential(100ms, 2)\n  | cap(10s)":       delays,
		"delays: |\n  exponential(100ms, 2)\n  | cap(10s)":  delays,
		"delays: >-\n  exponential(100ms, 2)\n  | cap(10s)": delays,
		"pointer: list()":               "pointer: list()\n",
		"several: [list(), list(0)]":    "several:\n    - list()\n    - list(0s)\n",
		"{delays: 'list(1s, 2s)'}":      "delays: list(1s, 2s)\n",
		"delays: constant(1s) # slowly": "delays: constant(1s)\n",
		"{}":                            "{}\n",
		"delays:":                       "{}\n",
		"delays: ~":                     "{}\n",
	} {
		var c config
		if err := yaml.Unmarshal([]byte(text), &c); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		got, err := yaml.Marshal(c)
		if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
			t.Errorf("%q is written again as (-want +got):\n%s%v", text, diff, err)
		}
	}
	c := config{Delays: fallback}
	if err := yaml.Unmarshal([]byte("delays:"), &c); err != nil || c.Delays.String() != fallback.String() {
		t.Errorf("null makes the default %q, %v; want %s", c.Delays, err, fallback)
	}
	for text, want := range map[string]string{
		"delays: exponential(100ms, 2) | capp(10s)": `column 25: unknown stage "capp", did you mean cap?`,
		"delays: ''":  "column 1: unexpected end of text, want a schedule such as constant(1s)",
		"delays: 100": `column 1: unexpected "100", want a schedule such as constant(1s)`,
		// In braces a comma ends the value, unless it is quoted.
		"{delays: list(1s, 2s)}": "column 8: unexpected end of text, want , or )",
	} {
		var c config
		if err := yaml.Unmarshal([]byte(text), &c); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if !c.Delays.IsZero() {
			t.Errorf("%q sets %s in spite of its error", text, c.Delays)
		}
	}
}

// Variables that are missing or empty leave a field as it is; notEmpty makes both an
// error.
func TestEnvironment(t *testing.T) {
	type variables = map[string]string
	for _, test := range []struct {
		variables
		want string
	}{
		{variables{"NEEDED": "list()"}, ""},
		{variables{"NEEDED": "list()", "DELAYS": ""}, ""},
		{variables{"NEEDED": "list()", "DELAYS": "full-jitter(100ms, 10s) | take(8)"}, "full-jitter(100ms, 10s) | take(8)"},
	} {
		var c config
		if err := env.ParseWithOptions(&c, env.Options{Environment: test.variables}); err != nil {
			t.Error(test.variables, err)
		}
		if got := c.Delays.String(); got != test.want || c.Delays.IsZero() != (test.want == "") {
			t.Errorf("%v gives %q, IsZero %v; want %q", test.variables, got, c.Delays.IsZero(), test.want)
		}
		if got := c.Fallback.String() + c.Needed.String(); got != "constant(1s)list()" {
			t.Errorf("%v: the fallback and what is needed are %s", test.variables, got)
		}
	}

	var c config
	several := variables{"NEEDED": "list()", "POINTER": "list(0)", "SEVERAL": "constant(1s);list(1s, 2s)"}
	if err := env.ParseWithOptions(&c, env.Options{Environment: several}); err != nil {
		t.Fatal(err)
	}
	if c.Pointer == nil || c.Pointer.String() != "list(0s)" || len(c.Several) != 2 || c.Several[1].String() != "list(1s, 2s)" {
		t.Errorf("%v gives %v and %v", several, c.Pointer, c.Several)
	}

	for _, test := range []struct {
		variables
		want string
	}{
		{variables{}, `env: environment variable "NEEDED" should not be empty`},
		{variables{"NEEDED": ""}, `env: environment variable "NEEDED" should not be empty`},
		{variables{"NEEDED": "constant(1)"}, `env: parse error on field "Needed" of type "expr.Expr": column 10: constant: delay is 1, want a duration such as 1s`},
	} {
		var c config
		if err := env.ParseWithOptions(&c, env.Options{Environment: test.variables}); err == nil || err.Error() != test.want {
			t.Errorf("%v: %v, want %s", test.variables, err, test.want)
		}
	}
}
