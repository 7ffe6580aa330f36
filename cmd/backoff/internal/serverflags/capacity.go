package serverflags

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/cmd/backoff/internal/digits"
)

// A capacity is a number of requests a second, as a flag's value: 500/s, 30000/m or 500.
type capacity float64

const (
	minCapacity = 1e-3
	maxCapacity = 1e6 // the latency for each open request is then 1 µs, right to a thousandth
)

var perSecond = map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600}

func (c *capacity) String() string {
	if *c == 0 {
		return ""
	}
	return digits.Shortest(float64(*c)) + "/s"
}

func (c *capacity) Type() string { return "rate" }

// Want says what the flag takes.
func (c *capacity) Want() string {
	return "requests a second such as 500/s, or a minute such as 30000/m, 0.001/s to 1000000/s"
}

func (c *capacity) Set(text string) error {
	number, unit, slash := strings.Cut(text, "/")
	seconds, known := perSecond[strings.TrimSpace(unit)]
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	x /= seconds
	if err != nil || !known || slash && unit == "" || !(x >= minCapacity && x <= maxCapacity) {
		return fmt.Errorf("%q is no capacity", text)
	}
	*c = capacity(x)
	return nil
}

// perOpen returns the latency for each open request that gives a server this capacity, to
// the nearest nanosecond: see overload.LinearLatency.
func (c capacity) perOpen() time.Duration { return time.Duration(math.Round(1e9 / float64(c))) }
