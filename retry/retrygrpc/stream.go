package retrygrpc

import (
	"context"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/backoff/retry"
)

// stream is a [grpc.ClientStream] that begins again until its first message. Its attempts
// are made by a goroutine, because one attempt spans several calls of its methods.
type stream struct {
	*call
	desc *grpc.StreamDesc
	open func(context.Context, grpc.CallOption) (grpc.ClientStream, error)
	done chan struct{} // closed when no attempt follows

	// sending is held while anything is sent, for the first time or again. It is locked
	// before mu.
	sending sync.Mutex
	sent    []any // what another attempt has to send; guarded by sending
	size    int   // of sent, in bytes; guarded by sending
	closed  bool  // CloseSend was called; guarded by sending

	mu      sync.Mutex
	changed *sync.Cond
	current *attempt // the one that is open; nil between two attempts and after the last failure
	latest  *attempt
	begun   bool  // current has begun to answer: its failures are the caller's
	last    bool  // no attempt follows current
	err     error // the final failure
}

// newStream returns a stream as soon as an attempt has opened one.
func newStream(x *call, desc *grpc.StreamDesc, open func(context.Context, grpc.CallOption) (grpc.ClientStream, error)) (grpc.ClientStream, error) {
	s := &stream{call: x, desc: desc, open: open, done: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	go func() {
		if err := x.do(s.attempt); err != nil {
			s.mu.Lock()
			s.current, s.err = nil, err
			s.changed.Broadcast()
			s.mu.Unlock()
		}
		close(s.done)
		s.sending.Lock()
		s.sent = nil
		s.sending.Unlock()
	}()
	if _, err := s.wait(); err != nil {
		return nil, err
	}
	return s, nil
}

// attempt is one stream of gRPC.
type attempt struct {
	grpc.ClientStream
	lasting
	again  bool          // several messages are sent again
	opened chan struct{} // closed when they are sent
	result chan error    // nil if it has begun to answer; the first one counts
}

func (a *attempt) report(err error) {
	select {
	case a.result <- err:
	default:
	}
}

// attempt opens a stream, sends what was sent before, and waits until the stream has
// begun to answer or has failed.
func (s *stream) attempt(ctx context.Context) error {
	a := &attempt{
		lasting: outlast(ctx, s.ctx),
		opened:  make(chan struct{}),
		result:  make(chan error, 1),
	}
	err := s.begin(a)
	close(a.opened)
	if err == nil {
		select {
		case err = <-a.result:
		case <-ctx.Done():
		}
	}
	if s.settle(a, err == nil && ctx.Err() == nil) {
		return nil
	}
	var trailer metadata.MD
	if ctx.Err() != nil {
		err = status.FromContextError(ctx.Err()).Err() // whatever gRPC made of it
	} else if a.ClientStream != nil {
		trailer = a.Trailer()
	}
	a.release()
	err = s.judge(ctx, err, trailer)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last {
		return retry.Permanent(err)
	}
	return err
}

// begin opens the stream of a. The caller may receive from it while what was sent before
// is sent again, so that a server that answers at once does not block both.
func (s *stream) begin(a *attempt) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	cs, err := s.open(s.next(a.ctx), grpc.OnFinish(func(err error) {
		a.release()
		if err != nil { // also if nobody receives, and the connection is closed
			a.report(err)
		}
	}))
	if err != nil {
		return err
	}
	a.ClientStream = cs
	a.again = s.desc.ClientStreams && len(s.sent) > 0
	s.mu.Lock()
	s.current, s.latest = a, a
	s.changed.Broadcast()
	s.mu.Unlock()
	for _, m := range s.sent {
		switch err := cs.SendMsg(m); err {
		case nil:
		case io.EOF: // the stream has failed, and RecvMsg has its status
			return nil
		default:
			return err
		}
	}
	if s.closed {
		return cs.CloseSend()
	}
	return nil
}

// wait returns the attempt that is open, or the final failure.
func (s *stream) wait() (*attempt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.current == nil && s.err == nil {
		s.changed.Wait()
	}
	return s.current, s.err
}

