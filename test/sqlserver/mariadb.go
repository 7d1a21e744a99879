package sqlserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// MariaDB starts a MariaDB that ends with the test, with a database test, and returns the data
// source name for Go's driver. It begins with an empty directory, and so knows no users: to
// set one up takes ten times as long.
func MariaDB(tb testing.TB) string {
	tb.Helper()
	mariadbd := program(tb, "mariadbd", "mariadb-server-core", "/usr/sbin", "/usr/libexec")
	dir := shortDir(tb)
	if err := os.MkdirAll(filepath.Join(dir, "data", "test"), 0o700); err != nil { // a database is a directory
		tb.Fatal(err)
	}
	address := start(tb, "mariadbd", "ready for connections", func(host, port string) *exec.Cmd {
		args := []string{
			"--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--tmpdir=" + dir,
			"--socket=" + filepath.Join(dir, "socket"), "--pid-file=" + filepath.Join(dir, "pid"),
			"--bind-address=" + host, "--port=" + port, "--skip-grant-tables", "--skip-log-bin",
			"--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0",
		}
		if os.Getuid() == 0 {
			args = append(args, "--user=root")
		}
		cmd := exec.Command(mariadbd, args...)
		cmd.Dir = dir
		return cmd
	})
	return "root@tcp(" + address + ")/test"
}
