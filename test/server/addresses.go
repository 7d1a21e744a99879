package server

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// The ports of servers lie below those that the system hands out by itself, to connections
// and to whoever listens on any port (net.ipv4.ip_local_port_range begins at 32768). So
// nobody comes by one by chance, also while its server is down.
const (
	lowestPort  = 12_000
	highestPort = 31_999
)

// Addresses reserves addresses on the loopback interface that nobody listens on, until the
// test ends. Tests of all processes of this user that take theirs here have different ones.
func Addresses(tb testing.TB, n int) []string {
	tb.Helper()
	book, err := openBook()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { book.Close() })
	var addresses []string
	for _, i := range rand.Perm(highestPort - lowestPort + 1) {
		if len(addresses) == n {
			return addresses
		}
		port := lowestPort + i
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if reserve(book, port) && isFree(address) {
			addresses = append(addresses, address)
		}
	}
	tb.Fatalf("there are no %d free ports from %d to %d", n, lowestPort, highestPort)
	return nil
}

// WithAddresses starts something on so many addresses, and starts it again on others when
// one of them was in use: other programs do not look whether it is reserved.
func WithAddresses(tb testing.TB, n int, start func(addresses []string) error) {
	tb.Helper()
	const attempts = 5
	for attempt := 1; ; attempt++ {
		err := start(Addresses(tb, n))
		if err == nil {
			return
		}
		if attempt == attempts || !errors.Is(err, ErrInUse) {
			tb.Fatal(err)
		}
		tb.Logf("again, on other ports: %v", err)
	}
}

// openBook opens the file whose byte number p is locked while port p is reserved. The locks
// end with the file, and so with the process.
func openBook() (*os.File, error) {
	name := fmt.Sprintf("holdgate-test-ports-%d", os.Getuid())
	return os.OpenFile(filepath.Join(os.TempDir(), name), os.O_CREATE|os.O_RDWR, 0o600)
}

func reserve(book *os.File, port int) bool {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: int64(port), Len: 1}
	return unix.FcntlFlock(book.Fd(), unix.F_OFD_SETLK, &lock) == nil
}

func isFree(address string) bool {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	return l.Close() == nil
}
