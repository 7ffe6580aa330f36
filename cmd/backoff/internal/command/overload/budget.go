package overload

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/backoff/cmd/backoff/internal/digits"
	"example.com/backoff/retry"
	"example.com/backoff/sim/overload"
)

// A budgetValue is the value of a flag for a retry budget: tokens,ratio, or nothing.
type budgetValue struct {
	tokens, ratio float64
	given         bool
}

func (b *budgetValue) String() string {
	if !b.given {
		return ""
	}
	return digits.Shortest(b.tokens) + "," + digits.Shortest(b.ratio)
}

func (b *budgetValue) Type() string { return "budget" }

// Want returns what the flag accepts.
func (b *budgetValue) Want() string { return "tokens,ratio such as 10,0.1, both in [0.000001, 1e12]" }

func (b *budgetValue) Set(text string) error {
	first, second, _ := strings.Cut(text, ",")
	parse := func(word string) (float64, error) {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err == nil && !(x >= 1e-6 && x <= 1e12) {
			err = fmt.Errorf("%v is out of range", x)
		}
		return x, err
	}
	tokens, err := parse(first)
	if err != nil {
		return err
	}
	ratio, err := parse(second)
	if err != nil {
		return err
	}
	*b = budgetValue{tokens, ratio, true}
	return nil
}

// maker returns the function that makes the budget of a process, or nil if there is none.
func (b *budgetValue) maker() func() overload.Budget {
	if !b.given {
		return nil
	}
	return func() overload.Budget { return retry.NewBudget(b.tokens, b.ratio) }
}
