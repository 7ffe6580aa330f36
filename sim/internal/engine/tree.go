package engine

import (
	"math"
	"math/bits"
	"time"
)

// Never is the time of an event that does not come.
const Never time.Duration = math.MaxInt64

// A Tree has for each of a fixed number of clients the time of its next event, and
// gives the earliest. It is a tournament: each client is a leaf, each node above
// holds the earlier of the two below, so a change replays one path to the root,
// log₂ n comparisons, and touches nothing else. That is several times as fast as a
// heap of events, for as long as it fits the cache: up to a few thousand clients.
// For more there is [Calendar].
//
// Of events at one time the client with the lower number comes first.
type Tree struct {
	nodes []node // node 1 is the root, node n has 2n and 2n+1 below, the second half are leaves
}

type node struct {
	at     uint64 // a time.Duration >= 0; unsigned, so that 1 more than Never is more
	client uint32
}

// NewTree returns a tree of n clients, n >= 1, without events.
func NewTree(n int) *Tree {
	t := &Tree{make([]node, 2<<bits.Len(uint(n-1)))}
	t.Clear()
	return t
}

// Clear takes all events away.
func (t *Tree) Clear() {
	leaves := len(t.nodes) / 2
	for i := range leaves {
		t.nodes[leaves+i] = node{uint64(Never), uint32(i)}
	}
	for n := leaves - 1; n > 0; n-- {
		t.nodes[n] = t.nodes[2*n]
	}
}

// Set sets the time of client i's next event, at >= 0 or [Never].
func (t *Tree) Set(i int, at time.Duration) {
	nodes := t.nodes
	n := len(nodes)/2 + i
	first := node{uint64(at), uint32(i)}
	nodes[n] = first
	for n > 1 {
		// The clients left of here have lower numbers and win a draw: a
		// right-hand n is odd, and then the left one wins at an equal time too.
		other := nodes[n^1]
		if other.at < first.at+uint64(n&1) {
			first = other
		}
		n /= 2
		nodes[n] = first
	}
}

// Next returns the client that has the earliest event and that event's time,
// which is [Never] if no client has one.
func (t *Tree) Next() (i int, at time.Duration) {
	return int(t.nodes[1].client), time.Duration(t.nodes[1].at)
}
