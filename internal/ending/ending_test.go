package ending_test

import (
	"fmt"
	"runtime"
	"testing"

	"example.com/backoff/internal/ending"
	"github.com/google/go-cmp/cmp"
)

func ExampleOf() {
	fmt.Println(ending.Of(func() {}))
	fmt.Println(ending.Of(func() { panic("boom") }))
	fmt.Println(ending.Of(runtime.Goexit))
	// Output:
	// return
	// panic: boom
	// exit
}

func ExampleSchedules() {
	for _, s := range ending.Schedules() {
		fmt.Printf("%s: %s\n", s.Name, ending.Of(func() {
			for range s.New(1) {
				break
			}
		}))
	}
	// Output:
	// returns: return
	// panics: panic: boom
	// exits: exit
	// exits in the range: exit
}

// A panic with nil has a value of its own. A recovered panic does not count.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func()
		want string
	}{
		{"panic with nil", func() { panic(nil) }, "panic: " + new(runtime.PanicNilError).Error()},
		{"recovered panic", func() { defer func() { recover() }(); panic("boom") }, "return"},
		{"exit while panicking", func() { defer runtime.Goexit(); panic("boom") }, "exit"},
	} {
		if diff := cmp.Diff(test.want, ending.Of(test.f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
