package etcddriver

import (
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// permitsLine is a semaphore's line in which each place takes these units.
func permitsLine(capacity int64, units ...int64) *lineup {
	var kvs []*mvccpb.KeyValue
	for i, n := range units {
		kvs = append(kvs, &mvccpb.KeyValue{
			Key:            []byte("/hg/a/" + idOf(i)),
			Value:          placeValue(use{driver.KindSemaphore, capacity}, n, idOf(i), "{", nil),
			CreateRevision: int64(i + 1), ModRevision: int64(i + 1),
		})
	}
	return newLineup("a", "/hg/a/", kvs)
}

func TestProofThatAPlaceWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		capacity int64
		units    []int64 // the last place is the one that waits
		want     int
	}{
		{"one holder of a mutex is enough", 1, []int64{1, 1, 1, 1}, 1},
		{"the largest first", 10, []int64{1, 1, 8, 1, 3}, 1},
		{"several together", 4, []int64{1, 1, 1, 1, 2}, 3},
		{"a writer needs all", 8, []int64{1, 1, 1, 8}, 1},
	} {
		proof, err := waits(permitsLine(c.capacity, c.units...), len(c.units)-1)
		if err != nil || len(proof) != c.want {
			t.Errorf("%s: got %d comparisons, error %v, want %d", c.name, len(proof), err, c.want)
		}
	}
}

func TestProofThatIsTooLong(t *testing.T) {
	t.Parallel()
	units := make([]int64, 301)
	for i := range units {
		units[i] = 1
	}
	if _, err := waits(permitsLine(300, units...), 300); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("got the error %v, want %q", err, driver.ErrUnsupported)
	}
}
