package adapt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/backoff"
	"example.com/backoff/adapt"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// grpcFixed is a newSeq without jitter.
func grpcFixed(seq iter.Seq[time.Duration]) func(uint64) iter.Seq[time.Duration] {
	return func(uint64) iter.Seq[time.Duration] { return seq }
}

// grpcPolicyJSON returns the config of all methods.
func grpcPolicyJSON(attempts int, initial, limit, multiplier string) string {
	return fmt.Sprintf(`{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":%d,"initialBackoff":"%s","maxBackoff":"%s","backoffMultiplier":%s,"retryableStatusCodes":["UNAVAILABLE"]}}]}`,
		attempts, initial, limit, multiplier)
}

// grpcDelays returns a finite schedule without the checks of package backoff.
func grpcDelays(ds ...time.Duration) iter.Seq[time.Duration] { return slices.Values(ds) }

func TestGRPCServiceConfig(t *testing.T) {
	const (
		ms      = time.Millisecond
		longest = "7686143363s"
		six     = "6 attempts need grpc.WithMaxCallAttempts(6), because without it gRPC makes 5"
	)
	exponential := backoff.Exponential(100*ms, 2)
	take := backoff.Take
	capped := backoff.Cap(exponential, 500*ms)
	tests := []struct {
		name        string
		newSeq      func(uint64) iter.Seq[time.Duration]
		want        string
		differences []string
	}{
		{"exponential", grpcFixed(take(exponential, 4)), grpcPolicyJSON(5, "0.1s", "0.8s", "2"), nil},
		{"one retry", grpcFixed(take(exponential, 1)), grpcPolicyJSON(2, "0.1s", "0.1s", "1"), nil},
		{"two retries", grpcFixed(take(exponential, 2)), grpcPolicyJSON(3, "0.1s", "0.2s", "2"), nil},
		{"constant", grpcFixed(take(backoff.Constant(1500*ms), 4)), grpcPolicyJSON(5, "1.5s", "1.5s", "1"), nil},
		{"whole seconds", grpcFixed(take(backoff.Constant(20*time.Second), 4)), grpcPolicyJSON(5, "20s", "20s", "1"), nil},
		{"capped", grpcFixed(take(capped, 4)), grpcPolicyJSON(5, "0.1s", "0.5s", "2"), nil},
		{"a step", grpcFixed(grpcDelays(1*ms, 10*ms, 10*ms)), grpcPolicyJSON(4, "0.001s", "0.01s", "10"), nil},
		{"falling", grpcFixed(grpcDelays(80*ms, 40*ms, 20*ms)), grpcPolicyJSON(4, "0.08s", "0.08s", "0.5"), nil},
		{"falling from a limit", grpcFixed(grpcDelays(50*ms, 50*ms, 40*ms, 20*ms)), grpcPolicyJSON(5, "0.16s", "0.05s", "0.5"), nil},
		{"falling once from a limit", grpcFixed(grpcDelays(50*ms, 50*ms, 20*ms)), grpcPolicyJSON(4, "0.125s", "0.05s", "0.4"), nil},
		{"a little above the longest", grpcFixed(take(backoff.Constant(7686143863*time.Second), 2)), grpcPolicyJSON(3, longest, longest, "1"), nil},
		{"every digit", grpcFixed(take(backoff.Exponential(123456789, 1.1), 4)), grpcPolicyJSON(5, "0.123456789s", "0.164320986s", "1.1"), nil},
		{"twelve digits", grpcFixed(take(backoff.Cap(backoff.Exponential(140738562129044, 1.02), 149352888039839), 4)), grpcPolicyJSON(5, "140738.562129s", "149352.8880399s", "1.02"), nil},
		{"one nanosecond", grpcFixed(take(backoff.Constant(1), 2)), grpcPolicyJSON(3, "0.000000001s", "0.000000001s", "1"), nil},
		{"no retries", grpcFixed(take(exponential, 0)), `{"methodConfig":[{"name":[{}]}]}`, nil},
		{"within 1 %", grpcFixed(grpcDelays(1000*ms, 1019*ms)), grpcPolicyJSON(3, "1s", "1.019s", "1.019"), nil},

		{"six attempts", grpcFixed(take(exponential, 5)), grpcPolicyJSON(6, "0.1s", "1.6s", "2"), []string{six}},
		{"six attempts, capped", grpcFixed(take(capped, 5)), grpcPolicyJSON(6, "0.1s", "0.5s", "2"), []string{six}},
		{
			"endless", grpcFixed(exponential), grpcPolicyJSON(5, "0.1s", "0.8s", "2"),
			[]string{"the schedule has more than 100 retries, and the config has 4: end it with backoff.Take"},
		},
		{
			"100 retries", grpcFixed(take(backoff.Constant(ms), 100)), grpcPolicyJSON(101, "0.001s", "0.001s", "1"),
			[]string{"101 attempts need grpc.WithMaxCallAttempts(101), because without it gRPC makes 5"},
		},
		{
			"101 retries", grpcFixed(take(backoff.Constant(ms), 101)), grpcPolicyJSON(5, "0.001s", "0.001s", "1"),
			[]string{"the schedule has more than 100 retries, and the config has 4: end it with backoff.Take"},
		},
		{
			"only 0", grpcFixed(take(backoff.Constant(0), 2)), grpcPolicyJSON(3, "0.000000001s", "0.000000001s", "1"),
			[]string{"retry 1 waits 1ns instead of 0s, because gRPC has no delay of 0"},
		},
		{
			"the first at once", grpcFixed(grpcDelays(0, 100*ms, 200*ms)), grpcPolicyJSON(4, "0.05s", "0.2s", "2"),
			[]string{"retry 1 waits 50ms instead of 0s, because gRPC has no delay of 0"},
		},
		{
			"rounded", grpcFixed(grpcDelays(0, 200*ms, 600*ms)), grpcPolicyJSON(4, "0.066666667s", "0.6s", "3"),
			[]string{"retry 1 waits 66.67ms instead of 0s, because gRPC has no delay of 0"},
		},
		{
			"negative", grpcFixed(grpcDelays(100*ms, -1, 400*ms)), grpcPolicyJSON(4, "0.1s", "0.4s", "2"),
			[]string{"retry 2 waits 200ms instead of 0s, because gRPC has no delay of 0"},
		},
		// 107.18, 185.64, 321.54 and 400 ms: √3 as multiplier, off by 2·√3/(2+√3) − 1 = 7.18 %.
		{
			"linear", grpcFixed(take(backoff.Linear(100*ms, 100*ms), 4)), grpcPolicyJSON(5, "0.1072s", "0.4s", "1.732"),
			[]string{"retry 1 waits 107.2ms on average instead of 100ms, which is 7.2 % more, and no other mean is further off"},
		},
		{
			"a hole", grpcFixed(grpcDelays(300*ms, 100*ms, 300*ms)), grpcPolicyJSON(4, "0.15s", "0.15s", "1"),
			[]string{"retry 1 waits 150ms on average instead of 300ms, which is 50 % less, and no other mean is further off"},
		},
		{
			"the longest", grpcFixed(take(backoff.Constant(backoff.NoLimit), 2)), grpcPolicyJSON(3, longest, longest, "1"),
			[]string{"retry 1 waits 2135000h0m0s on average instead of 2561944h26m40s, which is 16.7 % less, and no other mean is further off"},
		},

		{"jitter of gRPC's width", func(seed uint64) iter.Seq[time.Duration] {
			return take(backoff.Spread(exponential, 0.2, backoff.WithSeed(seed)), 4)
		}, grpcPolicyJSON(5, "0.1s", "0.8s", "2"), nil},
		{"narrower jitter", func(seed uint64) iter.Seq[time.Duration] {
			return take(backoff.Spread(exponential, 0.1, backoff.WithSeed(seed)), 4)
		}, grpcPolicyJSON(5, "0.1s", "0.8s", "2"), nil},
		{
			"wider jitter", func(seed uint64) iter.Seq[time.Duration] {
				return take(backoff.Spread(exponential, 0.3, backoff.WithSeed(seed)), 4)
			}, grpcPolicyJSON(5, "0.1s", "0.8s", "2"),
			[]string{"retry 4 waits between 560ms and 1.04s, and with gRPC's jitter of ±20 % between 640ms and 960ms"},
		},
		{
			"a little wider jitter", func(seed uint64) iter.Seq[time.Duration] {
				return take(backoff.Constant(time.Duration(78+44*(seed%2))*ms), 1)
			}, grpcPolicyJSON(2, "0.1s", "0.1s", "1"),
			[]string{"retry 1 waits between 78ms and 122ms, and with gRPC's jitter of ±20 % between 80ms and 120ms"},
		},
		{
			"the first of two that are as wide", func(seed uint64) iter.Seq[time.Duration] {
				return take(backoff.Constant(time.Duration(50+100*(seed%2))*ms), 2)
			}, grpcPolicyJSON(3, "0.1s", "0.1s", "1"),
			[]string{"retry 1 waits between 50ms and 150ms, and with gRPC's jitter of ±20 % between 80ms and 120ms"},
		},
		{
			"full jitter", func(seed uint64) iter.Seq[time.Duration] {
				return take(backoff.FullJitter(100*ms, time.Second, backoff.WithSeed(seed)), 4)
			}, grpcPolicyJSON(5, "0.05s", "0.4s", "2"),
			[]string{"retry 4 waits between 23.17µs and 799.9ms, and with gRPC's jitter of ±20 % between 320ms and 480ms"},
		},
		{
			"jitter to one side", func(seed uint64) iter.Seq[time.Duration] {
				if seed%100 == 0 {
					return take(backoff.Constant(50*ms), 1)
				}
				return take(backoff.Constant(100*ms), 1)
			}, grpcPolicyJSON(2, "0.0995s", "0.0995s", "1"),
			[]string{"retry 1 waits between 50ms and 100ms, and with gRPC's jitter of ±20 % between 79.6ms and 119.4ms"},
		},
		{
			"random ends", func(seed uint64) iter.Seq[time.Duration] {
				return take(exponential, int(2+seed%3))
			}, grpcPolicyJSON(4, "0.1s", "0.4s", "2"),
			[]string{"the schedule has from 2 to 4 retries, and the config has 3"},
		},
		{
			"every second one longer", func() func(uint64) iter.Seq[time.Duration] {
				n := 0
				return func(uint64) iter.Seq[time.Duration] { n++; return take(exponential, 2+n%2) }
			}(), grpcPolicyJSON(3, "0.1s", "0.2s", "2"),
			[]string{"the schedule has from 2 to 3 retries, and the config has 2"},
		},
		{
			"some endless", func(seed uint64) iter.Seq[time.Duration] {
				if seed%3 == 0 {
					return exponential
				}
				return take(exponential, 3)
			}, grpcPolicyJSON(4, "0.1s", "0.4s", "2"),
			[]string{"the schedule has from 3 to more than 100 retries, and the config has 3"},
		},
		{
			"most endless", func(seed uint64) iter.Seq[time.Duration] {
				if seed%3 != 0 {
					return exponential
				}
				return take(exponential, 3)
			}, grpcPolicyJSON(5, "0.1s", "0.8s", "2"),
			[]string{"the schedule has from 3 to more than 100 retries, and the config has 4"},
		},
		{
			"everything", func(seed uint64) iter.Seq[time.Duration] {
				ds := []time.Duration{0, 300 * ms, time.Duration(50+seed%101) * ms, 300 * ms, 300 * ms, 300 * ms}
				return take(slices.Values(ds), 6-int(min(seed%4, 1)))
			}, grpcPolicyJSON(6, "0.1506s", "0.1506s", "1"),
			[]string{
				"the schedule has from 5 to 6 retries, and the config has 5", six,
				"retry 1 waits 150.6ms instead of 0s, because gRPC has no delay of 0",
				"retry 3 waits 150.6ms on average instead of 100.2ms, which is 50.3 % more, and no other mean is further off",
				"retry 3 waits between 50ms and 150ms, and with gRPC's jitter of ±20 % between 120.5ms and 180.7ms",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := adapt.GRPCServiceConfig(test.newSeq)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
			var differences []string
			if inexact, ok := errors.AsType[*adapt.InexactError](err); ok {
				differences = inexact.Differences
			} else if err != nil {
				t.Errorf("the error is a %T", err)
			}
			if diff := cmp.Diff(test.differences, differences); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInexactError(t *testing.T) {
	_, err := adapt.GRPCServiceConfig(grpcFixed(backoff.Take(backoff.Linear(time.Second, time.Second), 5)))
	inexact, ok := errors.AsType[*adapt.InexactError](err)
	if !ok {
		t.Fatalf("the error is a %T", err)
	}
	want := "adapt: GRPCServiceConfig: 6 attempts need grpc.WithMaxCallAttempts(6), because without it gRPC makes 5; " +
		"retry 5 waits 4.44s on average instead of 5s, which is 11.2 % less, and no other mean is further off"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if inexact.Attempts != 6 || math.Abs(inexact.Worst-0.112) > 1e-9 {
		t.Errorf("Attempts = %d, Worst = %v, want 6 and 0.112", inexact.Attempts, inexact.Worst)
	}
}

func TestGRPCOptions(t *testing.T) {
	type code uint32
	policy := func(codes string) string {
		return `"retryPolicy":{"maxAttempts":2,"initialBackoff":"1s","maxBackoff":"1s","backoffMultiplier":1,"retryableStatusCodes":[` + codes + `]}`
	}
	tests := []struct {
		name string
		opts []adapt.GRPCOption
		want string
	}{
		{"the zero option", []adapt.GRPCOption{{}}, `{"methodConfig":[{"name":[{}],` + policy(`"UNAVAILABLE"`) + `}]}`},
		{
			"methods",
			[]adapt.GRPCOption{adapt.GRPCMethods("a.Service", "/b.Service/Method", "b.Service/Other")},
			`{"methodConfig":[{"name":[{"service":"a.Service"},{"service":"b.Service","method":"Method"},{"service":"b.Service","method":"Other"}],` + policy(`"UNAVAILABLE"`) + `}]}`,
		},
		{
			"codes, each once",
			[]adapt.GRPCOption{adapt.GRPCCodes[code](16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16)},
			`{"methodConfig":[{"name":[{}],` + policy(`"UNAUTHENTICATED","CANCELLED","UNKNOWN","INVALID_ARGUMENT",`+
				`"DEADLINE_EXCEEDED","NOT_FOUND","ALREADY_EXISTS","PERMISSION_DENIED","RESOURCE_EXHAUSTED","FAILED_PRECONDITION",`+
				`"ABORTED","OUT_OF_RANGE","UNIMPLEMENTED","INTERNAL","UNAVAILABLE","DATA_LOSS"`) + `}]}`,
		},
		{
			"throttling",
			[]adapt.GRPCOption{adapt.GRPCThrottling(10, 0.125)},
			`{"methodConfig":[{"name":[{}],` + policy(`"UNAVAILABLE"`) + `}],"retryThrottling":{"maxTokens":10,"tokenRatio":0.125}}`,
		},
		{
			"the last one wins",
			[]adapt.GRPCOption{
				adapt.GRPCMethods("a"), adapt.GRPCCodes[code](1), adapt.GRPCThrottling(1, 1),
				adapt.GRPCMethods("b"), adapt.GRPCCodes[code](2), adapt.GRPCThrottling(1000, 1000),
			},
			`{"methodConfig":[{"name":[{"service":"b"}],` + policy(`"UNKNOWN"`) + `}],"retryThrottling":{"maxTokens":1000,"tokenRatio":1000}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := adapt.GRPCServiceConfig(grpcFixed(backoff.Take(backoff.Constant(time.Second), 1)), test.opts...)
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestGRPCPanics(t *testing.T) {
	type code uint32
	const aName = `, want a service such as "pkg.Service" or a method such as "pkg.Service/Method"`
	tests := []struct {
		call func()
		want string
	}{
		{func() { adapt.GRPCServiceConfig(nil) }, "adapt: GRPCServiceConfig: newSeq is nil, want a function"},
		{func() { adapt.GRPCServiceConfig(grpcFixed(nil)) }, "adapt: GRPCServiceConfig: the result of newSeq is nil, want a schedule"},
		{func() { adapt.GRPCMethods() }, "adapt: GRPCMethods: the number of names is 0, want >= 1"},
		{func() { adapt.GRPCMethods("a", "") }, `adapt: GRPCMethods: name 1 is ""` + aName},
		{func() { adapt.GRPCMethods("/") }, `adapt: GRPCMethods: name 0 is "/"` + aName},
		{func() { adapt.GRPCMethods("/a") }, `adapt: GRPCMethods: name 0 is "/a"` + aName},
		{func() { adapt.GRPCMethods("//m") }, `adapt: GRPCMethods: name 0 is "//m"` + aName},
		{func() { adapt.GRPCMethods("a/") }, `adapt: GRPCMethods: name 0 is "a/"` + aName},
		{func() { adapt.GRPCMethods("a/b/c") }, `adapt: GRPCMethods: name 0 is "a/b/c"` + aName},
		{func() { adapt.GRPCMethods(`a"`) }, `adapt: GRPCMethods: name 0 is "a\""` + aName},
		{func() { adapt.GRPCMethods(`a\`) }, `adapt: GRPCMethods: name 0 is "a\\"` + aName},
		{func() { adapt.GRPCMethods("a/b c") }, `adapt: GRPCMethods: name 0 is "a/b c"` + aName},
		{func() { adapt.GRPCMethods("a\x7f") }, `adapt: GRPCMethods: name 0 is "a\x7f"` + aName},
		{func() { adapt.GRPCMethods("ä") }, `adapt: GRPCMethods: name 0 is "ä"` + aName},
		{func() { adapt.GRPCMethods("a/b", "/a/b") }, `adapt: GRPCMethods: name 1 is "/a/b", want names that differ`},
		{func() { adapt.GRPCCodes[code]() }, "adapt: GRPCCodes: the number of codes is 0, want >= 1"},
		{func() { adapt.GRPCCodes[code](14, 0) }, "adapt: GRPCCodes: code 1 is 0, want a code in [1, 16]"},
		{func() { adapt.GRPCCodes[code](17) }, "adapt: GRPCCodes: code 0 is 17, want a code in [1, 16]"},
		{func() { adapt.GRPCCodes[code](math.MaxUint32) }, "adapt: GRPCCodes: code 0 is 4294967295, want a code in [1, 16]"},
		{func() { adapt.GRPCThrottling(0, 1) }, "adapt: GRPCThrottling: maxTokens is 0, want a value in [1, 1000]"},
		{func() { adapt.GRPCThrottling(1001, 1) }, "adapt: GRPCThrottling: maxTokens is 1001, want a value in [1, 1000]"},
		{func() { adapt.GRPCThrottling(1, 0.0009) }, "adapt: GRPCThrottling: ratio is 0.0009, want a value in [0.001, 1000]"},
		{func() { adapt.GRPCThrottling(1, 1001) }, "adapt: GRPCThrottling: ratio is 1001, want a value in [0.001, 1000]"},
		{func() { adapt.GRPCThrottling(1, math.NaN()) }, "adapt: GRPCThrottling: ratio is NaN, want a value in [0.001, 1000]"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(any(test.want), rungPanic(test.call)); diff != "" {
			t.Errorf("panics with (-want +got):\n%s", diff)
		}
	}
}

// An option keeps no memory of its caller's.
func TestGRPCOptionsCopy(t *testing.T) {
	type code uint32
	names, codes := []string{"a"}, []code{1}
	methods, retried := adapt.GRPCMethods(names...), adapt.GRPCCodes(codes...)
	names[0], codes[0] = "b", 2
	config, _ := adapt.GRPCServiceConfig(grpcFixed(backoff.Take(backoff.Constant(1), 1)), methods, retried)
	if !strings.Contains(config, `"service":"a"`) || !strings.Contains(config, `"CANCELLED"`) {
		t.Errorf("the options changed: %s", config)
	}
}

// A schedule is drawn 100 times if nothing is random, and 10,000 times if its delays or its
// end are, each time with another seed, and never beyond the delay after retry 100.
func TestGRPCDraws(t *testing.T) {
	endless := backoff.Constant(time.Second)
	tests := []struct {
		name   string
		newSeq func(seed uint64) iter.Seq[time.Duration]
		want   int
	}{
		{"fixed", grpcFixed(endless), 100},
		{"random delays", func(seed uint64) iter.Seq[time.Duration] { return backoff.FullJitter(1, 1000, backoff.WithSeed(seed)) }, 10_000},
		{"random end", func(seed uint64) iter.Seq[time.Duration] { return backoff.Take(endless, 90+int(seed%100)) }, 10_000},
	}
	for _, test := range tests {
		seeds := map[uint64]bool{}
		most := 0
		adapt.GRPCServiceConfig(func(seed uint64) iter.Seq[time.Duration] {
			seeds[seed] = true
			return func(yield func(time.Duration) bool) {
				n := 0
				for d := range test.newSeq(seed) {
					n++
					most = max(most, n)
					if !yield(d) {
						return
					}
				}
			}
		})
		if len(seeds) != test.want || most != 101 {
			t.Errorf("%s: %d seeds and %d delays, want %d and 101", test.name, len(seeds), most, test.want)
		}
	}
}

// A grpcConfigJSON is what gRPC reads of a config.
type grpcConfigJSON struct {
	MethodConfig []struct {
		Name        []struct{ Service, Method string }
		RetryPolicy *grpcPolicyRead
	}
}

type grpcPolicyRead struct {
	MaxAttempts                int
	InitialBackoff, MaxBackoff string
	BackoffMultiplier          float64
	RetryableStatusCodes       []string
}

// mean is gRPC's formula, without the jitter.
func (p grpcPolicyRead) mean(t rapid.TB, k int) float64 {
	read := func(s string) float64 {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 || 1.2*float64(d) >= math.MaxInt64 {
			t.Fatalf("gRPC cannot wait for %s: %v", s, err)
		}
		return float64(d)
	}
	return min(read(p.InitialBackoff)*math.Pow(p.BackoffMultiplier, float64(k)), read(p.MaxBackoff))
}

func readGRPC(t rapid.TB, config string) grpcPolicyRead {
	var c grpcConfigJSON
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		t.Fatalf("%s: %v", config, err)
	}
	if len(c.MethodConfig) != 1 || c.MethodConfig[0].RetryPolicy == nil {
		t.Fatalf("no policy: %s", config)
	}
	p := *c.MethodConfig[0].RetryPolicy
	if p.MaxAttempts < 2 || !(p.BackoffMultiplier > 0) || math.IsInf(p.BackoffMultiplier, 0) {
		t.Fatalf("gRPC does not accept %s", config)
	}
	return p
}

// Geometric schedules under a limit are kept as well as two nanoseconds of the first delay, or
// its twelfth digit, allow.
func TestGRPCExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1000, 1e17).Draw(t, "base"))
		factor := 1 + float64(rapid.IntRange(0, 500).Draw(t, "percent"))/100
		limit := time.Duration(rapid.Int64Range(int64(base), 7e18).Draw(t, "limit"))
		n := rapid.IntRange(1, 4).Draw(t, "n")
		seq := backoff.Take(backoff.Cap(backoff.Exponential(base, factor), limit), n)

		config, err := adapt.GRPCServiceConfig(grpcFixed(seq))
		if err != nil {
			t.Fatal(err)
		}
		p := readGRPC(t, config)
		if p.MaxAttempts != n+1 {
			t.Fatalf("%d attempts, want %d", p.MaxAttempts, n+1)
		}
		k := 0
		for d := range seq {
			if got := p.mean(t, k); math.Abs(got/float64(d)-1) > max(2/float64(base), 3e-12) {
				t.Fatalf("retry %d waits %v ns, want %d: %s", k+1, got, d, config)
			}
			k++
		}
	})
}

// Any schedule gives a valid config, and the error tells how far it is off.
func TestGRPCIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ds := rapid.SliceOfN(rungDelay(), 1, 30).Draw(t, "delays")
		config, err := adapt.GRPCServiceConfig(grpcFixed(slices.Values(ds)))
		p := readGRPC(t, config)
		if p.MaxAttempts != len(ds)+1 {
			t.Fatalf("%d attempts, want %d", p.MaxAttempts, len(ds)+1)
		}
		worst, zero := 0.0, false
		for k, d := range ds {
			if d == 0 {
				zero = true
				continue
			}
			worst = max(worst, math.Abs(p.mean(t, k)-float64(d))/float64(d))
		}
		inexact, ok := errors.AsType[*adapt.InexactError](err)
		if !ok {
			if worst > 0.01+1e-9 || zero || len(ds) > 4 {
				t.Fatalf("worst %v, a delay of 0 %v, and no error: %s", worst, zero, config)
			}
			return
		}
		if math.Abs(inexact.Worst-worst) > 1e-9*(1+worst) || inexact.Attempts != len(ds)+1 {
			t.Fatalf("%+v, want worst %v: %s", inexact, worst, config)
		}
	})
}

// No other policy is closer by more than 0.1 %. The others are those of every multiplier of
// a fine grid, and of the ratio of every two delays, with every choice of the retries that
// the limit serves.
func TestGRPCIsClosest(t *testing.T) {
	middle := func(ds []float64) float64 { // the best constant
		a, b := slices.Min(ds), slices.Max(ds)
		return 2 * a * b / (a + b)
	}
	rapid.Check(t, func(t *rapid.T) {
		ds := rapid.SliceOfN(rapid.Map(rapid.Int64Range(1e6, 1e8), rungDuration), 2, 5).Draw(t, "delays")
		multipliers := []float64{1}
		for i := range 100 {
			multipliers = append(multipliers, math.Pow(100, float64(i-50)/50))
		}
		for i := range ds {
			for j := range i {
				multipliers = append(multipliers, math.Pow(float64(ds[i])/float64(ds[j]), 1/float64(i-j)))
			}
		}
		best, which := math.Inf(1), [3]float64{}
		for _, m := range multipliers {
			for limited := range 1 << len(ds) {
				initials, limits := make([]float64, 0, 5), make([]float64, 0, 5)
				for k, d := range ds {
					if limited>>k&1 == 1 {
						limits = append(limits, float64(d))
					} else {
						initials = append(initials, float64(d)/math.Pow(m, float64(k)))
					}
				}
				initial, limit := math.Inf(1), math.Inf(1)
				if len(initials) > 0 {
					initial = middle(initials)
				}
				if len(limits) > 0 {
					limit = middle(limits)
				}
				worst := 0.0
				for k, d := range ds {
					got := min(initial*math.Pow(m, float64(k)), limit)
					worst = max(worst, math.Abs(got-float64(d))/float64(d))
				}
				if worst < best {
					best, which = worst, [3]float64{initial, m, limit}
				}
			}
		}
		config, _ := adapt.GRPCServiceConfig(grpcFixed(slices.Values(ds)))
		p := readGRPC(t, config)
		worst := 0.0
		for k, d := range ds {
			worst = max(worst, math.Abs(p.mean(t, k)-float64(d))/float64(d))
		}
		if worst > best+0.001 {
			t.Fatalf("%s is off by %v, and %v only by %v", config, worst, which, best)
		}
	})
}

func BenchmarkGRPCServiceConfig(b *testing.B) {
	for name, newSeq := range map[string]func(uint64) iter.Seq[time.Duration]{
		"exact": grpcFixed(backoff.Take(backoff.Exponential(time.Second, 2), 4)),
		"random": func(seed uint64) iter.Seq[time.Duration] {
			return backoff.Take(backoff.FullJitter(time.Second, time.Minute, backoff.WithSeed(seed)), 4)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				adapt.GRPCServiceConfig(newSeq)
			}
		})
	}
}
