// Command defaults writes docs/defaults.md: the default schedules of well-known clients
// as expressions, with the figures of package plan. Its tests compare the schedules
// with the real clients, and the page with the command.
//
//	GOWORK=off go -C interop run ./defaults
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	page := flag.String("page", "../docs/defaults.md", "the `file` to update")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "defaults: unexpected argument %q, want flags only\n", flag.Arg(0))
		os.Exit(2)
	}
	changed, err := updateFile(*page)
	if err != nil {
		fmt.Fprintf(os.Stderr, "defaults: %v\n", err)
		os.Exit(1)
	}
	if changed {
		fmt.Printf("%s is updated\n", *page)
	} else {
		fmt.Printf("%s was up to date\n", *page)
	}
}
