package redisdriver

import "testing"

// The channel of a name tells the name, whatever is in it.
func TestNamed(t *testing.T) {
	t.Parallel()
	k := newKeys("hold:gate")
	for _, name := range []string{"orders", "a:b", "line:", ":", "{x}", "锁", "*"} {
		if got := k.named(k.line(name)); got != name {
			t.Errorf("the channel %q is about %q, want %q", k.line(name), got, name)
		}
		if got := k.named(k.entry(name)); got != name {
			t.Errorf("the channel %q is about %q, want %q", k.entry(name), got, name)
		}
	}
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	if got, want := literal(`a*b?[c]\d-^`), `a\*b\?\[c\]\\d-^`; got != want {
		t.Errorf("got the pattern %s, want %s", got, want)
	}
}
