package retrygrpc_test

import (
	"context"

	"google.golang.org/grpc"
)

// The kinds of streams.
var (
	answers  = &grpc.StreamDesc{ServerStreams: true}
	requests = &grpc.StreamDesc{ClientStreams: true}
	both     = &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
)

// open opens a stream. It sends the request if there is one only, as generated code does.
func open(ctx context.Context, conn *grpc.ClientConn, desc *grpc.StreamDesc, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := conn.NewStream(ctx, desc, "/test.Service/Stream", opts...)
	if err != nil || desc.ClientStreams {
		return stream, err
	}
	if err := stream.SendMsg(text("request")); err != nil {
		return nil, err
	}
	return stream, stream.CloseSend()
}
