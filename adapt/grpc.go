package adapt

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// GRPCServiceConfig returns the service config with the retryPolicy that comes closest to
// the schedules of newSeq, for grpc.WithDefaultServiceConfig:
//
//	config, err := adapt.GRPCServiceConfig(func(seed uint64) iter.Seq[time.Duration] {
//		return backoff.Take(backoff.Exponential(100*time.Millisecond, 2), 4)
//	}, adapt.GRPCMethods("orders.Orders"))
//	if err != nil {
//		return err
//	}
//	conn, err := grpc.NewClient(target, grpc.WithDefaultServiceConfig(config), ...)
//
// gRPC takes no function. Before retry n it waits for
//
//	min(initialBackoff · backoffMultiplierⁿ⁻¹, maxBackoff)
//
// with ±20 % of jitter, always, and above maxBackoff too. So the config is right on
// average if the mean delays of the schedule grow by one factor, with or without a limit.
// If they do not, its largest relative error is the smallest possible, or larger by up to
// 0.1 % of a delay, so that the numbers are round. Delays below 1 µs can be further off,
// because a backoff is a whole number of nanoseconds, and the means of a random schedule
// have an error of their own. If newSeq returns an empty schedule, the config has no
// retryPolicy.
//
// The error is nil if gRPC can express the schedule: as many retries, mean delays that are
// right to 1 %, jitter of at most ±20 %, which gRPC also adds where the schedule has none,
// and at most 5 attempts. Otherwise it is an [*InexactError] that says what is different.
// The config is valid and the closest one in both cases.
//
// Use an interceptor, such as those of retry/retrygrpc, for a schedule that gRPC cannot
// express. It is also not kept when
//   - the server sends grpc-retry-pushback-ms: gRPC waits for so long instead, without
//     jitter, and continues with the first delay,
//   - the name resolver has a service config of its own, which replaces the default one;
//     grpc.WithDisableServiceConfig forbids that, or
//   - the connection is lost: retries fail at once until gRPC connects again, for which it
//     has a backoff of its own, 1 s at first. The call option grpc.WaitForReady waits.
//
// GRPCServiceConfig draws from up to 10,000 schedules, each with a seed of its own, and
// stops after 100 if they are all equal. So the config of a schedule that depends on
// nothing but its seed is the same each time, on every machine.
//
// It panics if newSeq is nil or returns nil.
func GRPCServiceConfig(newSeq func(seed uint64) iter.Seq[time.Duration], opts ...GRPCOption) (config string, err error) {
	if newSeq == nil {
		reject("GRPCServiceConfig", "newSeq", "nil", "a function")
	}
	s := newGRPCSettings(opts)
	draws := drawGRPC(newSeq)
	p := fitGRPC(draws.retries[:draws.length()])
	if differences := draws.differences(p); len(differences) > 0 {
		worst, _ := draws.worst(p)
		err = &InexactError{Attempts: p.retries + 1, Worst: worst, Differences: differences}
	}
	return s.config(p), err
}

// An InexactError says how a config that [GRPCServiceConfig] returned with it differs from
// the schedule. A program that can live with the differences uses the config:
//
//	config, err := adapt.GRPCServiceConfig(newSeq)
//	if inexact, ok := errors.AsType[*adapt.InexactError](err); ok && inexact.Worst < 0.1 {
//		opts = append(opts, grpc.WithMaxCallAttempts(inexact.Attempts))
//	}
type InexactError struct {
	Attempts    int      // maxAttempts of the config, of which gRPC makes 5 without grpc.WithMaxCallAttempts(Attempts)
	Worst       float64  // the largest relative error of a mean delay; delays that should be 0 do not count
	Differences []string // each a clause such as "retry 3 waits 480ms on average instead of 400ms"
}

// Error returns the differences in one line.
func (e *InexactError) Error() string {
	return "adapt: GRPCServiceConfig: " + strings.Join(e.Differences, "; ")
}

const (
	grpcAttempts  = 5    // that gRPC makes, unless it is told to make more
	grpcTolerance = 0.01 // of a delay, below which a difference is not worth an error
	grpcJitter    = 0.2  // that gRPC adds to each delay and takes from it
)

