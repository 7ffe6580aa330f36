package cli

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "05cff13"}
	for _, test := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.1.0", nil, "backoff v0.1.0 (go1.26.0)"},
		{"(devel)", nil, "backoff (devel) (go1.26.0)"},
		{"", nil, "backoff (devel) (go1.26.0)"},
		{"v0.1.0", []debug.BuildSetting{{Key: "-compiler", Value: "gc"}, revision, {Key: "vcs.modified", Value: "false"}}, "backoff v0.1.0 (revision 05cff13, go1.26.0)"},
		{"(devel)", []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "true"}}, "backoff (devel) (revision 05cff13, go1.26.0)"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: test.version}, Settings: test.settings}
		if got := version(info); got != test.want {
			t.Errorf("%s, %v: %q, want %q", test.version, test.settings, got, test.want)
		}
	}
}
