package grpc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"example.com/backoff/interop/kept"
)

const ms = time.Millisecond

var errUnavailable = status.Error(codes.Unavailable, "as wanted")

// configOf returns the config of a schedule that gRPC can express, apart from the number
// of attempts.
func configOf(t *testing.T, seq iter.Seq[time.Duration], opts ...adapt.GRPCOption) string {
	t.Helper()
	config, err := adapt.GRPCServiceConfig(func(uint64) iter.Seq[time.Duration] { return seq }, opts...)
	if inexact, ok := errors.AsType[*adapt.InexactError](err); ok && inexact.Attempts <= 5 {
		t.Fatal(err)
	}
	return config
}

func started(t *testing.T, handle func(context.Context) error) *server {
	t.Helper()
	s, err := serve(handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

func dialed(t *testing.T, s *server, config string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := s.dial(config, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// within is gRPC's bound: 20 % of the delay, and 2 ms for the timer. The Early of a
// kept.Bound is the same for every delay, so notEarly checks each.
func within(longest time.Duration) kept.Bound {
	return kept.Bound{Early: longest / 5, Late: 2 * ms, Share: 0.22}
}

// notEarly returns an error if a delay is shorter by more than 20 %.
func notEarly(delays []kept.Delay) error {
	for k, d := range delays {
		if d.Kept < d.Asked*4/5 {
			return fmt.Errorf("delay %d is %v, want at least 80 %% of %v", k, d.Kept, d.Asked)
		}
	}
	return nil
}

// The intervals of gRPC's jitter around these delays do not overlap, so that a delay at
// another index is seen.
func TestDelays(t *testing.T) {
	tests := []struct {
		name string
		seq  iter.Seq[time.Duration]
		want []time.Duration
	}{
		{"exponential", backoff.Exponential(20*ms, 2), []time.Duration{20 * ms, 40 * ms, 80 * ms, 160 * ms}},
		{"under a limit", backoff.Cap(backoff.Exponential(20*ms, 3), 100*ms), []time.Duration{20 * ms, 60 * ms, 100 * ms, 100 * ms}},
		{"constant", backoff.Constant(50 * ms), []time.Duration{50 * ms, 50 * ms}},
		{"falling", slices.Values([]time.Duration{100 * ms, 50 * ms, 25 * ms}), []time.Duration{100 * ms, 50 * ms, 25 * ms}},
		{"seven attempts", backoff.Cap(backoff.Exponential(10*ms, 2), 80*ms), []time.Duration{10 * ms, 20 * ms, 40 * ms, 80 * ms, 80 * ms, 80 * ms}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kept.Judge(t, test.want, within(slices.Max(test.want)), func(ctx context.Context) ([]kept.Delay, error) {
				delays, err := Measure(ctx, test.seq, len(test.want))
				return delays, errors.Join(err, notEarly(delays))
			})
		})
	}
}

// gRPC shortens and lengthens every delay at random, by up to 20 %. A busy machine only
// lengthens them, so the test looks for one that is shorter than asked by more than 3 %.
// Two of five are, so that 200 in a row that are not come by chance once in 1e48 runs.
func TestJitterAlways(t *testing.T) {
	ctx := kept.Context(t, "a delay that is shorter")
	for range 200 {
		delays, err := Measure(ctx, backoff.Constant(50*ms), 1)
		if err := errors.Join(err, notEarly(delays)); err != nil {
			t.Fatal(err)
		}
		if delays[0].Kept < 48500*time.Microsecond {
			return
		}
	}
	t.Error("none of 200 delays of 50 ms was shorter than 48.5 ms: gRPC has less jitter than it had")
}

func TestMeasureReturnsErrors(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(canceled, backoff.Constant(ms), 1); status.Code(errors.Unwrap(err)) != codes.Canceled {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := Measure(t.Context(), backoff.Take(backoff.Constant(ms), 1), 2); err == nil {
		t.Error("a schedule that is too short has no error")
	}
}

// What gRPC reads is what the schedule says.
func TestPolicyIsRead(t *testing.T) {
	s := started(t, func(context.Context) error { return nil })
	config := configOf(t, backoff.Take(backoff.Cap(backoff.Exponential(1234567891, 1.5), 1000*time.Second), 20),
		adapt.GRPCMethods("grpc.health.v1.Health/Check"), adapt.GRPCCodes(codes.Unavailable, codes.Canceled, codes.Unauthenticated))
	conn := dialed(t, s, config, grpc.WithMaxCallAttempts(21))
	if err := call(kept.Context(t, "the end of a call"), conn); err != nil {
		t.Fatal(err)
	}
	p := conn.GetMethodConfig(grpc_health_v1.Health_Check_FullMethodName).RetryPolicy
	if p == nil {
		t.Fatal("no policy")
	}
	got := fmt.Sprint(p.MaxAttempts, p.InitialBackoff, p.MaxBackoff, p.BackoffMultiplier, p.RetryableStatusCodes)
	if diff := cmp.Diff("21 1.234567891s 16m40s 1.5 map[Canceled:true Unavailable:true Unauthenticated:true]", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if conn.GetMethodConfig(grpc_health_v1.Health_Watch_FullMethodName).RetryPolicy != nil {
		t.Error("another method has a policy, too")
	}
}

// Each of the sixteen codes has the number and the name that gRPC gives it.
func TestCodes(t *testing.T) {
	for c := codes.Code(1); c <= 16; c++ {
		config := configOf(t, backoff.Take(backoff.Constant(ms), 1), adapt.GRPCCodes(c))
		attempts := 0
		s := started(t, func(context.Context) error {
			attempts++
			return status.Error(c, "as wanted")
		})
		if err := call(kept.Context(t, "the end of a call"), dialed(t, s, config)); status.Code(err) != c {
			t.Errorf("%v: %v", c, err)
		}
		if attempts != 2 {
			t.Errorf("%v: %d attempts, want 2", c, attempts)
		}
	}
}

// gRPC makes one attempt more than the schedule has delays, but only 5 without
// WithMaxCallAttempts. It says nothing about that.
func TestAttempts(t *testing.T) {
	tests := []struct {
		retries int
		opts    []grpc.DialOption
		want    int
	}{
		{0, nil, 1},
		{1, nil, 2},
		{4, nil, 5},
		{5, nil, 5},
		{8, nil, 5},
		{5, []grpc.DialOption{grpc.WithMaxCallAttempts(6)}, 6},
		{8, []grpc.DialOption{grpc.WithMaxCallAttempts(9)}, 9},
		{8, []grpc.DialOption{grpc.WithMaxCallAttempts(7)}, 7},
		{3, []grpc.DialOption{grpc.WithMaxCallAttempts(9)}, 4},
		{4, []grpc.DialOption{grpc.WithDisableRetry()}, 1},
	}
	for _, test := range tests {
		attempts := 0
		s := started(t, func(context.Context) error {
			attempts++
			return errUnavailable
		})
		conn := dialed(t, s, configOf(t, backoff.Take(backoff.Constant(ms), test.retries)), test.opts...)
		if err := call(kept.Context(t, "the end of a call"), conn); status.Code(err) != codes.Unavailable {
			t.Errorf("%+v: %v", test, err)
		}
		if attempts != test.want {
			t.Errorf("%+v: %d attempts", test, attempts)
		}
	}
}

// A call that succeeds in the end returns no error, and one that fails with another code
// is not retried.
func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		results []error
		want    codes.Code
	}{
		{[]error{errUnavailable, errUnavailable, errUnavailable, nil}, codes.OK},
		{[]error{errUnavailable, status.Error(codes.Internal, "")}, codes.Internal},
	} {
		attempts := 0
		s := started(t, func(context.Context) error {
			attempts++
			return test.results[attempts-1]
		})
		err := call(kept.Context(t, "the end of a call"), dialed(t, s, configOf(t, backoff.Take(backoff.Exponential(ms, 2), 4))))
		if status.Code(err) != test.want || attempts != len(test.results) {
			t.Errorf("%v after %d attempts, want %v after %d", err, attempts, test.want, len(test.results))
		}
	}
}

// Ten tokens: the fifth failure leaves five, half of them, and there are no retries until
// successes have added more.
func TestThrottling(t *testing.T) {
	attempts := 0
	var result error
	s := started(t, func(context.Context) error {
		attempts++
		return result
	})
	conn := dialed(t, s, configOf(t, backoff.Take(backoff.Constant(ms), 4), adapt.GRPCThrottling(10, 1)))
	attemptsOf := func(err error) int {
		result = err
		before := attempts
		if got := call(kept.Context(t, "the end of a call"), conn); status.Code(got) != status.Code(err) {
			t.Errorf("%v, want %v", got, err)
		}
		return attempts - before
	}
	var got []int
	for _, err := range []error{
		errUnavailable, // 10 tokens, then 5
		errUnavailable, // then 4
		nil, nil, nil,  // then 7
		errUnavailable, // then 5: the first failure leaves 6, and is retried
	} {
		got = append(got, attemptsOf(err))
	}
	if diff := cmp.Diff([]int{5, 1, 1, 1, 1, 2}, got); diff != "" {
		t.Errorf("attempts of each call (-want +got):\n%s", diff)
	}
}

// A pushback replaces one delay, exactly, and the schedule starts again after it.
func TestPushback(t *testing.T) {
	attempts := 0
	handle := func(ctx context.Context) error {
		attempts++
		if attempts == 3 {
			grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "50"))
		}
		return errUnavailable
	}
	want := []time.Duration{10 * ms, 30 * ms, 50 * ms, 10 * ms}
	kept.Judge(t, want, within(50*ms), func(ctx context.Context) ([]kept.Delay, error) {
		attempts = 0
		delays, err := measure(ctx, backoff.Exponential(10*ms, 3), 4, handle)
		if err != nil {
			return nil, err
		}
		asked := []time.Duration{10 * ms, 30 * ms, 90 * ms, 270 * ms}
		for k := range delays {
			if delays[k].Asked != asked[k] {
				return nil, fmt.Errorf("delay %d was asked as %v", k, delays[k].Asked)
			}
			delays[k].Asked = want[k]
		}
		if delays[2].Kept < 50*ms {
			return nil, fmt.Errorf("a pushback of 50 ms became %v", delays[2].Kept)
		}
		return delays, notEarly(delays)
	})
}

// A negative pushback ends the call.
func TestNegativePushback(t *testing.T) {
	attempts := 0
	s := started(t, func(ctx context.Context) error {
		attempts++
		grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "-1"))
		return errUnavailable
	})
	err := call(kept.Context(t, "the end of a call"), dialed(t, s, configOf(t, backoff.Take(backoff.Constant(ms), 4))))
	if status.Code(err) != codes.Unavailable || attempts != 1 {
		t.Errorf("%v after %d attempts, want 1", err, attempts)
	}
}

