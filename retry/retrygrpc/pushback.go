package retrygrpc

import (
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// pushback returns what the trailer of an attempt asks for: a wait before the retry, 0
// without such a request, or not to retry.
func pushback(trailer metadata.MD) (wait time.Duration, stop bool) {
	values := trailer.Get("grpc-retry-pushback-ms")
	switch len(values) {
	case 0:
		return 0, false
	case 1:
		ms, err := strconv.ParseInt(values[0], 10, 32)
		if err != nil || ms < 0 {
			return 0, true
		}
		return time.Duration(ms) * time.Millisecond, false
	default:
		return 0, true
	}
}

// retryDelay returns the wait of a RetryInfo in the status of err, or 0.
func retryDelay(err error) time.Duration {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration() // saturates
		}
	}
	return 0
}
