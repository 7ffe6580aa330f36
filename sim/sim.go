// Package sim has what it takes to try a schedule on many simulated clients, in
// virtual time. Two models are made of it:
// [example.com/backoff/sim/contention], clients that compete for one row, and
// [example.com/backoff/sim/overload], clients that retry against a server that
// slows down under load.
//
// # Reproducible
//
// A model's result is a function of its configuration and one seed. It is the same
// on every GOARCH and for any number of workers, so that a figure in a document can
// be checked by anybody. For that
//
//   - time is a [time.Duration] since the start, whole nanoseconds;
//   - random numbers come from a [Rand], whose variates use exact functions only. Each
//     client has one of its own, at a [Seed] made from the one, so that what a client
//     draws depends on no other client and not on the order of events;
//   - events at one time have an order, that of their clients' numbers;
//   - [Repeat] runs repetitions on several processors, each from its own seed.
//
// # Schedules
//
// A model takes a schedule as func(seed uint64) iter.Seq[time.Duration], and calls it
// with a seed of each client's own. A client cannot hold an iteration while it waits:
// that takes a coroutine, and there may be a million clients. So a [Drawer] draws some
// delays at a time, and ranges again later, skipping those. That needs a schedule
// that replays:
//
//	func(seed uint64) iter.Seq[time.Duration] {
//		return backoff.FullJitter(base, limit, backoff.WithSeed(seed))
//	}
//
// # Events
//
// Two queues of events, neither of which allocates for one: a [Tree], which has a place
// for each of up to a few thousand clients, and a [Calendar], which notes the events of
// any number of them.
package sim
