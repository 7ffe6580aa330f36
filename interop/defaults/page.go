package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/backoff/expr"
	"example.com/backoff/interop/page"
)

// generate returns the parts, in the order of the page.
func generate(all []figures, versions map[string]string) []page.Part {
	return []page.Part{
		{Name: "findings", Text: findings(all)},
		{Name: "table", Text: table(all)},
		{Name: "clients", Text: sections(all, versions)},
	}
}

// updateFile updates the page in a file and reports whether it changed.
func updateFile(name string) (changed bool, err error) {
	v, err := page.Versions(filepath.Join(filepath.Dir(name), "..", "interop", "go.mod"))
	if err != nil {
		return false, err
	}
	all := make([]figures, len(clients))
	for i, c := range clients {
		all[i] = figure(c)
	}
	return page.UpdateFile(name, generate(all, v)...)
}

func table(all []figures) string {
	var b strings.Builder
	b.WriteString("| client | attempts | longest delay | total, mean | total, max | retries in 1 m | in 1 h | same delay, first | last |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	for i, c := range clients {
		f := all[i]
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			c.name, anchor(c.name), f.attemptsText(), short(f.longest), f.meanText(), f.totalText(c),
			f.minute.text(), f.hour.text(), percent(f.first), percent(f.last))
	}
	return b.String()
}

func (f figures) attemptsText() string {
	switch {
	case f.endless:
		return "endless"
	case f.minAttempts == f.maxAttempts:
		return fmt.Sprint(f.minAttempts)
	}
	return fmt.Sprintf("%d–%d", f.minAttempts, f.maxAttempts)
}

func (f figures) meanText() string {
	if f.endless {
		return "–"
	}
	return short(f.mean)
}

func (f figures) totalText(c client) string {
	switch {
	case f.endless:
		return "–"
	case c.total != 0:
		return short(c.total)
	}
	return short(f.total)
}

func (c count) text() string {
	switch {
	case c.unlimited:
		return "no limit"
	case c.low == c.up:
		return fmt.Sprint(c.low)
	}
	return fmt.Sprintf("%.3g (%d–%d)", c.mean, c.low, c.up)
}

// percent returns a share as text, in whole percent. It gives a decimal below 1 %,
// and never rounds to 100 %.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p == 0:
		return "none"
	case p < 1:
		return fmt.Sprintf("%.1f %%", p)
	case p < 100 && p >= 99.5:
		return "more than 99 %"
	}
	return fmt.Sprintf("%.0f %%", p)
}

// short returns d, rounded to three digits if it has more than five.
func short(d time.Duration) string {
	if exact := expr.FormatDuration(d); digits(exact) <= 5 && d < 48*time.Hour {
		return exact
	}
	unit, name := time.Nanosecond, "ns"
	for _, u := range []struct {
		d    time.Duration
		name string
	}{{time.Microsecond, "µs"}, {time.Millisecond, "ms"}, {time.Second, "s"}, {time.Minute, "m"}, {time.Hour, "h"}} {
		if d >= u.d {
			unit, name = u.d, u.name
		}
	}
	if d >= 48*time.Hour {
		unit, name = 24*time.Hour, " d"
	}
	return fmt.Sprintf("%.3g%s", float64(d)/float64(unit), name)
}

func digits(text string) int {
	return len(text) - len(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text))
}

// findings groups the clients by their weaknesses.
func findings(all []figures) string {
	var b strings.Builder
	found := map[string]bool{}
	list := func(what, why string, detail func(client, figures) (string, bool)) {
		var names []string
		for i, c := range clients {
			if text, ok := detail(c, all[i]); ok {
				names = append(names, strings.TrimSpace(c.name+" "+text))
				found[c.name] = true
			}
		}
		if names == nil {
			names = []string{"nobody"}
		}
		fmt.Fprintf(&b, "- **%s**%s: %s.\n", what, why, strings.Join(names, "; "))
	}
	list("No jitter", ", so clients that fail together retry together, every time", func(_ client, f figures) (string, bool) {
		return "", f.certain()
	})
	list("Narrow jitter", ", so clients stay close together (the last delay varies by less than a fifth, and by less than a minute)", func(_ client, f figures) (string, bool) {
		last := f.bounds[len(f.bounds)-1]
		width := last.Max - last.Min
		return fmt.Sprintf("(%s to %s)", short(last.Min), short(last.Max)), width > 0 && width < min(last.Max/5, time.Minute)
	})
	list("No jitter before the first retry", ", only before later ones", func(_ client, f figures) (string, bool) {
		return "", f.first == 1 && !f.certain()
	})
	list("No jitter once the limit is reached", ": all clients wait for exactly the limit", func(_ client, f figures) (string, bool) {
		if f.certain() || f.last < 1 {
			return "", false
		}
		n := len(f.plan.Retries)
		for n > 1 && f.plan.Retries[n-2].Atom.Share == 1 {
			n--
		}
		return fmt.Sprintf("(%s from retry %d on)", short(f.plan.Retries[n-1].Atom.Delay), n), true
	})
	list("Few different delays", ", so some clients still share one", func(_ client, f figures) (string, bool) {
		a := f.plan.Retries[0].Atom
		return fmt.Sprintf("(%s of clients share each delay)", percent(a.Share)), a.Share > 0 && a.Share < 1
	})
	list("Delays above the limit", ", because the jitter is added after the cap", func(c client, f figures) (string, bool) {
		return fmt.Sprintf("(up to %s, limit %s)", short(f.longest), short(c.limit)), c.limit != 0 && f.longest > c.limit
	})
	list("Never gives up", " until something else ends it", func(_ client, f figures) (string, bool) { return "", f.endless })
	list("Gives up within a second", ", sooner than a server restarts", func(_ client, f figures) (string, bool) {
		return fmt.Sprintf("(after %s at most)", short(f.total)), !f.endless && f.total < time.Second
	})
	var rest []string
	for _, c := range clients {
		if !found[c.name] {
			rest = append(rest, c.name)
		}
	}
	fmt.Fprintf(&b, "- **None of these**: %s.\n", strings.Join(rest, "; "))
	return b.String()
}

