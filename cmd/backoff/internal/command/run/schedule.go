package run

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/backoff/cmd/backoff/internal/cli"
	"example.com/backoff/expr"
)

// A schedule is what the flags say about the delays.
type schedule struct {
	attempts     int64 // to refuse what an int of 32 bits does not hold
	delay, retry string
}

// parse returns the schedule as an expression. The delays are those of --delay or --retry,
// and --attempts bounds their number: n attempts have n-1 delays between them.
func (s *schedule) parse(given func(flag string) bool) (e *expr.Expr, err error) {
	switch {
	case given("attempts") && (s.attempts < 1 || s.attempts > math.MaxInt32):
		return nil, fmt.Errorf("--attempts is %d, want a whole number in [1, %d]", s.attempts, math.MaxInt32)
	case given("delay") && given("retry"):
		return nil, errors.New("--delay and --retry are given, want one of them")
	case given("delay"):
		e, err = parseDelay(s.delay)
	case given("retry"):
		e, err = parseRetry(s.retry)
	case given("attempts"):
		e, err = expr.Parse(defaultDelay)
	default:
		return expr.Parse(defaultRetry)
	}
	if err != nil || !given("attempts") {
		return e, err
	}
	return expr.Parse(fmt.Sprintf("%s | take(%d)", e, s.attempts-1))
}

// maxAttempts returns the largest number of attempts that the flags allow, and false if that
// depends on the expression or there is no bound.
func (s *schedule) maxAttempts(given func(flag string) bool) (n int, bounded bool) {
	switch {
	case given("attempts"):
		return int(s.attempts), true
	case given("delay"), given("retry"):
		return 0, false
	}
	return defaultAttempts, true
}

// parseDelay reads the value of --delay: 1s, or an expression.
func parseDelay(text string) (*expr.Expr, error) {
	d, err := cli.ParseDuration(text)
	switch {
	case err == nil && d < 0:
		return nil, fmt.Errorf("--delay is %q, want a duration >= 0", text)
	case err == nil:
		return expr.Parse("constant(" + expr.FormatDuration(d) + ")")
	case !strings.Contains(text, "("):
		return nil, fmt.Errorf("--delay is %q, want a duration such as 90s or 1m30s, or an expression such as '%s'", text, defaultDelay)
	}
	e, err := expr.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("--delay: %w", err)
	}
	return e, nil
}

// parseRetry reads the value of --retry. In curl and others a flag of that name takes the
// number of retries.
func parseRetry(text string) (*expr.Expr, error) {
	e, err := expr.Parse(text)
	if err == nil {
		return e, nil
	}
	if n, wrong := strconv.ParseInt(text, 10, 32); wrong == nil && n >= 0 {
		return nil, fmt.Errorf("--retry is %d, want an expression such as '%s'; %d retries are --attempts %d", n, defaultDelay, n, n+1)
	}
	if _, wrong := cli.ParseDuration(text); wrong == nil {
		return nil, fmt.Errorf("--retry is %q, want an expression such as 'constant(%s)', or --delay %s", text, text, text)
	}
	return nil, fmt.Errorf("--retry: %w", err)
}
