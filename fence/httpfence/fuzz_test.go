package httpfence_test

import (
	"net/http"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/httpfence"
)

// What is let through is a pass that is written as it was read; what a holder sends is read
// as it was meant.
func FuzzParse(f *testing.F) {
	for _, seed := range [][2]string{
		{"orders%2F42", "9007199254740993"}, {"", "7"}, {"a", ""}, {"%", "0"}, {"%ff", "-1"}, {"a b\n", "1e3"}, {"%00", "07"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, name, token string) {
		h := http.Header{httpfence.HeaderName: {name}, httpfence.HeaderToken: {token}}
		p, err := httpfence.Parse(h)
		if err != nil {
			return
		}
		again := http.Header{}
		httpfence.Set(again, p)
		if again.Get(httpfence.HeaderToken) != token {
			t.Errorf("token %q is taken for %v", token, p.Token)
		}
		if got, err := httpfence.Parse(again); err != nil || got != p {
			t.Errorf("%+v comes back as %+v, %v", p, got, err)
		}
	})
}

// Every name fits a header, and comes back as it was.
func FuzzSet(f *testing.F) {
	f.Add("orders/42", uint64(7))
	f.Add("ü \n\x00%", uint64(1)<<62)
	f.Fuzz(func(t *testing.T, name string, token uint64) {
		p := fence.Pass{Name: name, Token: holdgate.Token(token >> 1)}
		h := http.Header{}
		httpfence.Set(h, p)
		for _, r := range h.Get(httpfence.HeaderName) {
			if r < '!' || r > '~' {
				t.Fatalf("name %q is sent as %q", name, h.Get(httpfence.HeaderName))
			}
		}
		if got, err := httpfence.Parse(h); err != nil || got != p {
			t.Errorf("%+v comes back as %+v, %v", p, got, err)
		}
	})
}
