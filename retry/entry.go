package retry

import (
	"context"
	"iter"
	"slices"
	"time"

	"example.com/backoff/retry/internal/entry"
)

func init() {
	entry.PrepareHook = func(opts any) entry.Runner { return prepared{newConfig(opts.([]Option))} }
	entry.OptionHook = func(v any) any {
		return Option{func(c config) config {
			c.values = &value{c.values, v}
			return c
		}}
	}
}

// value is the last setting of a package below this one, after those before it.
type value struct {
	before *value
	value  any
}

// prepared runs the operations of a package below this one.
type prepared struct{ config config }

func (p prepared) Run(ctx context.Context, delays iter.Seq[time.Duration], op entry.Operation) error {
	r := runner{config: p.config, ctx: ctx, below: op, object: op}
	return r.run(delays, nil)
}

func (p prepared) Values() []any {
	var values []any
	for v := p.config.values; v != nil; v = v.before {
		values = append(values, v.value)
	}
	slices.Reverse(values)
	return values
}

func (p prepared) HasIf() bool { return p.config.retryable != nil }

func (p prepared) Retryable(op entry.Operation, err error) bool {
	r := runner{config: p.config, below: op}
	_, permanent := marks(err)
	return !permanent && r.mayRetry(unmarked(err))
}

func (p prepared) Warn() func(ctx context.Context, msg string, args ...any) { return p.config.warn }
