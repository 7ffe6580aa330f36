package list

import (
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "x"}, `list: unexpected argument "x", want none`},
	} {
		clitest.Refuses(t, New, test.want, test.args...)
	}
}