// differences returns what gRPC does not keep if it has policy p.
func (w *grpcDraws) differences(p grpcPolicy) []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }

	shortest, longest := w.lengths()
	switch {
	case shortest > grpcMost:
		add("the schedule has more than %d retries, and the config has %d: end it with backoff.Take", grpcMost, p.retries)
	case longest > grpcMost:
		add("the schedule has from %d to more than %d retries, and the config has %d", shortest, grpcMost, p.retries)
	case shortest != longest:
		add("the schedule has from %d to %d retries, and the config has %d", shortest, longest, p.retries)
	}
	if attempts := p.retries + 1; attempts > grpcAttempts {
		add("%d attempts need grpc.WithMaxCallAttempts(%[1]d), because without it gRPC makes %d", attempts, grpcAttempts)
	}
	for k, r := range w.retries[:p.retries] {
		if r.mean() == 0 {
			add("retry %d waits %v instead of 0s, because gRPC has no delay of 0", k+1, readable(p.mean(k)))
			break
		}
	}
	if worst, k := w.worst(p); worst > grpcTolerance {
		got, want := p.mean(k), w.retries[k].mean()
		more := "more"
		if got < want {
			more = "less"
		}
		add("retry %d waits %v on average instead of %v, which is %.3g %% %s, and no other mean is further off",
			k+1, readable(got), readable(want), 100*worst, more)
	}
	if width, k := w.widest(p); width > grpcJitter+grpcTolerance {
		r := w.retries[k]
		add("retry %d waits between %v and %v, and with gRPC's jitter of ±20 %% between %v and %v",
			k+1, readable(float64(r.shortest)), readable(float64(r.longest)),
			readable((1-grpcJitter)*p.mean(k)), readable((1+grpcJitter)*p.mean(k)))
	}
	return all
}

// worst returns the largest relative error of a mean delay, and the index of the first
// retry that has it.
func (w *grpcDraws) worst(p grpcPolicy) (worst float64, retry int) {
	for k, r := range w.retries[:p.retries] {
		want := r.mean()
		if want == 0 {
			continue
		}
		if e := max(p.mean(k)/want-1, 1-p.mean(k)/want); e > worst {
			worst, retry = e, k
		}
	}
	return worst, retry
}

// widest returns the largest jitter, as a part of the mean delay, and the index of the
// first retry that has it.
func (w *grpcDraws) widest(p grpcPolicy) (width float64, retry int) {
	for k, r := range w.retries[:p.retries] {
		mean := r.mean()
		if mean == 0 {
			continue
		}
		if j := max(float64(r.longest)/mean-1, 1-float64(r.shortest)/mean); j > width {
			width, retry = j, k
		}
	}
	return width, retry
}

// readable returns a delay with four digits.
func readable(ns float64) time.Duration {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(ns, 'e', 3, 64), 64)
	return time.Duration(short)
}

// config returns the service config as JSON.
func (s grpcSettings) config(p grpcPolicy) string {
	names := make([]string, len(s.names))
	for i, n := range s.names {
		names[i] = n.json()
	}
	method := `"name":[` + strings.Join(names, ",") + `]`
	if p.retries > 0 {
		codes := make([]string, len(s.codes))
		for i, c := range s.codes {
			codes[i] = `"` + grpcCodes[c] + `"`
		}
		method += fmt.Sprintf(`,"retryPolicy":{"maxAttempts":%d,"initialBackoff":%s,"maxBackoff":%s,"backoffMultiplier":%s,"retryableStatusCodes":[%s]}`,
			p.retries+1, grpcSeconds(p.initial), grpcSeconds(p.limit), grpcNumber(p.multiplier), strings.Join(codes, ","))
	}
	config := `{"methodConfig":[{` + method + `}]`
	if s.maxTokens > 0 {
		config += fmt.Sprintf(`,"retryThrottling":{"maxTokens":%d,"tokenRatio":%s}`, s.maxTokens, grpcNumber(s.tokenRatio))
	}
	return config + "}"
}

// grpcSeconds returns d > 0 as gRPC reads it: in seconds, with at most nine decimal
// places.
func grpcSeconds(d time.Duration) string {
	s := strconv.FormatInt(int64(d/time.Second), 10)
	if part := d % time.Second; part > 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%09d", part), "0")
	}
	return `"` + s + `s"`
}

func grpcNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// A GRPCOption changes the config that [GRPCServiceConfig] returns. If several options set
// the same thing, the last wins. The zero GRPCOption changes nothing.
type GRPCOption struct {
	set func(grpcSettings) grpcSettings
}

