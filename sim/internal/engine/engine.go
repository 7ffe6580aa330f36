// Package engine is what the models of package sim are made of: random numbers, queues
// of events, a reader of schedules, and a runner of repetitions.
//
// # Reproducible
//
// A model's result depends on its configuration and one seed alone, on every GOARCH
// and for any number of workers. For that
//
//   - time is a [time.Duration] since the start, whole nanoseconds;
//   - random numbers come from a [Rand], whose variates use exact functions only. Each
//     client has one of its own, at a [Seed] made from the model's, so that what a
//     client draws depends on no other client and not on the order of events;
//   - events at one time have an order, that of their clients' numbers;
//   - [Repeat] runs repetitions on several processors, each from its own seed.
//
// # Schedules
//
// A client cannot hold an iteration while it waits: that takes a coroutine, and there
// may be a million clients. So a [Drawer] draws some delays at a time, and ranges again
// later, skipping those. That needs a schedule that replays.
//
// # Events
//
// Two queues of events, neither of which allocates for one: a [Tree], which has a place
// for each of up to a few thousand clients, and a [Calendar], which notes the events of
// any number of them.
package engine
