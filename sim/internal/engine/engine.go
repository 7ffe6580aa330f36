// Package engine has the parts of the models of package sim: random numbers, queues of
// events, a reader of schedules, and a runner of repetitions.
//
// # Reproducible
//
// A model's result depends on its configuration and one seed only, on every GOARCH and for
// any number of workers, because
//
//   - time is a [time.Duration] since the start, in whole nanoseconds;
//   - random numbers come from a [Rand], which uses exact functions only. Each client has
//     its own, with a [Seed] derived from the model's, so its draws depend neither on other
//     clients nor on the order of events;
//   - events at the same time are ordered by the numbers of their clients;
//   - [Repeat] runs repetitions on several processors, each from its own seed.
//
// # Schedules
//
// A waiting client cannot keep an iteration open: that takes a coroutine, and there may be a
// million clients. So a [Drawer] draws a block of delays at a time. Later it ranges again
// and skips them. That needs a schedule that replays.
//
// # Events
//
// There are two queues of events. Neither allocates for an event. Use a [Tree] for up to a
// few thousand clients with one event each, and a [Calendar] for more.
package engine
