package retryafter_test

import (
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/backoff"
	"example.com/backoff/internal/retryafter"
)

const s = time.Second

// now is a Saturday.
var now = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	const never = time.Duration(0)
	for _, row := range []struct {
		after, date string
		want        time.Duration // at least, and for a date up to a second more
	}{
		{after: "0", want: 0},
		{after: "1", want: s},
		{after: "120", want: 120 * s},
		{after: "00120", want: 120 * s},
		{after: " 120\t", want: 120 * s},
		{after: "31536000", want: 365 * 24 * time.Hour},
		{after: "9223372036", want: 9223372036 * s},
		{after: "9223372037", want: backoff.NoLimit},
		{after: "10000000000", want: backoff.NoLimit},
		{after: "9223372036854775807", want: backoff.NoLimit},
		{after: "18446744073709551617", want: backoff.NoLimit}, // 2⁶⁴+1
		{after: strings.Repeat("9", 1000), want: backoff.NoLimit},
		{after: strings.Repeat("0", 1000) + "1", want: s},
		{after: "", want: never},
		{after: " ", want: never},
		{after: "-1", want: never},
		{after: "+1", want: never},
		{after: "1.5", want: never},
		{after: "1e3", want: never},
		{after: "0x10", want: never},
		{after: "1 2", want: never},
		{after: "120, 60", want: never},
		{after: "120:", want: never},
		{after: "120/", want: never},
		{after: "120s", want: never},
		{after: "soon", want: never},
		{after: "٣", want: never}, // a digit, and not of ASCII

		{after: "Sat, 01 Jan 2000 00:00:30 GMT", want: 30 * s},
		{after: "\tSat, 01 Jan 2000 00:00:30 GMT ", want: 30 * s},
		{after: "Saturday, 01-Jan-00 00:00:30 GMT", want: 30 * s},
		{after: "Sat Jan  1 00:00:30 2000", want: 30 * s},
		{after: "Sun, 01 Jan 2000 00:00:30 GMT", want: 30 * s}, // the day's name is not verified
		{after: "Sat, 01 Jan 2000 00:00:01 GMT", want: s},
		{after: "Sat, 01 Jan 2000 00:00:00 GMT", want: never},
		{after: "Fri, 31 Dec 1999 23:59:59 GMT", want: never},
		{after: "Mon, 01 Jan 0001 00:00:00 GMT", want: never},
		{after: "Fri, 31 Dec 9999 23:59:59 GMT", want: backoff.NoLimit},
		{after: "Sat, 01 Jan 2000 00:00:30 UTC", want: never},
		{after: "Sat, 01 Jan 2000 00:00:30 +0000", want: never},
		{after: "Sat, 1 Jan 2000 00:00:30 GMT", want: never},
		{after: "sat, 01 jan 2000 00:00:30 GMT", want: 30 * s},
		{after: "Sat, 01 Jan 2000 00:00:60 GMT", want: never},
		{after: "2000-01-01T00:00:30Z", want: never},

		// The server's clock is an hour ahead.
		{after: "Sat, 01 Jan 2000 01:00:30 GMT", date: "Sat, 01 Jan 2000 01:00:00 GMT", want: 30 * s},
		{after: "Sat Jan  1 01:00:30 2000", date: "Saturday, 01-Jan-00 01:00:00 GMT", want: 30 * s},
		{after: "Sat, 01 Jan 2000 01:00:30 GMT", date: " Sat, 01 Jan 2000 01:00:00 GMT\t", want: 30 * s},
		{after: "Sat, 01 Jan 2000 00:00:30 GMT", date: "Sat, 01 Jan 2000 01:00:00 GMT", want: never},
		{after: "Fri, 31 Dec 9999 23:59:59 GMT", date: "Mon, 01 Jan 0001 00:00:00 GMT", want: backoff.NoLimit},
		{after: "Mon, 01 Jan 0001 00:00:00 GMT", date: "Fri, 31 Dec 9999 23:59:59 GMT", want: never},
		{after: "Sat, 01 Jan 2000 00:00:30 GMT", date: "now", want: 30 * s},
		{after: "120", date: "Sat, 01 Jan 2000 01:00:00 GMT", want: 120 * s},
		{after: "", date: "Sat, 01 Jan 2000 01:00:00 GMT", want: never},
	} {
		got := retryafter.Parse(header(row.after, row.date), now)
		most := row.want
		if strings.Contains(row.after, ":") && row.want > 0 {
			most += min(s-1, backoff.NoLimit-row.want)
		}
		if got < row.want || got > most {
			t.Errorf("Retry-After %.40q at Date %q asks for %v, want %v to %v", row.after, row.date, got, row.want, most)
		}
	}
}

// header returns a header with these fields, and without Date if date is empty.
func header(after, date string) http.Header {
	h := http.Header{"Retry-After": {after}}
	if date != "" {
		h["Date"] = []string{date}
	}
	return h
}

