// Package contention simulates clients that compete for one row of a database under
// optimistic concurrency control. It is the model of M. Brooker's [Exponential Backoff And
// Jitter], the source of full, equal and decorrelated jitter.
//
// Use it to compare schedules by the number of calls that conflicts cost. Work is free for
// the server in this model: a failed write slows nobody down. So the time favours short
// delays, and Constant(0) is the fastest. Package overload has a server that slows down
// under load.
//
// # The model
//
// There is one row, with one version. Each client reads the row and writes it back with the
// version that it read. If the row still has that version, the write succeeds, the version
// goes up, and the client is done. If not, the client waits for the next delay of its
// schedule and starts over with a read. Each of the four messages of an attempt (read,
// answer, write, answer) takes an independent |N(Hop, HopDeviation)|. All clients send their
// first read at time 0.
//
// The results are the time until the last client knows that it has written, and the number
// of writes that all clients tried: the work of the database. The minimum is one write for
// each client. A client gives up when its schedule ends, or when a delay is longer than 146
// years.
//
// # The published experiment
//
// [Default] is the published experiment: 10 to 190 clients, 100 repetitions, messages of
// 10 ± 2 ms. Its attempt counter is already 1 at the first backoff, so its base of 5 ms is
// doubled once. With a limit of 2 s its schedules are:
//
//	exponential   Cap(Exponential(10 ms, 2), 2 s)
//	equal         EqualJitter(10 ms, 2 s)
//	full          FullJitter(10 ms, 2 s)
//	decorrelated  DecorrelatedJitter(5 ms, 2 s)
//	none          Constant(0)
//
// The means of 20,000 repetitions are:
//
//	              50 clients            100 clients
//	exponential   36.4 s,  624 writes   63.5 s, 1,857 writes
//	equal          4.2 s,  347           6.6 s,   812
//	full           2.9 s,  333           4.9 s,   796
//	decorrelated   2.2 s,  375           4.2 s, 1,002
//	none           1.1 s,  690           2.0 s, 2,423
//
// Exponential backoff without jitter is the slowest: clients that fail together wait equally
// long and fail together again (a thundering herd). Any wide jitter prevents that. Clients
// without a delay are done first, with three times the work, which costs nothing here.
//
// These figures agree with those of the published program, except for the decorrelated
// jitter, which takes 4.6 s there with as many writes. The published jitter clamps its
// draws to the limit, so that clients wait together there. See
// [example.com/backoff.DecorrelatedJitter].
//
// # Reproducible
//
// A result depends on the configuration and its seed only. It is the same on every GOARCH
// and for any number of workers. Every client in every repetition has a seed of its own,
// derived from that seed, so two schedules with one seed meet the same network.
//
// [Exponential Backoff And Jitter]: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
package contention
