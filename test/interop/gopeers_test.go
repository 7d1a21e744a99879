package interop_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// peerVariable has this program be a peer, of the software that it names.
const peerVariable = "HOLDGATE_INTEROP_PEER"

func TestMain(m *testing.M) {
	name := os.Getenv(peerVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := bePeer(name, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inGo is a peer in Go.
func inGo(t *testing.T, software, address, lock string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, address, lock)
	cmd.Env = append(os.Environ(), peerVariable+"="+software)
	return cmd
}

// locker is a lock of other software.
type locker interface {
	lock(ctx context.Context) error
	unlock(ctx context.Context) error
}

func newLocker(software, address, lock string) (locker, error) {
	switch software {
	case "concurrency":
		return newConcurrency(address, lock)
	case "go-zookeeper":
		return newGoZooKeeper(address, lock)
	case "ephemeral":
		return newEphemeral(address, lock)
	case "redsync":
		return newRedsync(address, lock), nil
	case "redislock":
		return newRedislock(address, lock), nil
	}
	return nil, fmt.Errorf("no software is called %q", software)
}

// bePeer takes orders until there are no more.
func bePeer(software, address, lock string) error {
	l, err := newLocker(software, address, lock)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	ctx := context.Background()
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		answer, err := obey(ctx, l, orders.Text())
		if err != nil {
			return err
		}
		fmt.Println(answer)
	}
	return nil
}

func obey(ctx context.Context, l locker, line string) (answer string, err error) {
	order, what, _ := strings.Cut(line, " ")
	switch order {
	case "lock":
		return "locked", l.lock(ctx)
	case "unlock":
		return "unlocked", l.unlock(ctx)
	}
	var n int
	var file counter
	if _, err := fmt.Sscan(what, &n, (*string)(&file)); err != nil {
		return "", err
	}
	for range n {
		if order == "count" {
			err = lockedStep(ctx, l, file)
			time.Sleep(theirRest)
		} else {
			_, err = file.step()
		}
		if err != nil {
			return "", err
		}
	}
	return "counted", nil
}

func lockedStep(ctx context.Context, l locker, file counter) error {
	if err := l.lock(ctx); err != nil {
		return err
	}
	if _, err := file.step(); err != nil {
		return err
	}
	return l.unlock(ctx)
}
