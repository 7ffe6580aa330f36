package list

import (
	"strings"
	"testing"

	"example.com/backoff/cmd/backoff/internal/clitest"
	"example.com/backoff/expr"
)

func TestList(t *testing.T) {
	got := clitest.Succeeds(t, New, "list")
	clitest.Golden(t, "list", got)
	for _, s := range expr.Stages() {
		if !strings.Contains(got, "\n  "+s.Usage()+"\n") || !strings.Contains(got, "      "+s.Formula+"\n") {
			t.Errorf("%s is not in the list", s.Usage())
		}
	}
}

func TestWriteErrors(t *testing.T) {
	clitest.FullDisk(t, "list", writeList)
}
