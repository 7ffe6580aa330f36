package argument_test

import (
	"fmt"

	"example.com/backoff/internal/argument"
)

func ExampleText() {
	fmt.Println(argument.Text("backoff", "Take", "n", -1, ">= 0"))
	// Output: backoff: Take: n is -1, want >= 0
}

func ExampleReject() {
	defer func() { fmt.Println(recover()) }()
	argument.Reject("backoff", "Cap", "seq", "nil", "a schedule")
	// Output: backoff: Cap: seq is nil, want a schedule
}
