// Command defaults writes into docs/defaults.md what the best-known clients do
// where nobody tells them otherwise: their schedules as expressions, and what
// package plan says of each. Its tests hold the schedules against the real
// clients, and the page against the command.
//
//	GOWORK=off go -C interop run ./defaults
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	page := flag.String("page", "../docs/defaults.md", "the `file` to bring up to date")
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
		fmt.Printf("%s is up to date now\n", *page)
	} else {
		fmt.Printf("%s was up to date\n", *page)
	}
}