// settle is called when an attempt has begun to answer or has failed, and returns whether
// it is the one that the caller gets. An attempt that was given up before is not.
func (s *stream) settle(a *attempt, ok bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != a {
		return false
	}
	if !s.begun && !(ok && a.detach()) {
		s.current = nil
		return false
	}
	s.begun = true
	return true
}

// keepOnly makes a the last attempt, unless it was given up before.
func (s *stream) keepOnly(a *attempt) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != a {
		return false
	}
	s.last = true
	return true
}

func (s *stream) RecvMsg(m any) error {
	for {
		a, err := s.wait()
		if err != nil {
			return err
		}
		err = a.RecvMsg(m)
		if s.received(a, err) {
			return err
		}
	}
}

// received is called with the result of a.RecvMsg, and returns whether it is one for the
// caller.
func (s *stream) received(a *attempt, err error) bool {
	if err == io.EOF { // a success without a message
		err = nil
	}
	ok := s.settle(a, err == nil)
	a.report(err)
	if !ok {
		return false
	}
	if a.again {
		select {
		case <-a.opened:
		default: // the rest may be sent only when the caller has received more
			return true
		}
	}
	<-s.done // so that the success counts before the caller goes on
	return true
}

func (s *stream) Header() (metadata.MD, error) {
	for {
		a, err := s.wait()
		if err != nil {
			return nil, nil // RecvMsg has the error
		}
		md, err := a.Header()
		if md != nil || err != nil {
			if s.keepOnly(a) {
				return md, err
			}
			continue
		}
		// The stream has ended without headers, so there is no message, and RecvMsg
		// returns its status.
		if s.received(a, a.RecvMsg(nil)) {
			return nil, nil
		}
	}
}

func (s *stream) Trailer() metadata.MD {
	s.mu.Lock()
	a := s.latest
	s.mu.Unlock()
	if a == nil {
		return nil
	}
	return a.Trailer()
}

func (s *stream) Context() context.Context {
	s.mu.Lock()
	a := s.current
	committed := s.begun || s.last
	s.mu.Unlock()
	if a == nil || !committed {
		return s.ctx
	}
	return a.Context()
}

func (s *stream) SendMsg(m any) error {
	for {
		done, err := s.trySend(m)
		if done {
			return err
		}
		if _, err := s.wait(); err != nil {
			if s.desc.ClientStreams {
				return io.EOF // RecvMsg has the error
			}
			return nil // as in gRPC
		}
	}
}

// trySend sends m, or keeps it for the next attempt. It is not done if m does not fit and
// no attempt is open.
func (s *stream) trySend(m any) (done bool, err error) {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	a := s.current
	failed := s.err != nil
	committed := s.begun || s.last
	s.mu.Unlock()
	switch {
	case failed || committed && a == nil:
		return false, nil
	case committed:
		return true, a.SendMsg(m)
	case s.keep(m):
		if a == nil {
			return true, nil
		}
		if err = a.SendMsg(m); err == io.EOF { // it is sent again
			err = nil
		}
		return true, err
	case a != nil && s.keepOnly(a):
		s.sent = nil
		return true, a.SendMsg(m)
	}
	return false, nil
}

// lengthPrefix is what gRPC sends before each message, in bytes. So an empty message has a
// size too.
const lengthPrefix = 5

// keep keeps m for other attempts, if it fits.
func (s *stream) keep(m any) bool {
	if s.desc.ClientStreams {
		pb, ok := m.(proto.Message)
		if !ok {
			return false
		}
		size := lengthPrefix + proto.Size(pb)
		if size > s.maxBuffer-s.size {
			return false
		}
		s.size += size
	}
	s.sent = append(s.sent, m)
	return true
}

func (s *stream) CloseSend() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.closed = true
	s.mu.Lock()
	a := s.current
	s.mu.Unlock()
	if a == nil {
		return nil
	}
	return a.CloseSend()
}
