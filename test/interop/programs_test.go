package interop_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// python is Debian's, which sees Debian's packages.
const python = "/usr/bin/python3"

// script is a peer in a shell.
func script(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.Command(need(t, "bash", "bash"), append([]string{filepath.Join("testdata", name)}, args...)...)
}

// inPython is a peer that needs a package of Python's.
func inPython(t *testing.T, module, name string, args ...string) *exec.Cmd {
	t.Helper()
	if err := exec.Command(python, "-c", "import "+module).Run(); err != nil {
		missing(t, "python3-"+module, fmt.Errorf("%s imports no %s: %w", python, module, err))
	}
	cmd := exec.Command(python, append([]string{filepath.Join("testdata", name)}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// inJava is a peer that needs Curator.
func inJava(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	java := need(t, "java", "default-jre-headless")
	var class []string
	for _, jar := range []string{
		"curator-recipes", "curator-framework", "curator-client", "zookeeper", "zookeeper-jute", "guava", "slf4j-api",
	} {
		class = append(class, "/usr/share/java/"+jar+".jar")
	}
	if _, err := os.Stat(class[0]); err != nil {
		missing(t, "libcurator-recipes-java", err)
	}
	return exec.Command(java, append([]string{
		"-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", strings.Join(class, ":"), filepath.Join("testdata", name),
	}, args...)...)
}

// inNode is a peer that needs the packages of testdata/package-lock.json.
func inNode(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(need(t, "node", "nodejs"), append([]string{filepath.Join("testdata", name)}, args...)...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(nodePackages(t), "node_modules"))
	return cmd
}

// nodePackages has npm install them, where they are not yet, below bin/ at the top of the
// repository. Processes that do so at the same time wait for each other.
func nodePackages(t *testing.T) string {
	t.Helper()
	npm := need(t, "npm", "npm")
	dir, err := filepath.Abs("../../bin/interop")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if installed(dir) {
		return dir
	}
	// The list of what is wanted goes last: it says that all of it is there.
	for _, list := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", list))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, list), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		_ = os.Remove(filepath.Join(dir, "package-lock.json")) // the next test tries again
		missing(t, "npm", fmt.Errorf("npm ci: %w: %s", err, out))
	}
	return dir
}

// installed reports whether these very packages are there.
func installed(dir string) bool {
	want, err := os.ReadFile("testdata/package-lock.json")
	if err != nil {
		return false
	}
	have, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil || string(have) != string(want) {
		return false
	}
	_, err = fs.Stat(os.DirFS(dir), "node_modules/etcd3/package.json")
	return err == nil
}

// need returns the path of a program that one of Debian's packages brings.
func need(t *testing.T, program, from string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		missing(t, from, err)
	}
	return path
}

// missing ends a test that lacks what a package of Debian's brings.
func missing(t *testing.T, from string, err error) {
	t.Helper()
	if os.Getenv("HOLDGATE_REQUIRE_STORES") == "1" {
		t.Fatalf("Debian's %s is missing: %v", from, err)
	}
	t.Skipf("Debian's %s is missing: %v", from, err)
}
