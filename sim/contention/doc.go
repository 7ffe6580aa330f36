// Package contention simulates clients that compete for one row of a database
// under optimistic concurrency control: the model behind M. Brooker's
// [Exponential Backoff And Jitter], where the full, equal and decorrelated jitter
// come from.
//
// # The model
//
// There is one row, with one version. Each client reads it, and writes it back with
// the version that it saw. If the version is still that one, the write succeeds, the
// version goes up, and the client is done. If not, the client waits for the next
// delay of its schedule and starts over with a read. Each of the four messages of an
// attempt, read, answer, write, answer, takes an independent |N(Hop, HopDeviation)|.
// All clients send their first read at time 0. The delay before a retry is added to
// the time of its read.
//
// Two figures come out: the time until the last client knows that it has written,
// and how many writes were tried in all, the work that the database was put to. The
// least number of writes is that of the clients. A client whose schedule ends gives
// up, and is counted as such; so does one whose delay is longer than 146 years.
//
// # The published experiment
//
// [Default] is the published grid: 10 to 190 clients, 100 repetitions, messages of
// 10 ± 2 ms. Its attempt counter is 1 at the first backoff already, so that its base
// of 5 ms is doubled once, and its schedules are, with a limit of 2 s:
//
//	exponential   Cap(Exponential(10 ms, 2), 2 s)
//	equal         EqualJitter(10 ms, 2 s)
//	full          FullJitter(10 ms, 2 s)
//	decorrelated  DecorrelatedJitter(5 ms, 2 s)
//	none          Constant(0)
//
// What it gives, over 20,000 repetitions with each:
//
//	              50 clients            100 clients
//	exponential   36.4 s,  624 writes   63.5 s, 1,857 writes
//	equal          4.2 s,  347           6.6 s,   812
//	full           2.9 s,  333           4.9 s,   796
//	decorrelated   2.2 s,  375           4.2 s, 1,002
//	none           1.1 s,  690           2.0 s, 2,423
//
// Exponential backoff without jitter is the slowest, for clients that failed together
// wait alike and fail together again. Any wide jitter mends that. Without a delay all
// are done soonest, at three times the work; the model lets the database do any
// amount of it without slowing down, which package overload does not.
//
// These figures agree with the published program's, except for the decorrelated
// jitter: it takes 4.6 s there, and as many writes, since it clamps what it drew to
// the limit, where clients then wait together. See
// [example.com/backoff.DecorrelatedJitter].
//
// # Reproducible
//
// A result depends on the configuration and its seed alone: it is the same on every
// GOARCH and for any number of workers. Every repetition, and in it every client, has
// a seed of its own, made from that one, so that two schedules with one seed meet the
// same network.
//
// [Exponential Backoff And Jitter]: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
package contention
