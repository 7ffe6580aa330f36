package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/module"
)

const version = "v0.1.0"

// git runs git in a repository.
func git(t *testing.T, dir string, args ...string) (stdout string) {
	t.Helper()
	out, err := run(dir, nil, "git", args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// write writes a file of a repository.
func write(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// repository returns a repository of one commit, with the files of this one as they are now.
func repository(t *testing.T) (dir string) {
	t.Helper()
	here := git(t, "", "rev-parse", "--show-toplevel")
	dir = t.TempDir()
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	for name := range strings.SplitSeq(git(t, here, "ls-files", "--cached", "--others", "--exclude-standard", "-z"), "\x00") {
		if text, err := os.ReadFile(filepath.Join(here, name)); err == nil { // it may have been removed
			write(t, string(text), dir, name)
		}
	}
	commit(t, dir)
	return dir
}

func TestMain(m *testing.M) {
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		os.Setenv(name, "test@example.com")
	}
	os.Exit(m.Run())
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "a commit")
}

// state is what release must not change.
func state(t *testing.T, dir string) string {
	t.Helper()
	return git(t, dir, "symbolic-ref", "HEAD") + "\n" + git(t, dir, "for-each-ref", "refs/heads") + "\n" + git(t, dir, "status", "--porcelain") + "\n" + git(t, dir, "ls-files", "--stage")
}

func TestRefuses(t *testing.T) {
	const undefined = "package main\n\nvar _ = undefined\n"
	base := repository(t)
	for name, test := range map[string]struct {
		version string
		change  func(t *testing.T, dir string)
		want    string
	}{
		"no version":     {"", nil, `the version is "", want one such as v0.1.0 or v0.1.0-rc.1`},
		"no v":           {"0.1.0", nil, `the version is "0.1.0", want one such as`},
		"two numbers":    {"v0.1", nil, `the version is "v0.1", want one such as`},
		"metadata":       {"v0.1.0+meta", nil, `the version is "v0.1.0+meta", want one such as`},
		"pseudo-version": {"v0.1.1-0.20261122092756-05cff1393ab2", nil, `the version is "v0.1.1-0.20261122092756-05cff1393ab2", want one such as`},
		"v2":             {"v2.0.0", nil, "the version is v2.0.0, want v0 or v1: the path of a module has to end in /v2"},
		"changed": {version, func(t *testing.T, dir string) {
			write(t, "changed\n", dir, "README.md")
		}, "the worktree has changes, want them committed or gone:\nM README.md"},
		"untracked": {version, func(t *testing.T, dir string) {
			write(t, "new\n", dir, "new.txt")
		}, "the worktree has changes, want them committed or gone:\n?? new.txt"},
		"a tag": {version, func(t *testing.T, dir string) {
			git(t, dir, "tag", version)
		}, "the tag v0.1.0 exists"},
		"the other tag": {version, func(t *testing.T, dir string) {
			git(t, dir, "tag", nested+"/"+version)
		}, "the tag cmd/backoff/v0.1.0 exists"},
		"no library": {version, func(t *testing.T, dir string) {
			write(t, strings.Replace(undefined, "main", "undefined", 1), dir, "undefined", "undefined.go")
			commit(t, dir)
		}, "undefined: undefined"},
		"no command": {version, func(t *testing.T, dir string) {
			write(t, undefined, dir, nested, "undefined.go")
			commit(t, dir)
		}, "undefined: undefined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git(t, dir, "clone", "--quiet", base, ".")
			if test.change != nil {
				test.change(t, dir)
			}
			before, tags := state(t, dir), git(t, dir, "tag")
			var out strings.Builder
			err := release(dir, test.version, &out)
			if err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
				t.Errorf("the error is %v, want %s; it prints %q", err, test.want, out.String())
			}
			if diff := cmp.Diff(before, state(t, dir)); diff != "" {
				t.Errorf("the repository has changed (-before +after):\n%s", diff)
			}
			if got := git(t, dir, "tag"); got != tags {
				t.Errorf("the tags are %q, want %q", got, tags)
			}
		})
	}
}

