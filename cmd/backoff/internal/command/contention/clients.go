package contention

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// clientCounts is the value of a flag: numbers of clients.
type clientCounts struct{ counts []int }

const maxCounts = 10_000 // a typing mistake is an error instead of a day of waiting

// String has the form 10:190:10 if there are three or more counts, evenly spaced.
func (c *clientCounts) String() string {
	last := len(c.counts) - 1
	if last >= 2 {
		step := c.counts[1] - c.counts[0]
		even := step > 0
		for i := range last {
			even = even && c.counts[i+1]-c.counts[i] == step
		}
		if even {
			return fmt.Sprintf("%d:%d:%d", c.counts[0], c.counts[last], step)
		}
	}
	words := make([]string, len(c.counts))
	for i, n := range c.counts {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

func (c *clientCounts) Type() string { return "clients" }

// Want describes the values of the flag.
func (c *clientCounts) Want() string {
	return "numbers of clients such as 10,50,100 or 10:190:10 (from:to:step), 10000 at most"
}

// Set parses numbers and ranges, separated by commas.
func (c *clientCounts) Set(text string) error {
	var all []int
	for _, word := range strings.Split(text, ",") {
		var numbers []int
		for _, digits := range strings.Split(word, ":") {
			n, err := strconv.Atoi(strings.TrimSpace(digits))
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
		if len(numbers) == 1 {
			numbers = append(numbers, numbers[0], 1)
		}
		if len(numbers) != 3 {
			return fmt.Errorf("%q is neither a number nor from:to:step", word)
		}
		from, to, step := numbers[0], numbers[1], numbers[2]
		if from < 1 || to < from || step < 1 || len(all)+(to-from)/step >= maxCounts {
			return fmt.Errorf("%q has no clients or too many numbers", word)
		}
		for i := range (to-from)/step + 1 {
			all = append(all, from+i*step)
		}
	}
	c.counts = all
	return nil
}

// rising returns the counts in rising order, each once.
func (c *clientCounts) rising() []int {
	return slices.Compact(slices.Sorted(slices.Values(c.counts)))
}
