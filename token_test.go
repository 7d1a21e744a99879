package holdgate_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/holdgate/holdgate"
)

func TestParseToken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]holdgate.Token{
		"0":                   0,
		"256":                 256,
		"9007199254740993":    1<<53 + 1, // what a JSON number would not survive
		"9223372036854775807": math.MaxInt64,
	} {
		got, err := holdgate.ParseToken(text)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{
		"", " ", "-1", "+1", "01", "1 ", " 1", "1.0", "1e3", "0x10", "1_000", "a", "١",
		"9223372036854775808", "18446744073709551615", "99999999999999999999",
	} {
		got, err := holdgate.ParseToken(text)
		if err == nil || got != 0 {
			t.Errorf("%q: got %v, %v; want an error", text, got, err)
			continue
		}
		if !strings.Contains(err.Error(), "a token is a decimal number up to 2^63-1") {
			t.Errorf("%q: the error does not say what is allowed: %q", text, err)
		}
	}
}

// In JSON a token is a string, also as the key of an object.
func TestTokenJSON(t *testing.T) {
	t.Parallel()
	type fenced struct {
		Token holdgate.Token         `json:"token"`
		By    map[holdgate.Token]int `json:"by"`
	}
	in := fenced{Token: 1<<53 + 1, By: map[holdgate.Token]int{7: 1}}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"token":"9007199254740993","by":{"7":1}}`; string(text) != want {
		t.Errorf("got %s; want %s", text, want)
	}
	var out fenced
	if err := json.Unmarshal(text, &out); err != nil || out.Token != in.Token || out.By[7] != 1 {
		t.Errorf("got %+v, %v; want %+v", out, err, in)
	}
	kept := fenced{Token: 5}
	for _, text := range []string{`{"token":"x"}`, `{"token":"-1"}`, `{"token":1}`} {
		if err := json.Unmarshal([]byte(text), &kept); err == nil || kept.Token != 5 {
			t.Errorf("%s: got %v, %v; want an error and no change", text, kept.Token, err)
		}
	}
}

// FuzzParseToken: what is accepted is exactly what a token writes.
func FuzzParseToken(f *testing.F) {
	for _, text := range []string{"0", "1", "01", "+1", "9223372036854775807", "9223372036854775808", "1_0", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, err := holdgate.ParseToken(text)
		if err != nil {
			if token != 0 {
				t.Errorf("%q: token %v beside error %v", text, token, err)
			}
			return
		}
		if token.String() != text {
			t.Errorf("%q was read as %v", text, token)
		}
		if uint64(token) > math.MaxInt64 {
			t.Errorf("%q does not fit a signed integer", text)
		}
		var again holdgate.Token
		if err := again.UnmarshalText([]byte(text)); err != nil || again != token {
			t.Errorf("%q: UnmarshalText gives %v, %v", text, again, err)
		}
	})
}
