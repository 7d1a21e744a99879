package etcd_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// lockedBy waits in line for a lock in the background, and returns where the outcome
// comes.
func lockedBy(t *testing.T, ses driver.Session, p driver.Place) <-chan error {
	t.Helper()
	outcome := make(chan error, 1)
	// Ends with the grant, or with the test.
	go func() {
		var err error
		for err == nil && !p.Granted {
			p, err = ses.Wait(t.Context(), p)
		}
		outcome <- err
	}()
	return outcome
}

func within(t *testing.T, outcome <-chan error, what string) {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	select {
	case err := <-outcome:
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	case <-limit.C:
		t.Fatalf("%s: nothing happened for 20 s", what)
	}
}

func notYet(t *testing.T, outcome <-chan error, what string) {
	t.Helper()
	select {
	case err := <-outcome:
		t.Fatalf("%s: over too early, error %v", what, err)
	default:
	}
}

func enter(t *testing.T, ses driver.Session, c driver.Claim) driver.Place {
	t.Helper()
	p, err := ses.Enter(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func leave(t *testing.T, ses driver.Session, p driver.Place) {
	t.Helper()
	if err := ses.Leave(t.Context(), p.Line, p.ID); err != nil {
		t.Fatal(err)
	}
}

func line(t *testing.T, d driver.Driver, name string) []driver.Place {
	t.Helper()
	l, err := d.Line(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return l.Places
}

// S48, with the lock of etcd's own Go library under the same name.
func TestConcurrencyMutexAndOursExcludeEachOther(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	d := newDriver(t, cluster, nil)
	ses := openSession(t, d, time.Minute)
	theirs, err := concurrency.NewSession(cluster.Client(t))
	if err != nil {
		t.Fatal(err)
	}
	mutexOfTheirs := concurrency.NewMutex(theirs, "/holdgate/orders")

	if err := mutexOfTheirs.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if places := line(t, d, "orders"); len(places) != 1 || !places[0].Foreign || !places[0].Granted || places[0].Order == 0 {
		t.Fatalf("the line shows their lock as %+v", places)
	}
	mine := enter(t, ses, mutex("orders"))
	if mine.Granted {
		t.Fatal("granted, while they hold")
	}
	if _, err := ses.Enter(t.Context(), driver.Claim{
		Line: "orders", ID: mutex("").ID, Kind: driver.KindMutex, Capacity: 1, Units: 1, Try: true,
	}); !errors.Is(err, driver.ErrBusy) {
		t.Fatalf("a try while they hold: got the error %v, want busy", err)
	}
	granted := lockedBy(t, ses, mine)
	notYet(t, granted, "waiting for their lock")
	if err := mutexOfTheirs.Unlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	within(t, granted, "waiting for their lock")

	took := make(chan error, 1)
	// Ends with the lock, or with the test.
	go func() { took <- mutexOfTheirs.Lock(t.Context()) }()
	awaitLine(t, d, "orders", 2)
	notYet(t, took, "their waiting for our lock")
	leave(t, ses, mine)
	within(t, took, "their waiting for our lock")
	if places := line(t, d, "orders"); len(places) != 1 || !places[0].Foreign {
		t.Errorf("after they took over the line shows %+v", places)
	}
}

// awaitLine waits until a line has so many places.
func awaitLine(t *testing.T, d driver.Driver, name string, places int) {
	t.Helper()
	for s, err := range d.Watch(t.Context(), driver.Query{Name: name}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Lines) == 1 && len(s.Lines[0].Places) == places || len(s.Lines) == 0 && places == 0 {
			return
		}
	}
}

// etcdctlLock runs `etcdctl lock NAME` and returns where it says that it has the lock, and
// how to make it let go.
func etcdctlLock(t *testing.T, cluster *etcdserver.Cluster, name string) (held <-chan error, release func()) {
	t.Helper()
	cmd := exec.Command(etcdserver.Ctl(t), "--endpoints", strings.Join(cluster.Endpoints(), ","), "lock", name)
	cmd.Env = append(os.Environ(), "ETCDCTL_API=3")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, ended := make(chan error, 1), make(chan struct{})
	// Ends with the process, which is killed with the test.
	go func() {
		defer close(ended)
		_, err := bufio.NewReader(out).ReadString('\n') // the key that it holds by
		said <- err
		_ = cmd.Wait()
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	return said, func() {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEtcdctlLockAndOursExcludeEachOther(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	for _, c := range []struct {
		name       string
		options    *etcddriver.Options
		ours, path string
	}{
		{"escaped", nil, "orders", "/holdgate/orders"},
		{"verbatim", &etcddriver.Options{Verbatim: true}, "/locks/orders", "/locks/orders"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, cluster, c.options)
			ses := openSession(t, d, time.Minute)
			held, release := etcdctlLock(t, cluster, c.path)
			within(t, held, "etcdctl lock")
			mine := enter(t, ses, mutex(c.ours))
			if mine.Granted {
				t.Fatal("granted, while etcdctl holds")
			}
			granted := lockedBy(t, ses, mine)
			notYet(t, granted, "waiting for etcdctl")
			release()
			within(t, granted, "waiting for etcdctl")

			held, release = etcdctlLock(t, cluster, c.path)
			awaitLine(t, d, c.ours, 2)
			notYet(t, held, "etcdctl waiting for us")
			leave(t, ses, mine)
			within(t, held, "etcdctl waiting for us")
			release()
			awaitLine(t, d, c.ours, 0)
		})
	}
}

func TestVerbatimNames(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	d := newDriver(t, cluster, &etcddriver.Options{Verbatim: true})
	ses, other := openSession(t, d, time.Minute), openSession(t, d, time.Minute)
	orders := enter(t, ses, mutex("/locks/orders"))
	enter(t, ses, mutex("/locks/invoices"))
	waiting := enter(t, other, mutex("/locks/orders"))
	if !orders.Granted || waiting.Granted {
		t.Errorf("the first is granted: %v, the second: %v", orders.Granted, waiting.Granted)
	}

	// A name above others is no line, whoever asks, and is not left behind.
	for _, c := range []driver.Claim{mutex("/locks"), func() driver.Claim { c := mutex("/locks"); c.Try = true; return c }()} {
		_, err := ses.Enter(t.Context(), c)
		if !errors.Is(err, driver.ErrInvalid) && !errors.Is(err, driver.ErrBusy) {
			t.Errorf("Enter of a name above others: got the error %v", err)
		}
		for _, p := range line(t, d, "/locks") {
			if p.ID == c.ID {
				t.Error("the claim that was refused stands")
			}
		}
	}
	var names []string
	for s, err := range d.Watch(t.Context(), driver.Query{Name: "/locks/", Prefix: true, Once: true}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range s.Lines {
			names = append(names, l.Name)
		}
	}
	if got := strings.Join(names, " "); got != "/locks/invoices /locks/orders" {
		t.Errorf("listed %q", got)
	}
	if places, err := ses.Present(t.Context()); err != nil || len(places) != 2 {
		t.Errorf("Present: got %+v, error %v, want two places", places, err)
	}
	granted := lockedBy(t, other, waiting)
	leave(t, ses, orders)
	within(t, granted, "the second")
}