// A commit made during the builds is not built, and not tagged.
func TestCommitDuringTheBuilds(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	write(t, "module "+library+"\n\ngo 1.26\n", dir, "go.mod")
	write(t, "package backoff\n", dir, "backoff.go")
	write(t, "module "+command+"\n\ngo 1.26\n\nrequire "+library+" v0.0.0\n\nreplace "+library+" => ../..\n", dir, nested, "go.mod")
	write(t, "", dir, nested, "go.sum")
	write(t, "package main\n\nimport _ \""+library+"\"\n\nfunc main() {}\n", dir, nested, "main.go")
	commit(t, dir)
	built := git(t, dir, "rev-parse", "HEAD")
	// The hook runs when git has written an index, here that of release.
	const hook = "#!/bin/sh\ncase $GIT_INDEX_FILE in *release-*) git update-ref HEAD $(git commit-tree -p HEAD -m later HEAD^{tree}) ;; esac\n"
	write(t, hook, dir, ".git", "hooks", "post-index-change")
	if err := os.Chmod(filepath.Join(dir, ".git", "hooks", "post-index-change"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := release(dir, version, io.Discard); err != nil {
		t.Fatal(err)
	}
	if git(t, dir, "rev-parse", "HEAD") == built {
		t.Fatal("the hook made no commit")
	}
	if got, want := git(t, dir, "rev-parse", version, nested+"/"+version+"^"), built+"\n"+built; got != want {
		t.Errorf("the tagged commits are %q, want %q", got, want)
	}
}

// After the push that release prints, a user with an empty module cache can install the
// command, and import the library.
func TestInstall(t *testing.T) {
	dir := repository(t)
	before := state(t, dir)
	var out strings.Builder
	if err := release(filepath.Join(dir, "tools"), version, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, state(t, dir)); diff != "" {
		t.Errorf("the repository has changed (-before +after):\n%s", diff)
	}
	if got, want := git(t, dir, "diff", "--name-only", version, nested+"/"+version), "cmd/backoff/go.mod\ncmd/backoff/go.sum"; got != want {
		t.Errorf("the tags differ in %q, want %q", got, want)
	}
	if got, want := git(t, dir, "rev-parse", version, nested+"/"+version+"^"), git(t, dir, "rev-parse", "HEAD", "HEAD"); got != want {
		t.Errorf("the commits are %q, want %q", got, want)
	}

	remote := t.TempDir()
	git(t, remote, "init", "--quiet", "--bare")
	git(t, dir, "remote", "add", "origin", remote)
	_, push, found := strings.Cut(out.String(), "    git ")
	if !found {
		t.Fatalf("it prints %q, want how to push", out.String())
	}
	git(t, dir, append([]string{"push", "--quiet"}, strings.Fields(push)[1:]...)...)

	proxy := t.TempDir()
	for path, tag := range map[string]string{library: version, command: nested + "/" + version} {
		clone := t.TempDir()
		git(t, clone, "clone", "--quiet", "--branch", tag, remote, ".")
		if path == command {
			clone = filepath.Join(clone, nested)
		}
		if err := publish(proxy, module.Version{Path: path, Version: version}, clone); err != nil {
			t.Fatal(err)
		}
	}
	env, err := goEnvironment(proxy, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	// The modules of others are checked against go.sum elsewhere: see the commit of release.
	env = append(env, "GOSUMDB=off", "GOBIN="+bin)
	if _, err := run(t.TempDir(), env, "go", "install", command+"@"+version); err != nil {
		t.Fatal(err)
	}
	got, err := run("", nil, filepath.Join(bin, "backoff"), "--version")
	if want := "backoff v0.1.0 (" + runtime.Version() + ")"; err != nil || got != want {
		t.Errorf("--version prints %q (%v), want %q", got, err, want)
	}

	program := t.TempDir()
	write(t, "module example.org/program\n\ngo 1.26\n", program, "go.mod")
	write(t, `package main

import (
	"fmt"
	"time"

	"example.com/backoff"
)

func main() {
	for d := range backoff.Take(backoff.Exponential(time.Second, 2), 3) {
		fmt.Print(d, " ")
	}
}
`, program, "main.go")
	if _, err := run(program, env, "go", "get", library+"@"+version); err != nil {
		t.Fatal(err)
	}
	got, err = run(program, env, "go", "run", ".")
	if want := "1s 2s 4s"; err != nil || got != want {
		t.Errorf("the program prints %q (%v), want %q", got, err, want)
	}
}
