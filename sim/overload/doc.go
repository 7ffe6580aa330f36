// Package overload simulates clients that retry against a server that slows down under
// load, during and after an outage: the server stops, it becomes slower, or more operations
// begin for a while. It answers what happens when the server comes back: does it recover, or
// do the retries keep it down?
//
// Start from [Default], set the Schedule, and [Run] it; the [Verdict] of each repetition
// says whether the server recovered. Then change what you would change in production, such
// as Abandoned or the first delay, and run it again.
//
// It is the experiment of A. Smirnov, [Exponential Backoff, or how not to bring down a
// server], with the behaviour of real servers and clients added. [Default] is the published
// one.
//
// # The clients
//
// Arrivals are closed or open. Closed arrivals are a number of Clients; each thinks, for an
// exponentially distributed time, calls until it succeeds or gives up, and thinks again.
// Open arrivals are operations that begin at a Rate, whatever becomes of the others. A request times
// out after Timeout: its client abandons it, and retries after the next delay of its
// schedule. Each operation starts its schedule with a seed of its own. When the schedule
// ends, or a [Budget] forbids the retry, the client gives the operation up. Requests and
// answers arrive at once unless there is a Network.
//
// # The server
//
// Its [Latency] is a function of the open requests. Every Poll the server checks each of
// them, and answers it if it has been open for the latency of that moment. If Poll is 0, the
// latency of a request is fixed when it opens. A share of Failures get an error response.
//
// Two things that are easily overlooked decide what happens after a stop:
//
//   - Abandoned requests. A net/http handler that ignores its request's context goes on
//     serving a client that has given up, which is wasted work: that is [Keep]. A handler
//     that returns when the context is done ends the request with its client: that is
//     [Cancel].
//   - The accept queue, in which the kernel holds requests while the server is stopped.
//     When the server resumes, all of them become open, one every Accept, including those
//     whose client has given up. The queue held 128 in 2014, and holds 4096 on today's
//     Linux. A request that finds it full gets no error: it tries again, within Reconnect
//     after the resume if its client still waits. The 300 ms of Default are those of
//     clients that share the transport of net/http, which goes on connecting for abandoned
//     requests and gives the connection to one that waits. A client that connects for
//     itself alone succeeds when the kernel tries again, after 1 s or more.
//
// # Capacity
//
// While n requests stay open, a server with latency f answers n/f(n) requests a second, so
// its capacity is the maximum of n/f(n): see [Latency]. A steady load below it settles where
// the load is n/f(n). A load above it cannot be served, with retries or without. The server
// of Default has a capacity of 1,246 requests a second, and a thousand clients ask for 98 of
// them. What brings it down after a stop is the requests that pile up meanwhile: with 4,096
// open it takes 15 hours for a request, and answers 0.07 a second.
//
// For a server whose capacity c is known, use LinearLatency{Base: base, PerOpen: 1/c}.
//
// # Known answers
//
// A thousand clients of the default configuration, and a stop:
//
//	abandoned  queue  fixed 100 ms               exponential, 100 ms · eⁿ up to 5 min
//	keep       4096   recovers from 4 s mostly,  recovers from 4 s mostly,
//	                  collapses from 5 s on      collapses from 5 s on
//	keep        128   collapses after 20 s       recovers from 20 s within 2 s
//	cancel     4096   recovers from 20 s to      recovers from 20 s at
//	                  5 min within 2 s           once
//
// The second line is the article's. The first is what the same programs do today, and the
// most useful result of this simulator: with a queue of 4096 and abandoned requests kept,
// exponential backoff collapses too, because its first delays are shorter than the outage.
// The queue fills with requests that nobody waits for. When the server resumes, it opens
// them all, and becomes so slow that every client times out and adds one more. Backoff
// slows the collapse but does not prevent it.
//
// There are four remedies:
//
//   - Cancel abandoned requests: in Go, return when the request's context is done. At most
//     one request of each client is then open. This needs backoff as well: if the latency
//     with all of them open is longer than the timeout, short fixed delays keep the server
//     down. With 2,000 clients, or with a LinearLatency of 500 requests a second and a stop
//     of 60 s, it collapses under a fixed 100 ms and recovers under exponential backoff.
//   - A first delay as long as the stop, because it is the first delays that fill the queue:
//     20 s before each retry recovers from a stop of 20 s after 2 s, and 10 to 30 s after
//     10 s.
//   - A retry budget of ratio 0.1 recovers from a stop of 8 s after 1 s. It does not limit
//     initial requests, and after 10 s these alone are too many.
//   - A short accept queue together with exponential backoff, after long stops: with 128
//     places it recovers from 20 s at once, but collapses after 8 s, when the delays have
//     not grown yet.
//
// A spike is different: it is soon over unless the retries prolong it. Operations begin at
// 40 a second, and at 80 for 5 s; the latency is 1 s and 10 ms more for each open request,
// fixed when it opens; a request takes 100 ms to the server, and its answer 100 ms back; it
// times out after 3 s, and is retried twice. Of 400 runs 302 end collapsed with retries at
// once, and none with full jitter from 20 s on: the same shares as in M. Brooker's
// [simulator], the source of the model. Full jitter from 10 s on leaves 34. All of this is
// close to the limit of 200 open requests, at which the latency is the timeout: without the
// network only 97 collapse.
//
// At a server that only fails a share p of requests, three retries succeed with 1 − p⁴ at
// (1 − p⁴)/(1 − p) times the load. A budget of ratio 0.1 limits the load to 1.1 times, and
// to 1.0 where more than a tenth of the requests fail, because the budget is then empty and
// nothing is retried. Backoff by itself changes none of this: it delays retries and makes
// none of them unnecessary. Only serial clients make fewer initial requests with it.
//
// # Results
//
// Each second of virtual time is a [Second]; a [Verdict] sums the run up. A result depends
// on the configuration and its seed alone: it is the same on every GOARCH and for any number
// of workers. Every client has a seed of its own, made from that one, so two schedules with
// one seed meet the same arrivals. Every repetition after the first has one too; the first
// has the configuration's. Different seeds share no repetition.
//
// A run of 125 s with a million clients takes 200 MB if the server recovers and 550 MB if it
// does not.
//
// [Exponential Backoff, or how not to bring down a server]: https://habr.com/ru/post/227225/
// [simulator]: https://github.com/mbrooker/simulator_example
package overload