// Without a connection all attempts fail, and most without an attempt to connect, because
// gRPC connects after a backoff of its own, 1 s at first. With WaitForReady the call waits for the server.
func TestWithoutConnection(t *testing.T) {
	s := started(t, func(context.Context) error { return nil })
	var dials atomic.Int64
	var up atomic.Bool
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		dials.Add(1)
		if !up.Load() {
			return nil, errors.New("down")
		}
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}
	conn := dialed(t, s, configOf(t, backoff.Take(backoff.Constant(10*ms), 4)), grpc.WithContextDialer(dial))
	start := time.Now()
	if err := call(kept.Context(t, "the end of a call"), conn); status.Code(err) != codes.Unavailable {
		t.Errorf("without a server: %v", err)
	}
	if waited := time.Since(start); waited < 32*ms {
		t.Errorf("the call took %v, want at least four delays of 8 ms", waited)
	}
	if n := dials.Load(); n >= 5 {
		t.Errorf("%d dials: gRPC connects before each attempt", n)
	}
	if state := conn.GetState(); state == connectivity.Ready {
		t.Errorf("the connection is %v", state)
	}
	up.Store(true)
	if err := call(kept.Context(t, "the end of a call"), conn, grpc.WaitForReady(true)); err != nil {
		t.Errorf("WaitForReady: %v", err)
	}
}

