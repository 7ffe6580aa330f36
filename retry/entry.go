package retry

import (
	"context"
	"iter"
	"time"

	"example.com/backoff/retry/internal/entry"
)

func init() {
	entry.PrepareHook = func(opts any) entry.Runner { return prepared{newConfig(opts.([]Option))} }
	entry.OptionHook = func(value any) any {
		return Option{func(c config) config {
			c.values = append(c.values[:len(c.values):len(c.values)], value)
			return c
		}}
	}
}

// prepared runs the operations of a package below this one.
type prepared struct{ config config }

func (p prepared) Run(ctx context.Context, delays iter.Seq[time.Duration], op entry.Operation) error {
	r := runner{config: p.config, ctx: ctx, below: op}
	return r.run(delays, nil)
}

func (p prepared) Values() []any { return p.config.values }

func (p prepared) Warn(ctx context.Context, msg string, args ...any) {
	if p.config.warn != nil {
		p.config.warn(ctx, msg, args...)
	}
}
