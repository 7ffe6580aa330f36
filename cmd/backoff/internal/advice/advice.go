// Package advice finds what would help clients and a simulated server that do not get over
// an overload: it changes one thing at a time and runs the simulation again.
package advice

import (
	"context"
	"sync"

	"example.com/backoff/cmd/backoff/internal/seconds"
	"example.com/backoff/expr"
	"example.com/backoff/internal/workers"
	"example.com/backoff/sim/overload"
)

// MaxReps is the most repetitions that advice is about.
const MaxReps = 10

// Tried returns the repetitions that advice is about: the first MaxReps. They show whether
// there is a problem, and each change is tried with their seeds.
func Tried(reps []overload.Rep) []overload.Rep { return reps[:min(len(reps), MaxReps)] }

// muchWaste is the share of wasted work from which on advice is of use although the server
// recovers.
const muchWaste = 0.1

// An Advice is a change of one thing, and what came of it.
type Advice struct {
	What string // "cancel abandoned requests"
	Flag string // "--abandoned cancel"; empty if Expr is the change
	Expr string // the schedule instead; empty if Flag is the change
	Note string // where it might not help; mostly empty

	Helps bool
	Reps  []overload.Rep
}

// Needed reports whether there is anything to improve in the repetitions that are [Tried]:
// whether the server collapsed in one, or did much of its work for requests that had timed
// out. If none collapsed and some are unfinished, there is nothing to judge yet.
func Needed(reps []overload.Rep, config overload.Config) bool {
	reps = Tried(reps)
	unfinished := seconds.CountUnfinished(reps, config)
	if recovered(reps)+unfinished < len(reps) {
		return true
	}
	return unfinished == 0 && Waste(reps) > muchWaste
}

// Waste returns the share of wasted work: of the requests that the server served, those
// whose client had given up.
func Waste(reps []overload.Rep) float64 {
	served, wasted := int64(0), int64(0)
	for _, r := range reps {
		total := overload.Total(r.Seconds)
		wasted += total.Wasted
		served += total.OK + total.Refused + total.Wasted
	}
	return float64(wasted) / float64(max(served, 1))
}

// Search tries changes of the experiment that config describes and e is the schedule of.
// The repetitions are those that came of it. It returns the changes in the order in which
// they are sensible, first those that help. It calls progress, by one goroutine at a time,
// with how many of all changes are tried.
//
// The result depends on config and its seed alone. Search returns the cause of ctx's end
// if ctx ends first.
func Search(ctx context.Context, config overload.Config, e *expr.Expr, reps []overload.Rep, progress func(done, total int)) ([]Advice, error) {
	before := Tried(reps)
	config.Reps = len(before)
	all := changes(config, e)
	atOnce := config.Workers
	config.Workers = max(1, atOnce/max(len(all), 1))
	config.Progress = nil

	tried := make([]Advice, len(all))
	errs := make([]error, len(all))
	done := 0
	var mu sync.Mutex // for done
	err := workers.Do(ctx, atOnce, len(all), func(ctx context.Context) func(int) {
		return func(i int) {
			tried[i], errs[i] = try(ctx, config, all[i], before)
			mu.Lock()
			defer mu.Unlock()
			done++
			progress(done, len(all))
		}
	})
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	var sorted []Advice
	for _, helps := range []bool{true, false} {
		for _, a := range tried {
			if a.Helps == helps {
				sorted = append(sorted, a)
			}
		}
	}
	return sorted, nil
}

// try runs variants of one change until one solves the problem, a collapse or else wasted
// work, and returns the best.
func try(ctx context.Context, config overload.Config, variants []variant, before []overload.Rep) (best Advice, err error) {
	collapsed := recovered(before) < len(before)
	for i, v := range variants {
		c := config
		v.change(&c)
		result, err := overload.Run(ctx, c)
		if err != nil {
			return best, err
		}
		a := Advice{What: v.what, Flag: v.flag, Expr: v.expr, Note: v.note, Reps: result.Reps, Helps: helps(before, result.Reps)}
		if i == 0 || better(best.Reps, a.Reps) {
			best = a
		}
		if best.Helps && (collapsed || !Needed(best.Reps, c)) && recovered(best.Reps) == len(before) {
			break
		}
	}
	return best, nil
}

// helps reports whether the server recovers in more of the repetitions than before, or in
// all of them as before with less than half of the wasted work.
func helps(before, after []overload.Rep) bool {
	if n, m := recovered(before), recovered(after); n < len(before) || m < n {
		return m > n
	}
	return Waste(after) < Waste(before)/2
}

// better reports whether b is better than a.
func better(a, b []overload.Rep) bool {
	if n, m := recovered(a), recovered(b); n != m {
		return m > n
	}
	return Waste(b) < Waste(a)
}

func recovered(reps []overload.Rep) (n int) {
	return len(seconds.Recoveries(reps))
}
