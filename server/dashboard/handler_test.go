package dashboard_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/server/dashboard"
)

func ask(t *testing.T, method, path, header, value string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	if header != "" {
		r.Header.Set(header, value)
	}
	w := httptest.NewRecorder()
	dashboard.Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, method, path string
		status             int
		kind               string
	}{
		{"root", http.MethodGet, "/", http.StatusOK, "text/html; charset=utf-8"},
		{"module", http.MethodGet, "/main.js", http.StatusOK, "text/javascript; charset=utf-8"},
		{"style", http.MethodHead, "/page.css", http.StatusOK, "text/css; charset=utf-8"},
		{"icon", http.MethodGet, "/icon.svg", http.StatusOK, "image/svg+xml"},
		{"no file", http.MethodGet, "/nothing.js", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"no folder", http.MethodGet, "/assets/", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"no way up", http.MethodGet, "/../handler.go", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"no writing", http.MethodPost, "/", http.StatusMethodNotAllowed, "text/plain; charset=utf-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer := ask(t, c.method, c.path, "", "")
			if answer.StatusCode != c.status {
				t.Errorf("status %d, want %d", answer.StatusCode, c.status)
			}
			if kind := answer.Header.Get("Content-Type"); kind != c.kind {
				t.Errorf("content type %q, want %q", kind, c.kind)
			}
		})
	}
}

// A browser that has a file is told so; another tag gets the whole file.
func TestCaching(t *testing.T) {
	t.Parallel()
	tag := ask(t, http.MethodGet, "/main.js", "", "").Header.Get("ETag")
	if tag == "" || tag == ask(t, http.MethodGet, "/dom.js", "", "").Header.Get("ETag") {
		t.Fatalf("the tag of main.js is %q, want one of its own", tag)
	}
	if answer := ask(t, http.MethodGet, "/main.js", "If-None-Match", tag); answer.StatusCode != http.StatusNotModified {
		t.Errorf("with its tag: status %d, want 304", answer.StatusCode)
	}
	if answer := ask(t, http.MethodGet, "/main.js", "If-None-Match", `"other"`); answer.StatusCode != http.StatusOK {
		t.Errorf("with another tag: status %d, want 200", answer.StatusCode)
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	h := ask(t, http.MethodGet, "/", "", "").Header
	policy := h.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %q", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy %q has something unsafe", policy)
	}
}

// The policy would stop these in the browser; here one sees where they are.
func TestNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	forbidden := map[string]*regexp.Regexp{
		"an address elsewhere": regexp.MustCompile(`(?:https?:)?//[a-z0-9-]+\.[a-z]{2,}`),
		"a script in markup":   regexp.MustCompile(`<script(?:[^>]*)>[^<]`),
		"a handler in markup":  regexp.MustCompile(`<[a-z][^>]*\son[a-z]+=`),
		"text as markup":       regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`),
	}
	files := os.DirFS("assets")
	names, err := fs.Glob(files, "*")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		clean := strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", "") // a name, not an address
		for what, pattern := range forbidden {
			if found := pattern.FindString(clean); found != "" {
				t.Errorf("%s has %s: %s", name, what, found)
			}
		}
	}
}
