package serve

import (
	"strings"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestHelp(t *testing.T) {
	clitest.Golden(t, "serve-help", clitest.Succeeds(t, New, "serve", "--help"))
}

func TestBadInput(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"serve --address 8.8.8.8:80", `serve: --address is "8.8.8.8:80", want a loopback address, 127.0.0.1 or [::1]: this overloads no other machine`},
		{"serve --address 8070", `serve: --address is "8070", want a loopback address and a port, such as 127.0.0.1:8070`},
		{"serve --address 127.0.0.1:x", `serve: --address is "127.0.0.1:x", want a port in [0, 65535]`},
		{"serve --address 127.0.0.1:0 --stats 10.0.0.1:80", `serve: --stats is "10.0.0.1:80", want a loopback address, 127.0.0.1 or [::1]: this overloads no other machine`},
		{"serve x", `serve: unexpected argument "x", want none`},
		{"serve --latency-limit -1", "serve: --latency-limit is -1, want >= 0"},
		{"serve --base-latency 0", "serve: --base-latency is 0s, want above 0"},
		{"serve --base-latency soon", `--base-latency is "soon", want a duration such as 90s or 1m30s`},
		{"serve --capacity 5/s --latency-scale 3", "serve: --capacity is given, and so is --latency-scale, want one kind of latency"},
		{"serve --latency-per-open -1s", "serve: --latency-per-open is -1s, want >= 0"},
		{"serve --latency-factor NaN", "serve: --latency-factor is NaN, want a finite value >= 1"},
		{"serve --latency-factor much", `--latency-factor is "much", want a number`},
		{"serve --latency-scale 0", "serve: --latency-scale is 0, want a finite value above 0"},
		{"serve --poll 1us", "serve: --poll is 1µs, want 0 or 1ms to 1h"},
		{"serve --poll 61m", "serve: --poll is 1h1m0s, want 0 or 1ms to 1h"},
		{"serve --queue 0", "serve: --queue is 0, want 1 to 1000000000"},
		{"serve --abandoned lose", `serve: --abandoned is "lose", want keep or cancel`},
	} {
		clitest.Refuses(t, New, test.want, strings.Fields(test.args)...)
	}
}