// gRPC accepts every config, of any schedule and any options.
func TestEveryConfigIsAccepted(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		newSeq, opts := anySchedule(r), anyOptions(r)
		config, _ := adapt.GRPCServiceConfig(newSeq, opts...)
		if err := accepts(config); err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, config)
		}
	}
}

// anyDelay returns a delay of any order of magnitude.
func anyDelay(r *rand.Rand) time.Duration { return time.Duration(r.Uint64() >> (1 + r.IntN(64))) }

func anySchedule(r *rand.Rand) func(seed uint64) iter.Seq[time.Duration] {
	a, b := anyDelay(r), anyDelay(r)
	base, limit := max(min(a, b), 1), max(a, b, 1)
	n := r.IntN(1 + r.IntN(120))
	factor := 1 + math.Exp(60*r.Float64()-20)
	switch r.IntN(6) {
	case 0:
		ds := make([]time.Duration, r.IntN(20))
		for i := range ds {
			ds[i] = anyDelay(r)
		}
		return func(uint64) iter.Seq[time.Duration] { return slices.Values(ds) }
	case 1:
		return func(uint64) iter.Seq[time.Duration] {
			return backoff.Take(backoff.Cap(backoff.Exponential(base, factor), limit), n)
		}
	case 2:
		return func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Take(backoff.FullJitter(base, limit, backoff.WithSeed(seed)), n%8)
		}
	case 3:
		return func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Take(backoff.DecorrelatedJitter(base, limit, backoff.WithSeed(seed)), n%8)
		}
	case 4:
		return func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Take(backoff.Uniform(0, limit, backoff.WithSeed(seed)), int(seed%uint64(n%8+1)))
		}
	default:
		return func(uint64) iter.Seq[time.Duration] { return backoff.Linear(base, limit) }
	}
}

