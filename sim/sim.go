// Package sim tries schedules on many simulated clients, in virtual time. It has no
// functions itself. There are two models:
//
//   - [example.com/backoff/sim/contention]: clients that compete for one database row. Use
//     it for conflicts between transactions.
//   - [example.com/backoff/sim/overload]: clients that retry against a server that slows
//     down under load. Use it for an outage and the recovery after it.
//
// # Reproducible
//
// A model's result depends on its configuration and one seed only. It is the same on every
// GOARCH and for any number of workers, so anybody can verify a published figure. Each
// client has random numbers of its own, which no other client influences, so two schedules
// with one seed meet the same conditions.
//
// # Schedules
//
// A model takes a schedule as func(seed uint64) iter.Seq[time.Duration] and calls it for
// each client, with another seed:
//
//	func(seed uint64) iter.Seq[time.Duration] {
//		return backoff.FullJitter(base, limit, backoff.WithSeed(seed))
//	}
//
// The schedule must replay: every range over it must give the same delays. A model draws a
// block of a client's delays at a time. For the next block it ranges over the schedule
// again and skips the delays that it has, because an open iteration would cost a coroutine
// for each of a million clients. If the schedule does not replay, the client gets a mixture
// of its ranges.
package sim