// The first value counts, as for Get of http.Header.
func TestParseValues(t *testing.T) {
	for _, row := range []struct {
		header http.Header
		want   time.Duration
	}{
		{nil, 0},
		{http.Header{}, 0},
		{http.Header{"Retry-After": nil}, 0},
		{http.Header{"Retry-After": {}}, 0},
		{http.Header{"Retry-After": {"3", "5"}}, 3 * s},
		{http.Header{"Retry-After": {"soon", "5"}}, 0},
		{http.Header{"retry-after": {"3"}}, 0}, // not canonical, which a received header is
	} {
		if got := retryafter.Parse(row.header, now); got != row.want {
			t.Errorf("%v asks for %v, want %v", row.header, got, row.want)
		}
	}
}

// Clients that a date sends to one second do not come back together. Of 100 draws from
// 10⁹ values two are alike once in 200,000 runs, three pairs less than once in 10¹⁶.
func TestDatesSpread(t *testing.T) {
	const clients = 100
	seen := map[time.Duration]bool{}
	shortest, longest := backoff.NoLimit, time.Duration(0)
	for range clients {
		d := retryafter.Parse(header("Sat, 01 Jan 2000 00:00:30 GMT", ""), now)
		seen[d] = true
		shortest, longest = min(shortest, d), max(longest, d)
	}
	// Each fails once in 10¹² runs: 0.75¹⁰⁰.
	if shortest > 30*s+s/4 || longest < 30*s+3*s/4 {
		t.Errorf("%d clients wait for %v to %v, want 30s to 31s", clients, shortest, longest)
	}
	if len(seen) < clients-2 {
		t.Errorf("%d clients wait for %d different delays", clients, len(seen))
	}
}

// agree fails unless Parse returns what the functions of net/http and math/big say.
func agree(t rapid.TB, after, date string) {
	t.Helper()
	got := retryafter.Parse(header(after, date), now)
	lo, hi := expected(strings.TrimSpace(after), strings.TrimSpace(date))
	if got < lo || got > hi || got < 0 {
		t.Fatalf("Retry-After %q at Date %q asks for %v, want %v to %v", after, date, got, lo, hi)
	}
}

// expected returns the shortest and the longest wait that Parse may return.
func expected(after, date string) (lo, hi time.Duration) {
	if after != "" && strings.Trim(after, "0123456789") == "" {
		ns, _ := new(big.Int).SetString(after, 10)
		ns.Mul(ns, big.NewInt(int64(s)))
		if ns.Cmp(big.NewInt(int64(backoff.NoLimit))) > 0 {
			return backoff.NoLimit, backoff.NoLimit
		}
		return time.Duration(ns.Int64()), time.Duration(ns.Int64())
	}
	until, err := http.ParseTime(after)
	if err != nil {
		return 0, 0
	}
	from, err := http.ParseTime(date)
	if err != nil {
		from = now
	}
	if !until.After(from) {
		return 0, 0
	}
	lo = until.Sub(from)
	return lo, lo + min(s-1, backoff.NoLimit-lo)
}

// dates draws a date in one of the formats of HTTP, or one like them.
var dates = rapid.Custom(func(t *rapid.T) string {
	when := time.Unix(rapid.OneOf(
		rapid.Int64Range(now.Unix()-100, now.Unix()+100),
		rapid.Int64Range(-62135596800, 253402300799), // the years 1 to 9999
	).Draw(t, "seconds"), 0).UTC()
	return when.Format(rapid.SampledFrom([]string{
		http.TimeFormat, time.RFC850, time.ANSIC,
		time.RFC1123, time.RFC1123Z, time.RFC822, time.UnixDate, time.RubyDate, time.RFC3339, time.DateTime,
		"Mon, 02 Jan 2006 15:04:05 PST", "Monday, 02-Jan-06 15:04:05 PST", "Monday, 02-Jan-06 15:04:05 GMT+2",
		"Mon, 02 Jan 2006 15:04:05.999 GMT", "Mon, 02 Jan 2006 15:04 GMT", " Mon Jan _2 15:04:05 2006\t",
	}).Draw(t, "format"))
})

// texts draws the value of a field.
var texts = rapid.OneOf(
	dates,
	rapid.StringMatching(`[0-9]{0,25}`),
	rapid.StringMatching(`[ \t]?[-+]?[0-9]{1,12}[.,esm ]?[0-9]?[ \t]?`),
	rapid.String(),
	rapid.Custom(func(t *rapid.T) string { // a date with one byte changed
		text := []byte(dates.Draw(t, "date"))
		text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		return string(text)
	}),
)

func TestParseAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, texts.Draw(t, "after"), texts.Draw(t, "date")) })
}

func FuzzParse(f *testing.F) {
	for _, after := range []string{
		"", "0", "120", " 3", "9223372037", "10000000000", "-5", "1e9",
		"Sat, 01 Jan 2000 00:00:30 GMT", "Saturday, 01-Jan-00 00:00:30 GMT", "Sat Jan  1 00:00:30 2000", "Fri, 31 Dec 9999 23:59:59 GMT",
	} {
		f.Add(after, "")
		f.Add(after, "Sat, 01 Jan 2000 00:00:00 GMT")
		f.Add(after, "Mon, 01 Jan 0001 00:00:00 GMT")
	}
	f.Fuzz(func(t *testing.T, after, date string) { agree(t, after, date) })
}
