package zkserver

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// jars are where Debian's packages put ZooKeeper and what it logs with.
func jars() []string {
	return []string{
		"/usr/share/java/zookeeper.jar",
		"/usr/share/java/slf4j-log4j12.jar",
		"/usr/share/java/log4j-1.2.jar",
	}
}

// secureJars are what it needs besides to serve TLS.
func secureJars() []string {
	return []string{"/usr/share/java/netty-all.jar", "/usr/share/java/netty-codec.jar", "/usr/share/java/netty-resolver.jar"}
}

// command is the command of a server, but for its configuration.
func command(tb testing.TB, confDir string, options ...string) []string {
	tb.Helper()
	java, err := exec.LookPath("java")
	missing := "java"
	for _, jar := range jars() {
		if err == nil {
			_, err = os.Stat(jar)
			missing = jar
		}
	}
	switch {
	case err == nil:
	case os.Getenv("HOLDGATE_REQUIRE_STORES") == "1":
		tb.Fatalf("%s is missing: install Debian's zookeeper and default-jre-headless", missing)
	default:
		tb.Skipf("%s is missing: install Debian's zookeeper and default-jre-headless", missing)
	}
	class := strings.Join(append(append([]string{confDir}, jars()...), secureJars()...), ":")
	args := append([]string{
		java, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		// No test pulls the plug, so that nothing has to be on the disk.
		"-Dzookeeper.forceSync=no",
		// Who has voted, and hears nothing, votes again. By default the pause grows up to a
		// minute, while others take their time to start on a machine that is busy.
		"-Dzookeeper.fastleader.maxNotificationInterval=1000",
	}, options...)
	return append(args, "-cp", class, "org.apache.zookeeper.server.quorum.QuorumPeerMain")
}
