package main

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// BenchmarkFilesFree takes a lock that nobody wants, and gives it back.
func BenchmarkFilesFree(b *testing.B) {
	free(b, newClient(b, openFiles(b, b.TempDir())))
}

// BenchmarkFilesHandOver passes a lock to another process and back, and reports half
// of the time that takes.
func BenchmarkFilesHandOver(b *testing.B) {
	dir := b.TempDir()
	client := newClient(b, openFiles(b, dir))
	startPeer(b, "take turns", dir)
	lock := client.Mutex("bench")
	hold, err := lock.Lock(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var trips []float64
	for b.Loop() {
		awaitPlaces(b, client, 2)
		start := time.Now()
		if err := hold.Release(b.Context()); err != nil {
			b.Fatal(err)
		}
		if hold, err = lock.Lock(b.Context()); err != nil {
			b.Fatal(err)
		}
		trips = append(trips, float64(time.Since(start))/2)
	}
	if err := hold.Release(b.Context()); err != nil {
		b.Fatal(err)
	}
	reportQuantile(b, "p50-ns", trips, 0.50)
	reportQuantile(b, "p99-ns", trips, 0.99)
}

// takeTurns wants the lock all the time, and never keeps it. It is killed when it has
// served.
func takeTurns(task []byte, _ conversation) error {
	var dir string
	if err := json.Unmarshal(task, &dir); err != nil {
		return err
	}
	drv, err := filedriver.Open(dir, nil)
	if err != nil {
		return err
	}
	client, err := holdgate.New(drv, nil)
	if err != nil {
		return err
	}
	for {
		if err := lockAndRelease(context.Background(), client.Mutex("bench")); err != nil {
			return err
		}
	}
}

// awaitPlaces returns once so many places stand in the line. It asks over and over:
// that takes less time than the news of a watch.
func awaitPlaces(b *testing.B, client *holdgate.Client, n int) {
	b.Helper()
	for {
		line, err := client.Line(b.Context(), "bench")
		if err != nil {
			b.Fatal(err)
		}
		if len(line.Places) == n {
			return
		}
	}
}

func openFiles(b *testing.B, dir string) *filedriver.Driver {
	b.Helper()
	drv, err := filedriver.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	return drv
}

// quantile sorts what it is given.
func quantile[T cmp.Ordered](values []T, q float64) T {
	slices.Sort(values)
	return values[int(q*float64(len(values)-1))]
}
