// Package pending holds requirements until their users stand.
package pending

import (
	_ "github.com/IBM/sarama"
	_ "github.com/ThreeDotsLabs/watermill"
	_ "github.com/ThreeDotsLabs/watermill/components/delay"
	_ "github.com/ThreeDotsLabs/watermill/message/router/middleware"
	_ "github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
	_ "github.com/aws/aws-sdk-go-v2/aws/retry"
	_ "github.com/cenkalti/backoff/v6"
	_ "github.com/cenkalti/backoff/v7"
	_ "github.com/elastic/elastic-transport-go/v8/elastictransport"
	_ "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	_ "github.com/nats-io/nats-server/v2/server"
	_ "github.com/nats-io/nats.go/jetstream"
	_ "github.com/olivere/elastic/v7"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/riverqueue/river/riverdriver/riverpgxv5"
	_ "github.com/riverqueue/river/rivermigrate"
	_ "github.com/twmb/franz-go/pkg/kadm"
	_ "github.com/twmb/franz-go/pkg/kfake"
	_ "github.com/twmb/franz-go/pkg/kgo"
	_ "go.temporal.io/sdk/testsuite"
)