func anyOptions(r *rand.Rand) []adapt.GRPCOption {
	var retried []codes.Code
	for range 1 + r.IntN(4) {
		retried = append(retried, codes.Code(1+r.IntN(16)))
	}
	// Every byte that a name may have.
	word := func() string {
		w := make([]byte, 1+r.IntN(8))
		for i := range w {
			for w[i] = 0; w[i] == 0 || strings.IndexByte(`"/\`, w[i]) >= 0; {
				w[i] = byte('!' + r.IntN('~'-'!'+1))
			}
		}
		return string(w)
	}
	return []adapt.GRPCOption{
		adapt.GRPCCodes(retried...),
		adapt.GRPCThrottling(1+r.IntN(1000), 0.001+999*r.Float64()*r.Float64()),
		adapt.GRPCMethods("a"+word(), "/b"+word()+"/"+word(), "c"+word()+"/"+word()),
	}
}

// accepts returns the error of gRPC's parser.
func accepts(config string) error {
	conn, err := grpc.NewClient("passthrough:///unused",
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(config))
	if err != nil {
		return err
	}
	return conn.Close()
}

// gRPC refuses what the options and the fit leave out, so that their limits are not
// narrower than needed.
func TestWhatIsRefused(t *testing.T) {
	good := configOf(t, backoff.Take(backoff.Constant(time.Second), 1), adapt.GRPCThrottling(1000, 1))
	accepted := func(config string) bool { return accepts(config) == nil }
	if !accepted(good) {
		t.Fatalf("refused: %s", good)
	}
	for _, change := range [][2]string{
		{`"maxAttempts":2`, `"maxAttempts":1`},
		{`"initialBackoff":"1s"`, `"initialBackoff":"0s"`},
		{`"maxBackoff":"1s"`, `"maxBackoff":"0s"`},
		{`"initialBackoff":"1s"`, `"initialBackoff":"0.0000000001s"`},
		{`"backoffMultiplier":1`, `"backoffMultiplier":0`},
		{`"UNAVAILABLE"`, ``},
		{`"maxTokens":1000`, `"maxTokens":1001`},
		{`"maxTokens":1000`, `"maxTokens":0`},
		{`"tokenRatio":1`, `"tokenRatio":0`},
		{`"name":[{}]`, `"name":[{},{}]`},
	} {
		if bad := strings.Replace(good, change[0], change[1], 1); bad == good || accepted(bad) {
			t.Errorf("accepted: %s", bad)
		}
	}
	// It takes the longest backoff that it cannot wait for, which is why there is a limit.
	if long := strings.ReplaceAll(good, `"1s"`, strconv.Quote("9223372036s")); !accepted(long) {
		t.Errorf("refused: %s", long)
	}
}
