// Command release tags a version of the library and of the command line. In the repository:
//
//	GOWORK=off go -C tools run ./release v0.1.0
//
// The tag of the library, v0.1.0, is at HEAD. The command line is a module of its own. Its
// go.mod replaces the library with the folder beside it, so that a clone builds, but go
// install of a version refuses a replace directive. The tag of the command line,
// cmd/backoff/v0.1.0, is therefore at a new commit beside the branch, whose go.mod requires
// the library at v0.1.0. The branch, the index and the files stay as they are.
//
// Both modules are built before anything is tagged, from the same files that a user
// downloads. Release does not run tests: .ci/run does.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

const (
	library = "example.com/backoff"
	nested  = "cmd/backoff" // the folder of the command line, and the prefix of its tags
	command = library + "/" + nested
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "release: want one argument, a version such as v0.1.0")
		os.Exit(2)
	}
	if err := release(".", os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release tags HEAD of the repository that dir is in, and writes what is to be pushed.
func release(dir, version string, out io.Writer) error {
	tags := []string{version, nested + "/" + version}
	if err := check(dir, version, tags); err != nil {
		return err
	}
	root, err := run(dir, nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	// Once: HEAD may move during the builds, and what is tagged is what was built.
	head, err := run(root, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	r := releaser{
		repository: root, head: head, version: version,
		tree: filepath.Join(temp, "tree"), proxy: filepath.Join(temp, "proxy"),
		index: []string{"GIT_INDEX_FILE=" + filepath.Join(temp, "index")},
	}
	if r.building, err = goEnvironment(r.proxy, filepath.Join(temp, "modules")); err != nil {
		return err
	}
	commit, err := r.prepare()
	if err != nil {
		return err
	}
	// In one transaction: both tags or none.
	create := fmt.Sprintf("create refs/tags/%s %s\ncreate refs/tags/%s %s\n", tags[0], head, tags[1], commit)
	if _, err := runWith(strings.NewReader(create), root, nil, "git", "update-ref", "--stdin"); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is %s\n%s is %s\nPublish them with\n\n    git push origin %s %s\n",
		tags[0], head, tags[1], commit, tags[0], tags[1])
	return err
}

// check returns an error if the version is not one, or the repository is not ready for it.
func check(dir, version string, tags []string) error {
	major := semver.Major(version)
	switch {
	case semver.Canonical(version) != version || version == "" || module.IsPseudoVersion(version):
		return fmt.Errorf("the version is %q, want one such as v0.1.0 or v0.1.0-rc.1", version)
	case major != "v0" && major != "v1":
		return fmt.Errorf("the version is %s, want v0 or v1: the path of a module has to end in /%s", version, major)
	}
	changes, err := run(dir, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the worktree has changes, want them committed or gone:\n%s", changes)
	}
	for _, tag := range tags {
		if _, err := run(dir, nil, "git", "rev-parse", "--quiet", "--verify", "refs/tags/"+tag); err == nil {
			return fmt.Errorf("the tag %s exists", tag)
		}
	}
	return nil
}

// A releaser has what prepare works with.
type releaser struct {
	repository, version string
	head                string   // the commit to tag
	tree                string   // its files, in a folder that is removed at the end
	proxy               string   // a module proxy that has the new version
	index               []string // the environment in which git uses an index other than the user's
	building            []string // the environment in which go uses the proxy
}

// prepare makes the commit of the command line, and builds both modules.
func (r *releaser) prepare() (commit string, err error) {
	if _, err := run(r.repository, r.index, "git", "read-tree", r.head); err != nil {
		return "", err
	}
	if _, err := run(r.repository, r.index, "git", "checkout-index", "--all", "--prefix="+r.tree+"/"); err != nil {
		return "", err
	}
	if err := publish(r.proxy, module.Version{Path: library, Version: r.version}, r.tree); err != nil {
		return "", err
	}
	folder := filepath.Join(r.tree, nested)
	for _, step := range []struct {
		dir  string
		args []string
	}{
		{r.tree, []string{"build", "./..."}},
		{folder, []string{"mod", "edit", "-dropreplace=" + library, "-require=" + library + "@" + r.version}},
		{folder, []string{"get", library}}, // for go.sum
		{folder, []string{"build", "./..."}},
	} {
		if _, err := run(step.dir, r.building, "go", step.args...); err != nil {
			return "", err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		blob, err := run(r.repository, nil, "git", "hash-object", "-w", filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		if _, err := run(r.repository, r.index, "git", "update-index", "--cacheinfo", "100644,"+blob+","+nested+"/"+name); err != nil {
			return "", err
		}
	}
	tree, err := run(r.repository, r.index, "git", "write-tree")
	if err != nil {
		return "", err
	}
	return run(r.repository, nil, "git", "commit-tree", tree, "-p", r.head, "-m", nested+": "+r.version)
}

// publish adds the files of a module to a proxy that is a folder, as GOPROXY=file:// reads
// it. Modules below dir are not part of it.
func publish(proxy string, m module.Version, dir string) (err error) {
	at := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, m, dir); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		m.Version + ".info": fmt.Appendf(nil, "{%q: %q}\n", "Version", m.Version),
		m.Version + ".mod":  mod,
		m.Version + ".zip":  archive.Bytes(),
		"list":              []byte(m.Version + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(at, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// goEnvironment returns an environment in which go has an empty module cache, takes our
// modules from the proxy, and others from the user's module cache if they are there.
func goEnvironment(proxy, modules string) ([]string, error) {
	user, err := run("", nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, others, _ := strings.Cut(user, "\n")
	return []string{
		"GOWORK=off",
		"GOFLAGS=-trimpath -modcacherw", // the same build everywhere, in folders that can be removed
		"GOMODCACHE=" + modules,
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")) + "," + others,
		"GOPRIVATE=", "GONOPROXY=none", "GONOSUMDB=" + library,
	}, nil
}

func run(dir string, env []string, name string, args ...string) (string, error) {
	return runWith(nil, dir, env, name, args...)
}

// runWith runs a command and returns what it prints, or an error that has what it says on
// standard error.
func runWith(stdin io.Reader, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(os.Environ(), env...), stdin
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
