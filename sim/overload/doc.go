// Package overload simulates clients that retry against a server that slows down under
// load, and that something happens to: it is stopped, or slowed down, or more is asked
// of it for a while. The question is whether it recovers.
//
// It is the experiment of A. Smirnov, [Exponential Backoff, or how not to bring down a
// server], made of what real servers and clients were seen to do. [Default] is the
// published one.
//
// # The clients
//
// Arrivals are closed: so many Clients that each think, for an exponentially
// distributed time, call until they succeed or give up, and think again. Or they are
// open: operations begin at some Rate, whatever becomes of them. A client waits for an
// answer until its Timeout and then abandons the request. It retries after the next
// delay of its schedule, which each operation starts anew with a seed of its own. When
// the schedule ends, or a [Budget] says so, the operation is given up. Requests and
// answers take no time on their way, unless there is a Network.
//
// # The server
//
// Its [Latency] is a function of the requests that are open. Every Poll it looks at each
// of them again, and answers it if it has been open for as long as the latency is now,
// by the requests that are open now. With a Poll of 0 it does not look again: a
// request takes the latency that was there when it opened. A share of Failures is
// answered by an error.
//
// Two things that nobody thinks of decide what happens after a stop:
//
//   - Abandoned requests. A net/http handler that does not look at its request's
//     context goes on serving a client that has long gone: that is [Keep]. If it does
//     look, the request ends with its client: that is [Drop].
//   - The accept queue, in which the kernel holds requests while the server is stopped.
//     All of them become open when it resumes, Accept apart, also those whose client
//     has given up. It held 128 in 2014, and holds 4096 on today's Linux. A request
//     that finds it full is not refused: it tries again, within Reconnect after the
//     resume if its client is still there. The 300 ms of Default are those of clients
//     that share the transport of net/http, which goes on connecting for requests
//     that were abandoned, and gives the connection to one that waits. A client that
//     connects for itself alone hears of it when the kernel tries again, after 1 s
//     or more.
//
// # Known answers
//
// A thousand clients of the default configuration, a stop in its middle:
//
//	abandoned  queue  fixed 100 ms               exponential, 100 ms · eⁿ up to 5 min
//	keep       4096   recovers from 4 s mostly,  recovers from 4 s mostly,
//	                  collapses from 5 s on      collapses from 5 s on
//	keep        128   collapses after 20 s       recovers from 20 s within 2 s
//	drop       4096   recovers from any stop     recovers from any stop
//
// The second line is the article's. The first is what the same programs do today, and
// the most useful thing that this simulator shows: with a queue of 4096 and abandoned
// requests kept, exponential backoff collapses too. The queue fills with requests that
// nobody waits for; when the server resumes it opens them all, and is so slow by them
// that every client times out and adds one more. Backoff slows that down and does not
// turn it.
//
// What does help:
//
//   - to drop abandoned requests: in Go, to stop when the request's context ends.
//     Then any schedule recovers from any stop;
//   - a short accept queue with exponential backoff, after long stops: with 128 places
//     it recovers from 20 s at once, and collapses after 8 s, when the delays have not
//     grown yet;
//   - a first delay as long as the stop: 10 to 30 s before each retry recovers from a
//     stop of 20 s, after 10 s;
//   - a retry budget of ratio 0.1: it recovers from a stop of 8 s after 1 s. It has
//     nothing to say about first tries: after 10 s these alone are too many.
//
// A spike is another matter: what is too much is soon over, if the retries do not keep
// it up. Operations begin at 40 a second, and at 80 for 5 s; the latency is 1 s and 10
// ms more for each open request, decided when it opens; a request is on its way for 100
// ms, and its answer too; it is abandoned after 3 s, and retried twice. Of 400 runs 302
// end collapsed with retries at once, and none with full jitter from 20 s on: the same
// shares as in M. Brooker's [simulator], which is where the model is from. Full jitter
// from 10 s on leaves 34. It is all at the edge, 200 open requests, where the latency is
// the timeout: without the way there and back only 97 collapse.
//
// At a server that only fails a share p of requests, three retries succeed with 1 − p⁴
// at (1 − p⁴)/(1 − p) times the load. A budget of ratio 0.1 holds the load at 1.1 times
// at most, and where more than a tenth of the requests fail at 1.0, since it is empty
// then: what fails is not retried. Backoff by itself changes nothing about that: it delays retries and makes none
// of them unnecessary. Only serial clients make fewer first tries by it.
//
// # Results
//
// Each second of virtual time is a [Second]; a [Verdict] sums the run up. A result
// depends on the configuration and its seed alone: it is the same on every GOARCH and
// for any number of workers. Every client has a seed of its own, made from that one, so
// that two schedules with one seed meet the same arrivals. So has every repetition after
// the first, which has the configuration's: different seeds share no repetition.
//
// A run of 125 s with a million clients takes some 200 MB where the server recovers and
// 550 MB where it does not.
//
// [Exponential Backoff, or how not to bring down a server]: https://habr.com/ru/post/227225/
// [simulator]: https://github.com/mbrooker/simulator_example
package overload
