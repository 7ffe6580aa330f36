// Package sim is where schedules are tried on many simulated clients, in virtual time.
// It has no functions itself. There are two models:
//
//   - [example.com/backoff/sim/contention]: clients that compete for one row;
//   - [example.com/backoff/sim/overload]: clients that retry against a server that
//     slows down under load.
//
// # Reproducible
//
// A model's result is a function of its configuration and one seed. It is the same on
// every GOARCH and for any number of workers, so that anybody can verify a figure in a
// document. Each client has random numbers of its own, so that two schedules with one
// seed meet the same conditions, and what a client draws depends on no other client.
//
// # Schedules
//
// A model takes a schedule as func(seed uint64) iter.Seq[time.Duration], and calls it
// with a seed of each client's own:
//
//	func(seed uint64) iter.Seq[time.Duration] {
//		return backoff.FullJitter(base, limit, backoff.WithSeed(seed))
//	}
//
// The schedule must replay: ranging over it again gives the same delays. A model draws
// some of a client's delays at a time and ranges again later, skipping those, because
// an iteration held for each of a million clients takes a coroutine each. A schedule
// that does not replay is treated as the mixture of what its ranges give.
package sim
