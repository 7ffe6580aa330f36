package retrygrpc

// Budgets returns the number of connections that have a budget of a [Throttle].
func Budgets(throttle Option) int {
	n := 0
	throttle.set(config{}).budgets.of.Range(func(any, any) bool {
		n++
		return true
	})
	return n
}
