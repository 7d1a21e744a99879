package memdriver

import (
	"container/heap"
	"time"
)

// deadline is a moment at which the store ends something: a session, or an entry
// of the KV.
type deadline struct {
	at time.Duration
	// end is called once at has come. It moves the deadline or removes it.
	end   func()
	index int
}

// deadlines is a heap: the earliest is first.
type deadlines struct{ heap deadlineHeap }

func (d *deadlines) first() *deadline {
	if len(d.heap) == 0 {
		return nil
	}
	return d.heap[0]
}

func (d *deadlines) add(x *deadline)    { heap.Push(&d.heap, x) }
func (d *deadlines) remove(x *deadline) { heap.Remove(&d.heap, x.index) }

func (d *deadlines) move(x *deadline, at time.Duration) {
	x.at = at
	heap.Fix(&d.heap, x.index)
}

type deadlineHeap []*deadline

func (h deadlineHeap) Len() int           { return len(h) }
func (h deadlineHeap) Less(i, j int) bool { return h[i].at < h[j].at }

func (h deadlineHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *deadlineHeap) Push(x any) {
	d := x.(*deadline)
	d.index = len(*h)
	*h = append(*h, d)
}

func (h *deadlineHeap) Pop() any {
	old := *h
	last := len(old) - 1
	d := old[last]
	old[last] = nil
	*h = old[:last]
	return d
}