// certain reports whether no delay of the schedule is random.
func (f figures) certain() bool {
	for _, b := range f.bounds {
		if b.Min != b.Max {
			return false
		}
	}
	return true
}

func sections(all []figures, versions map[string]string) string {
	var b strings.Builder
	for i, c := range clients {
		f := all[i]
		fmt.Fprintf(&b, "### %s\n\n%s", c.name, c.setting)
		if c.module != "" {
			fmt.Fprintf(&b, " of `%s` %s", c.module, versions[c.module])
		}
		b.WriteString("\n\n")
		if c.text != "" {
			fmt.Fprintf(&b, "```\n%s\n```\n", c.text)
		} else {
			fmt.Fprintf(&b, "```go\n%s```\n", c.code)
		}
		fmt.Fprintf(&b, "\n%s\n\n", strip(f))
		if c.differs == "" {
			b.WriteString("- Exact.\n")
		} else {
			fmt.Fprintf(&b, "- Exact, except that %s\n", c.differs)
		}
		if c.note != "" {
			fmt.Fprintf(&b, "- %s\n", c.note)
		}
		for _, w := range warnings(f) {
			fmt.Fprintf(&b, "- %s\n", w)
		}
		if c.checked != "" {
			fmt.Fprintf(&b, "- Verified: %s.\n", c.checked)
		}
		if c.source != "" {
			fmt.Fprintf(&b, "- Documented: <%s>\n", c.source)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// strip returns the first delays; a random delay is an interval.
func strip(f figures) string {
	var delays []string
	for i, d := range f.bounds {
		if i == 8 {
			delays = append(delays, "…")
			break
		}
		if d.Min == d.Max {
			delays = append(delays, short(d.Min))
		} else {
			delays = append(delays, short(d.Min)+"–"+short(d.Max))
		}
	}
	return strings.Join(delays, " → ")
}

// warnings returns the warnings of the plan. Neighbours that differ only in the
// retry, the delay and the sampling error of the share are joined.
func warnings(f figures) []string {
	type warned struct {
		first, last, text, general string
		share                      int
	}
	var all []warned
	for _, warning := range f.plan.Warnings() {
		w := warning.String()
		retry, text, ok := strings.Cut(strings.TrimPrefix(w, "retry "), ": ")
		if !ok || !strings.HasPrefix(w, "retry ") {
			all = append(all, warned{text: w})
			continue
		}
		s := warned{first: retry, last: retry, text: text}
		s.general = exactly.ReplaceAllString(text, "the same delay")
		if m := leadingShare.FindString(s.general); m != "" {
			s.share, _ = strconv.Atoi(strings.TrimSuffix(m, " %"))
			s.general = strings.TrimPrefix(s.general, m)
		}
		n := len(all)
		if n == 0 || all[n-1].general != s.general || max(s.share-all[n-1].share, all[n-1].share-s.share) > 1 {
			all = append(all, s)
			continue
		}
		before := &all[n-1]
		before.last = retry
		if before.text != s.text {
			before.text = leadingShare.FindString(before.text) + s.general
		}
	}
	var lines []string
	for _, s := range all {
		switch {
		case s.first == "":
			lines = append(lines, s.text)
		case s.first == s.last:
			lines = append(lines, fmt.Sprintf("retry %s: %s", s.first, s.text))
		default:
			lines = append(lines, fmt.Sprintf("retries %s to %s: %s", s.first, s.last, s.text))
		}
	}
	return lines
}

var (
	exactly      = regexp.MustCompile(`exactly [^ :]+`)
	leadingShare = regexp.MustCompile(`^[0-9]+ %`)
)

// anchor returns the name of a heading in a link.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}
