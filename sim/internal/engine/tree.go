package engine

import (
	"math"
	"math/bits"
	"time"
)

// Never is the time of no event.
const Never time.Duration = math.MaxInt64

// A Tree has the time of the next event of each client, and finds the earliest. Use it for
// up to a few thousand clients, as long as it fits into the cache: there it is several times
// as fast as a heap of events. Use a [Calendar] for more.
//
// It is a tournament: each client is a leaf, and each node above has the earlier of the two
// below. So a change replays one path to the root, log₂ n comparisons. If two events have
// the same time, the client with the lower number comes first.
type Tree struct {
	nodes []node // node 1 is the root; 2n and 2n+1 are below node n; the second half are leaves
}

type node struct {
	at     uint64 // a time.Duration >= 0; unsigned, so that Never + 1 is larger than Never
	client uint32
}

// NewTree returns a tree of n clients, n >= 1, without events.
func NewTree(n int) *Tree {
	t := &Tree{make([]node, 2<<bits.Len(uint(n-1)))}
	t.Clear()
	return t
}

// Clear removes all events.
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
		// A right-hand n is odd. The client on its left has a lower number, and so
		// wins at an equal time too.
		other := nodes[n^1]
		if other.at < first.at+uint64(n&1) {
			first = other
		}
		n /= 2
		nodes[n] = first
	}
}

// Next returns the client with the earliest event, and the time of that event. The time is
// [Never] if no client has one.
func (t *Tree) Next() (i int, at time.Duration) {
	return int(t.nodes[1].client), time.Duration(t.nodes[1].at)
}
