// Package adapt hands a schedule to another library, or to an engine that retries jobs.
//
// Use it where somebody else waits: a message queue, a job queue, a durable workflow, or a
// library that retries. They ask for a delay through a hook, such as a function of the
// retry's number. This package makes the hook from the same schedule that you retry with,
// plan and simulate. So nobody writes the schedule again as three parameters, is wrong by
// one retry, or loses the jitter. It imports nothing of those libraries.
//
//	seq := backoff.FullJitter(100*time.Millisecond, 10*time.Second)
//	client.Backoff = adapt.HTTPBackoff(seq, time.Minute, header) // retryablehttp
//
// # Looking never moves
//
// The functions that this package returns have no state. A delay depends on the number of
// its retry alone, however often and in whichever order an engine, a log or a metric asks
// for it. Any number of goroutines may share them. There are two exceptions, whose
// interfaces tell no number: a [BackOff] steps forward in each call, and a [RateLimiter]
// steps forward at each failure of an item that does not come too early.
//
// If the schedule is random and has no seed, each call draws another sample, within the
// same bounds. Use [Keyed] where one retry must have one delay: an engine that replays
// what it did gets the same delay again.
//
// # The end of a schedule
//
// Most engines decide themselves how many retries a job has. After the end of a finite
// schedule the functions hold its last delay, and give 0 if there is none. [List] is
// shorter instead, and a BackOff says that it stops.
//
// # The first retry
//
// Engines count differently: the first retry is number 0 for some and 1 for others, and a
// schedule that is read one delay too late or too early is hard to notice. [Func] is for
// those that begin with 0, and [FuncFrom] takes the first number. [Seconds], [Time],
// [Keyed] and [NextRetry] count from 0.
//
// # The cost of a call
//
// A call ranges over the schedule from its start, so it takes time in proportion to the
// number of the retry: about 2 to 10 ns for each delay of most schedules, and 0.5 µs for
// each one of [backoff.Polynomial]. It allocates nothing beyond what the schedule does, and
// holds no goroutine or [iter.Pull].
//
// # Engines
//
// In this table seq is the schedule, and delayOf is what you give to most of the libraries:
//
//	delayOf := adapt.FuncFrom(first, seq)
//
// newSeq makes the schedule from a seed, as for [Keyed].
//
// A line "first" has the number that the engine gives to the first retry. A line "keeps"
// says which delays an engine keeps, if it does not keep all. The function [Engines]
// returns the table as values.
//
//	JetStream
//	    hook   Msg.NakWithDelay
//	    first  int(metadata.NumDelivered) is 1
//	    keeps  0, 10ms or more
//	    write  msg.NakWithDelay(delayOf(int(metadata.NumDelivered)))
//	    trap   Nak sends no delay, and ignores ConsumerConfig.BackOff
//
//	JetStream's BackOff
//	    hook   ConsumerConfig.BackOff
//	    first  no number
//	    keeps  more than 0, 0 is its AckWait
//	    write  adapt.List(seq, n), n <= MaxDeliver
//	    trap   replaces AckWait: it counts from the delivery, so a slow handler gets its message twice
//
//	River
//	    hook   Config.RetryPolicy, after Worker.NextRetry
//	    first  len(job.Errors) is 0
//	    write  adapt.NextRetry(seq, func(job *rivertype.JobRow) int { return len(job.Errors) })
//	    trap   replaces a time that has passed by its own policy
//
//	Temporal
//	    hook   ApplicationErrorOptions.NextRetryDelay
//	    first  int(activity.GetInfo(ctx).Attempt) is 1
//	    keeps  1s or more, 0 is unset
//	    write  NextRetryDelay: delayOf(int(activity.GetInfo(ctx).Attempt))
//	    trap   its test environment keeps shorter delays than its server does; RetryPolicy has no jitter
//
//	workqueue
//	    hook   TypedRateLimiter
//	    first  no number
//	    write  adapt.NewRateLimiter[reconcile.Request](seq)
//	    trap   its own limiters have no jitter, and every early failure advances them
//
//	asynq
//	    hook   Config.RetryDelayFunc
//	    first  n is 0
//	    keeps  1s or more, multiples of 1s
//	    write  adapt.RetryDelay[*asynq.Task](seq)
//	    trap   rounds the time down to a whole second, and looks for due tasks every 5s: set DelayedTaskCheckInterval
//
//	SQS
//	    hook   ChangeMessageVisibility
//	    first  ApproximateReceiveCount is 1
//	    keeps  at most 12h0m0s, multiples of 1s
//	    write  adapt.Seconds(seq, receiveCount-1, 0, 43200)
//	    trap   refuses more than 12h since the message was received, not since the call
//
//	Pub/Sub
//	    hook   ModifyAckDeadline of apiv1
//	    first  msg.DeliveryAttempt is 1
//	    keeps  at most 10m0s, multiples of 1s
//	    write  adapt.Seconds(seq, int(msg.DeliveryAttempt)-1, 0, 600)
//	    trap   DeliveryAttempt is 0 unless the subscription has a dead letter topic; the client of the package pubsub has no such call
//
//	Inngest
//	    hook   RetryAtError
//	    first  input.InputCtx.Attempt is 0
//	    keeps  1s or more, at most 24h0m0s, multiples of 1s
//	    write  inngestgo.RetryAtError(err, adapt.Time(seq, input.InputCtx.Attempt, time.Now()))
//	    trap   rounds the time down to a whole second
//
//	watermill
//	    hook   delay.Message in a middleware of your own
//	    first  n is 0
//	    write  delay.Message(msg, delay.For(delayOf(n)))
//	    trap   OnRetryHook of its Retry makes the delays grow faster; DelayOnError cuts a Multiplier of 1.5 to 1
//
//	gRPC
//	    hook   the retryPolicy of a service config
//	    first  no number
//	    keeps  more than 0, 0 is an invalid value
//	    write  config, err := adapt.GRPCServiceConfig(newSeq)
//	    trap   changes each delay by up to 20%, and makes 5 attempts at most unless grpc.WithMaxCallAttempts says more
//
//	go-grpc-middleware
//	    hook   retry.WithBackoff
//	    first  attempt is 1
//	    write  retry.WithBackoff(func(_ context.Context, attempt uint) time.Duration { return delayOf(int(attempt)) })
//	    trap   WithMax counts attempts and not retries
//
//	AWS SDK
//	    hook   retry.StandardOptions.Backoff
//	    first  attempt is 1
//	    write  adapt.BackoffDelay(seq)
//	    trap   counts from 0 if AWS_NEW_RETRIES_2026 is true, which BackoffDelay reads
//
//	retryablehttp
//	    hook   Client.Backoff
//	    first  attemptNum is 0
//	    write  adapt.HTTPBackoff(seq, time.Minute, func(r *http.Response) http.Header { return r.Header })
//	    trap   a function of your own must read Retry-After itself, as HTTPBackoff does
//
//	elastic-transport
//	    hook   WithRetryBackoff
//	    first  attempt is 1
//	    write  elastictransport.WithRetryBackoff(delayOf)
//	    trap   waits once more after the last attempt
//
//	go-redis
//	    hook   Options.DialerRetryBackoff
//	    first  attempt is 0
//	    write  redis.Options{DialerRetryBackoff: delayOf}
//	    trap   is for dialing, and counts from 0 again at each retry of a command, which has MinRetryBackoff and MaxRetryBackoff
//
//	NATS reconnect
//	    hook   nats.CustomReconnectDelay
//	    first  attempts is 1
//	    write  nats.CustomReconnectDelay(delayOf)
//	    trap   counts rounds of all servers, and waits only between rounds
//
//	franz-go
//	    hook   kgo.RetryBackoffFn
//	    first  tries is 1
//	    write  kgo.RetryBackoffFn(delayOf)
//	    trap   asks for delays that it does not wait for
//
//	sarama
//	    hook   Config.Producer.Retry.BackoffFunc
//	    first  retries is 1
//	    write  config.Producer.Retry.BackoffFunc = func(retries, _ int) time.Duration { return delayOf(retries) }
//	    trap   Metadata.Retry and Transaction.Retry count from 0, and the offset manager downwards
//
//	cenkalti/backoff
//	    hook   BackOff
//	    first  no number
//	    write  adapt.NewBackOff(seq)
//	    trap   has state: one for each operation; Retry of v5 and later gives up after 15min by itself
//
//	sethvargo/go-retry
//	    hook   Backoff
//	    first  no number
//	    write  adapt.NewBackOff(seq)
//	    trap   has state: one for each operation; retries only what RetryableError marks
//
//	avast/retry-go
//	    hook   DelayType
//	    first  n is 1
//	    write  retry.DelayType(func(n uint, _ error, _ retry.DelayContext) time.Duration { return delayOf(int(n)) })
//	    trap   MaxDelay still lowers each delay; 10 attempts unless Attempts says otherwise
//
//	failsafe-go
//	    hook   WithDelayFunc
//	    first  exec.Retries() is 0
//	    write  WithDelayFunc(func(exec failsafe.ExecutionAttempt[R]) time.Duration { return delayOf(exec.Retries()) })
//	    trap   Attempts counts hedges too; adds its own jitter if it has one, and lowers a delay to what is left of MaxDuration
//
// olivere/elastic counts like elastic-transport, in a Retrier. The delay topics and queues
// of Kafka and RabbitMQ have fixed delays: [Ladder] chooses them.
//
// The engines that need more than a function of a number have their own: [NewRateLimiter]
// with [CountEvery] and [ForgetAfter], [NextRetry], [RetryDelay], [BackoffDelay],
// [HTTPBackoff], [GRPCServiceConfig], [NewBackOff], [List], [Seconds] and [Time].
//
// # Check a schedule
//
// Many engines do not keep short delays, or count in whole seconds. [Engine.Check] tells
// what an engine will not keep of a schedule:
//
//	err := adapt.Temporal.Check(seq, 8)
//
//	adapt: Temporal waits at least 1s: 4 of 8 delays are shorter, the first before retry 1 (100ms), want delays >= 1s
//
// # The other way round
//
// [From], [FromBackOff], [FromNext] and [FromPolicy] make a schedule of what you run
// today: of a function of the retry's number, of a policy of cenkalti/backoff, of
// sethvargo/go-retry, or of any other library. Then packages plan and sim tell what it
// does. The command backoff takes expressions, not Go: docs/defaults.md has those of the
// default policies.
package adapt
