package server_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server"
)

// document is what the tests look at of the OpenAPI document.
type document struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]map[string]struct {
		ID          string   `json:"operationId"`
		Summary     string   `json:"summary"`
		Tags        []string `json:"tags"`
		RequestBody *struct {
			Content map[string]json.RawMessage `json:"content"`
		} `json:"requestBody"`
		Parameters []struct {
			Name     string          `json:"name"`
			In       string          `json:"in"`
			Required bool            `json:"required"`
			Schema   json.RawMessage `json:"schema"`
		} `json:"parameters"`
		Responses map[string]struct {
			Description string                     `json:"description"`
			Content     map[string]json.RawMessage `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

func read(t *testing.T, text []byte) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("the document: %v", err)
	}
	return d
}

// Whoever makes a client from the document finds in it all there is, and nothing else.
func TestDocumentIsWhole(t *testing.T) {
	t.Parallel()
	s, url := start(t, memdriver.New(), nil)
	r := ask(t, http.MethodGet, url+"/v1/openapi.json", "")
	text := body(t, r)
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "application/openapi+json" {
		t.Errorf("got status %d and type %q", r.StatusCode, r.Header.Get("Content-Type"))
	}
	if !bytes.Equal([]byte(text), s.OpenAPI()) {
		t.Error("the document that is served is not the server's")
	}
	d := read(t, []byte(text))
	if !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Errorf("got OpenAPI %q, want 3.1", d.OpenAPI)
	}
	ids := make(map[string]bool)
	for path, methods := range d.Paths {
		for method, op := range methods {
			if ids[op.ID] || op.ID == "" || op.Summary == "" || len(op.Tags) != 1 {
				t.Errorf("%s %s: the operation %q is there twice, or has no ID, summary or tag", method, path, op.ID)
			}
			ids[op.ID] = true
			if _, ok := op.Responses["default"].Content[api.ContentType]; !ok {
				t.Errorf("%s: the document does not say that it may answer with a problem", op.ID)
			}
			for _, p := range op.Parameters {
				if p.In == "path" != strings.Contains(path, "{"+p.Name+"}") {
					t.Errorf("%s: the parameter %q in %s is not in the path %s", op.ID, p.Name, p.In, path)
				}
			}
		}
	}
	for _, ref := range regexp.MustCompile(`"\$ref":"#/components/schemas/([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if _, ok := d.Components.Schemas[ref[1]]; !ok {
			t.Errorf("the schema %q is referred to, and not there", ref[1])
		}
	}
}

// Every operation of the document is answered by its handler: with no more than what the
// document demands it gets an answer that the document knows.
func TestDocumentIsWhatHandlersDo(t *testing.T) {
	t.Parallel()
	s, url := start(t, memdriver.New(), nil)
	d := read(t, s.OpenAPI())
	for path, methods := range d.Paths {
		for method, op := range methods {
			target := url + strings.NewReplacer("{session}", "m1.x", "{place}", strings.Repeat("0", 32)).Replace(path)
			text := ""
			if op.RequestBody != nil {
				text = "{}"
			}
			r := ask(t, strings.ToUpper(method), target, text, "Content-Type: application/json")
			if r.StatusCode == http.StatusNotFound || r.StatusCode == http.StatusMethodNotAllowed {
				t.Errorf("%s: %s %s is not there: %s", op.ID, method, path, body(t, r))
				continue
			}
			known, ok := op.Responses[itoa(r.StatusCode)]
			if !ok {
				known = op.Responses["default"]
			}
			kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
			if _, ok := known.Content[kind]; !ok && (kind != "" || len(known.Content) > 0) {
				t.Errorf("%s: got status %d of type %q, which is not in the document", op.ID, r.StatusCode, kind)
			}
			if !ok && kind == api.ContentType {
				_ = wantProblem(t, op.ID, r) // any one
			}
		}
	}
}

func wantProblem(t *testing.T, what string, r *http.Response) *api.Problem {
	t.Helper()
	p := new(api.Problem)
	if err := json.Unmarshal([]byte(body(t, r)), p); err != nil || r.Header.Get("Content-Type") != api.ContentType {
		t.Fatalf("%s: got status %d of type %q, error %v, want a problem", what, r.StatusCode, r.Header.Get("Content-Type"), err)
	}
	if p.Status != r.StatusCode || p.Code == "" || p.Title == "" || p.Type != "urn:holdgate:problem:"+string(p.Code) {
		t.Errorf("%s: got status %d and the problem %+v", what, r.StatusCode, p)
	}
	return p
}

// Parameters that nobody knows are mistakes, and not left out silently: a wait that is
// misspelt would be a try.
func TestUnknownParametersAreRefused(t *testing.T) {
	t.Parallel()
	_, url := start(t, memdriver.New(), nil)
	r := ask(t, http.MethodGet, url+"/v1/line?name=a&wiat=3s", "")
	if p := wantProblem(t, "an unknown parameter", r); p.Code != api.CodeInvalid || !slices.ContainsFunc(p.Errors, func(f api.Fault) bool { return f.Location == "query.wiat" }) {
		t.Errorf("got the problem %+v, want that query.wiat is invalid", p)
	}
	if r := ask(t, http.MethodPost, url+"/v1/sessions", `{"ttl_ms":1000,"ownr":"me"}`); r.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an unknown field: got status %d: %s", r.StatusCode, body(t, r))
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	if _, err := server.New(memdriver.New(), &server.Options{Limits: server.Limits{Body: -1}}); err == nil || !strings.Contains(err.Error(), "Limits.Body") {
		t.Errorf("got the error %v, want one that names Limits.Body", err)
	}
}
