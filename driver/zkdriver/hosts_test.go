package zkdriver

import (
	"slices"
	"testing"
)

func TestHostsTellWhenAllFailed(t *testing.T) {
	t.Parallel()
	rounds := 0
	h := &hosts{failed: func() { rounds++ }}
	servers := []string{"a", "b", "c"}
	if err := h.Init(servers); err != nil {
		t.Fatal(err)
	}
	next := func(n int) (seen []string, again bool) {
		for range n {
			server, retry := h.Next()
			seen = append(seen, server)
			again = again || retry
		}
		return seen, again
	}
	seen, again := next(3)
	slices.Sort(seen)
	if !slices.Equal(seen, servers) || again || rounds != 0 {
		t.Fatalf("the first round tried %v, again %v, after %d rounds", seen, again, rounds)
	}
	if _, again := next(1); !again || rounds != 1 {
		t.Errorf("after a round without success: again %v, %d rounds told", again, rounds)
	}
	h.Connected()
	if _, again := next(3); again || rounds != 1 {
		t.Errorf("after a success: again %v, %d rounds told, want another try at once", again, rounds)
	}
}
