package adapt

import "time"

// The engines of the package comment. Their limits were read in their sources, or
// measured, in the versions that the module interop requires. Those of SQS, Pub/Sub and
// Inngest come from their documentation, and the floor of Temporal from its server.
var (
	JetStream = Engine{
		Name:   "JetStream",
		Hook:   "Msg.NakWithDelay",
		Number: "int(metadata.NumDelivered)",
		First:  1,
		Floor:  10 * time.Millisecond,
		AtOnce: true,
		Call:   "msg.NakWithDelay(delayOf(int(metadata.NumDelivered)))",
		Trap:   "Nak sends no delay, and ignores ConsumerConfig.BackOff",
	}
	JetStreamBackOff = Engine{
		Name: "JetStream's BackOff",
		Hook: "ConsumerConfig.BackOff",
		Zero: "its AckWait",
		Call: "adapt.List(seq, n), n <= MaxDeliver",
		Trap: "replaces AckWait: it counts from the delivery, so a slow handler gets its message twice",
	}
	River = Engine{
		Name:   "River",
		Hook:   "Config.RetryPolicy, after Worker.NextRetry",
		Number: "len(job.Errors)",
		Call:   "adapt.NextRetry(seq, func(job *rivertype.JobRow) int { return len(job.Errors) })",
		Trap:   "replaces a time that has passed by its own policy",
	}
	Temporal = Engine{
		Name:   "Temporal",
		Hook:   "ApplicationErrorOptions.NextRetryDelay",
		Number: "int(activity.GetInfo(ctx).Attempt)",
		First:  1,
		Floor:  time.Second,
		Zero:   "unset",
		Call:   "NextRetryDelay: delayOf(int(activity.GetInfo(ctx).Attempt))",
		Trap:   "its test environment keeps shorter delays than its server does; RetryPolicy has no jitter",
	}
	Workqueue = Engine{
		Name: "workqueue",
		Hook: "TypedRateLimiter",
		Call: "adapt.NewRateLimiter[reconcile.Request](seq)",
		Trap: "its own limiters have no jitter, and every early failure advances them",
	}
	Asynq = Engine{
		Name:   "asynq",
		Hook:   "Config.RetryDelayFunc",
		Number: "n",
		Floor:  time.Second,
		Grain:  time.Second,
		Call:   "adapt.RetryDelay[*asynq.Task](seq)",
		Trap:   "rounds the time down to a whole second, and looks for due tasks every 5s: set DelayedTaskCheckInterval",
	}
	SQS = Engine{
		Name:    "SQS",
		Hook:    "ChangeMessageVisibility",
		Number:  "ApproximateReceiveCount",
		First:   1,
		Grain:   time.Second,
		Ceiling: 12 * time.Hour,
		Call:    "adapt.Seconds(seq, receiveCount-1, 0, 43200)",
		Trap:    "refuses more than 12h since the message was received, not since the call",
	}
	PubSub = Engine{
		Name:    "Pub/Sub",
		Hook:    "ModifyAckDeadline of apiv1",
		Number:  "msg.DeliveryAttempt",
		First:   1,
		Grain:   time.Second,
		Ceiling: 10 * time.Minute,
		Call:    "adapt.Seconds(seq, int(msg.DeliveryAttempt)-1, 0, 600)",
		Trap:    "DeliveryAttempt is 0 unless the subscription has a dead letter topic; the client of the package pubsub has no such call",
	}
	Inngest = Engine{
		Name:    "Inngest",
		Hook:    "RetryAtError",
		Number:  "input.InputCtx.Attempt",
		Floor:   time.Second,
		Grain:   time.Second,
		Ceiling: 24 * time.Hour,
		Call:    "inngestgo.RetryAtError(err, adapt.Time(seq, input.InputCtx.Attempt, time.Now()))",
		Trap:    "rounds the time down to a whole second",
	}
	GRPC = Engine{
		Name:  "gRPC",
		Hook:  "the retryPolicy of a service config",
		Zero:  "an invalid value",
		Stops: true,
		Call:  "config, err := adapt.GRPCServiceConfig(newSeq)",
		Trap:  "changes each delay by up to 20%, and makes 5 attempts at most unless grpc.WithMaxCallAttempts says more",
	}
	AWS = Engine{
		Name:   "AWS SDK",
		Hook:   "retry.StandardOptions.Backoff",
		Number: "attempt",
		First:  1,
		Call:   "adapt.BackoffDelay(seq)",
		Trap:   "counts from 0 if AWS_NEW_RETRIES_2026 is true, which BackoffDelay reads",
	}
	RetryableHTTP = Engine{
		Name:   "retryablehttp",
		Hook:   "Client.Backoff",
		Number: "attemptNum",
		Call:   "adapt.HTTPBackoff(seq, time.Minute, func(r *http.Response) http.Header { return r.Header })",
		Trap:   "a function of your own must read Retry-After itself, as HTTPBackoff does",
	}
	Cenkalti = Engine{
		Name:  "cenkalti/backoff",
		Hook:  "BackOff",
		Stops: true,
		Call:  "adapt.NewBackOff(seq)",
		Trap:  "has state: one for each operation; Retry of v5 and later gives up after 15min by itself",
	}
	Sethvargo = Engine{
		Name:  "sethvargo/go-retry",
		Hook:  "Backoff",
		Stops: true,
		Call:  "adapt.NewBackOff(seq)",
		Trap:  "has state: one for each operation; retries only what RetryableError marks",
	}
	Avast = Engine{
		Name:   "avast/retry-go",
		Hook:   "DelayType",
		Number: "n",
		First:  1,
		Call:   "retry.DelayType(func(n uint, _ error, _ retry.DelayContext) time.Duration { return delayOf(int(n)) })",
		Trap:   "MaxDelay still lowers each delay; 10 attempts unless Attempts says otherwise",
	}
	Failsafe = Engine{
		Name:   "failsafe-go",
		Hook:   "WithDelayFunc",
		Number: "exec.Retries()",
		Call:   "WithDelayFunc(func(exec failsafe.ExecutionAttempt[R]) time.Duration { return delayOf(exec.Retries()) })",
		Trap:   "Attempts counts hedges too; adds its own jitter if it has one, and lowers a delay to what is left of MaxDuration",
	}
	FranzGo = Engine{
		Name:   "franz-go",
		Hook:   "kgo.RetryBackoffFn",
		Number: "tries",
		First:  1,
		Call:   "kgo.RetryBackoffFn(delayOf)",
		Trap:   "asks for delays that it does not wait for",
	}
	Sarama = Engine{
		Name:   "sarama",
		Hook:   "Config.Producer.Retry.BackoffFunc",
		Number: "retries",
		First:  1,
		Call:   "config.Producer.Retry.BackoffFunc = func(retries, _ int) time.Duration { return delayOf(retries) }",
		Trap:   "Metadata.Retry and Transaction.Retry count from 0, and the offset manager downwards",
	}
	NATSReconnect = Engine{
		Name:   "NATS reconnect",
		Hook:   "nats.CustomReconnectDelay",
		Number: "attempts",
		First:  1,
		Call:   "nats.CustomReconnectDelay(delayOf)",
		Trap:   "counts rounds of all servers, and waits only between rounds",
	}
	GoRedis = Engine{
		Name:   "go-redis",
		Hook:   "Options.DialerRetryBackoff",
		Number: "attempt",
		Call:   "redis.Options{DialerRetryBackoff: delayOf}",
		Trap:   "is for dialing, and counts from 0 again at each retry of a command, which has MinRetryBackoff and MaxRetryBackoff",
	}
	Elastic = Engine{
		Name:   "elastic-transport",
		Hook:   "WithRetryBackoff",
		Number: "attempt",
		First:  1,
		Call:   "elastictransport.WithRetryBackoff(delayOf)",
		Trap:   "waits once more after the last attempt",
	}
	GoGRPCMiddleware = Engine{
		Name:   "go-grpc-middleware",
		Hook:   "retry.WithBackoff",
		Number: "attempt",
		First:  1,
		Call:   "retry.WithBackoff(func(_ context.Context, attempt uint) time.Duration { return delayOf(int(attempt)) })",
		Trap:   "WithMax counts attempts and not retries",
	}
	Watermill = Engine{
		Name:   "watermill",
		Hook:   "delay.Message in a middleware of your own",
		Number: "n",
		Call:   "delay.Message(msg, delay.For(delayOf(n)))",
		Trap:   "OnRetryHook of its Retry makes the delays grow faster; DelayOnError cuts a Multiplier of 1.5 to 1",
	}
)

// engines has the order of the package comment.
var engines = []Engine{
	JetStream, JetStreamBackOff, River, Temporal, Workqueue, Asynq, SQS, PubSub, Inngest, Watermill,
	GRPC, GoGRPCMiddleware, AWS, RetryableHTTP, Elastic, GoRedis, NATSReconnect, FranzGo, Sarama,
	Cenkalti, Sethvargo, Avast, Failsafe,
}