type grpcSettings struct {
	names      []grpcName
	codes      []uint32
	maxTokens  int // 0: no throttling
	tokenRatio float64
}

func newGRPCSettings(opts []GRPCOption) grpcSettings {
	s := grpcSettings{names: []grpcName{{}}, codes: []uint32{14}} // all methods, Unavailable
	for _, o := range opts {
		if o.set != nil {
			s = o.set(s)
		}
	}
	return s
}

// GRPCMethods sets what the config applies to (default: every method of every service).
// A name is that of a service, "pkg.Service", or of a method, "pkg.Service/Method" or
// "/pkg.Service/Method", which is the value of the constant Service_Method_FullMethodName
// in generated code.
//
// It panics if there are no names, if one is none of these, or if two are the same.
func GRPCMethods(names ...string) GRPCOption {
	if len(names) == 0 {
		reject("GRPCMethods", "the number of names", 0, ">= 1")
	}
	parsed := make([]grpcName, len(names))
	for i, name := range names {
		n, ok := parseGRPCName(name)
		if !ok {
			reject("GRPCMethods", fmt.Sprint("name ", i), strconv.Quote(name), `a service such as "pkg.Service" or a method such as "pkg.Service/Method"`)
		}
		if slices.Contains(parsed[:i], n) {
			reject("GRPCMethods", fmt.Sprint("name ", i), strconv.Quote(name), "names that differ")
		}
		parsed[i] = n
	}
	return GRPCOption{func(s grpcSettings) grpcSettings {
		s.names = parsed
		return s
	}}
}

// A grpcName is a method, or a service if it has no method, or everything if it has
// neither.
type grpcName struct{ service, method string }

func parseGRPCName(name string) (n grpcName, ok bool) {
	path, full := strings.CutPrefix(name, "/")
	service, method, hasMethod := strings.Cut(path, "/")
	return grpcName{service, method}, grpcWord(service) && (grpcWord(method) || !hasMethod && !full)
}

// grpcWord reports whether s can be part of a name. It leaves out what JSON would have to
// escape.
func grpcWord(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '/' {
			return false
		}
	}
	return s != ""
}

func (n grpcName) json() string {
	switch {
	case n.service == "":
		return "{}"
	case n.method == "":
		return `{"service":"` + n.service + `"}`
	default:
		return `{"service":"` + n.service + `","method":"` + n.method + `"}`
	}
}

// grpcCodes has the name of each status code.
var grpcCodes = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// GRPCCodes sets which status codes are retried (default: codes.Unavailable). C is
// codes.Code:
//
//	adapt.GRPCCodes(codes.Unavailable, codes.ResourceExhausted)
//
// It panics if there are no codes, or if one is not in [1, 16].
func GRPCCodes[C ~uint32](codes ...C) GRPCOption {
	if len(codes) == 0 {
		reject("GRPCCodes", "the number of codes", 0, ">= 1")
	}
	var numbers []uint32
	for i, c := range codes {
		if c < 1 || int64(c) >= int64(len(grpcCodes)) {
			reject("GRPCCodes", fmt.Sprint("code ", i), uint32(c), fmt.Sprintf("a code in [1, %d]", len(grpcCodes)-1))
		}
		if !slices.Contains(numbers, uint32(c)) {
			numbers = append(numbers, uint32(c))
		}
	}
	return GRPCOption{func(s grpcSettings) grpcSettings {
		s.codes = numbers
		return s
	}}
}

// GRPCThrottling adds retryThrottling to the config (default: none). A connection begins
// with maxTokens tokens. Each attempt that fails with a code that is retried takes one, a
// call that succeeds adds ratio, and there are no retries while maxTokens/2 tokens are
// left, or fewer. So retries stop by themselves while a server fails.
//
// It panics if maxTokens is not in [1, 1000], or ratio not in [0.001, 1000].
func GRPCThrottling(maxTokens int, ratio float64) GRPCOption {
	if maxTokens < 1 || maxTokens > 1000 {
		reject("GRPCThrottling", "maxTokens", maxTokens, "a value in [1, 1000]")
	}
	if !(ratio >= 0.001 && ratio <= 1000) {
		reject("GRPCThrottling", "ratio", ratio, "a value in [0.001, 1000]")
	}
	return GRPCOption{func(s grpcSettings) grpcSettings {
		s.maxTokens, s.tokenRatio = maxTokens, ratio
		return s
	}}
}
