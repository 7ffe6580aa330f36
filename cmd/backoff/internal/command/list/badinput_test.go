package list

import (
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
)

func TestBadInput(t *testing.T) {
	clitest.RefusesAll(t, New, []clitest.BadInput{
		{Args: []string{"list", "x"}, Want: `list: unexpected argument "x", want none`},
	})
}
