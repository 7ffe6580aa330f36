package overload

// A ring is a queue in a slice of 2ⁿ places that it uses again and again.
type ring[T any] struct {
	items       []T
	first, size int
}

func (r *ring[T]) push(item T) {
	if r.size == len(r.items) {
		r.grow()
	}
	r.items[(r.first+r.size)&(len(r.items)-1)] = item
	r.size++
}

func (r *ring[T]) grow() {
	items := make([]T, max(8, 2*len(r.items)))
	n := copy(items, r.items[r.first:])
	copy(items[n:], r.items[:r.first])
	r.items, r.first = items, 0
}

// at returns item i from the front, 0 <= i < size.
func (r *ring[T]) at(i int) *T { return &r.items[(r.first+i)&(len(r.items)-1)] }

// drop takes the first n away, n <= size.
func (r *ring[T]) drop(n int) {
	r.first = (r.first + n) & (len(r.items) - 1)
	r.size -= n
}
