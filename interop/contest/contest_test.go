package contest

import (
	"errors"
	"os"
	"testing"
	"time"

	"example.com/backoff"
)

// TestAudit: the audit finds a lost update and one that was done twice.
func TestAudit(t *testing.T) {
	ctx := t.Context()
	c, err := Open(ctx, Settings{Database: "sqlite", Mode: NoWait, Workers: 2, Transactions: 3})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Round(ctx, backoff.FullJitter(time.Millisecond, time.Second))
	if err != nil || r.Err != nil || r.Committed != 6 {
		t.Fatalf("the round came to %+v and %v, want 6 committed", r, err)
	}
	stopped := errors.New("stopped")
	for _, tt := range []struct {
		committed int
		err       error
		ok        bool
	}{
		{6, nil, true},
		{7, nil, false},
		{5, nil, false},
		{5, stopped, true}, // the commit that was stopped may have taken place
		{7, stopped, false},
	} {
		err := c.audit(ctx, Result{Committed: tt.committed, Err: tt.err})
		if (err == nil) != tt.ok {
			t.Errorf("6 counted, %d committed, error %v: the audit returns %v", tt.committed, tt.err, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseLeavesNothing: Close removes the temporary file.
func TestCloseLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	c, err := Open(t.Context(), Settings{Database: "sqlite", Mode: Conflict, Workers: 1, Transactions: 1})
	if err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("an open contest has %d files in the temporary directory, want 1", len(files))
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("a closed contest has left %v", files)
	}
}
