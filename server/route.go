package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// The parts of the API, as the document groups them.
const (
	tagSession  = "Sessions"
	tagPlace    = "Places"
	tagLine     = "Lines"
	tagLock     = "Locks"
	tagElection = "Elections"
	tagMap      = "Map"
	tagServer   = "Server"
)

// operation is one thing that the API does.
type operation struct {
	id, method, path, tag string
	summary, detail       string
	status                int // of success; by default 200
	events                any // of a stream: what its events carry
}

// body is an answer that is all body.
type body[T any] struct{ Body T }

func bodyOf[T any](v T) *body[T] { return &body[T]{v} }

// none is an answer without a body.
type none struct{}

// routes sets up all operations, and what stands before them.
func (s *Server) routes() error {
	mux := http.NewServeMux()
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Holdgate", Version: s.opts.Version,
				Description: "Locks, elections, discovery and configuration over HTTP. Every answer that is not a success is a Problem with a stable code.",
			},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token":       {Type: "http", Scheme: "bearer", Description: "A secret that the server's access file knows."},
					"certificate": {Type: "mutualTLS", Description: "A client certificate that the server's access file knows."},
				},
			},
			Security: []map[string][]string{{}, {"token": {}}, {"certificate": {}}},
		},
		Formats:                      map[string]huma.Format{"application/json": jsonFormat(), "json": jsonFormat()},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{asProblem},
	}
	s.api = humago.New(mux, config)
	s.featureRoutes()
	s.sessionRoutes()
	s.placeRoutes()
	s.lineRoutes()
	s.waitRoutes()
	s.historyRoutes()
	s.eventRoutes()
	s.mapRoutes()
	s.lockRoutes()
	s.electionRoutes()
	s.configRoutes()
	document, err := json.Marshal(s.api.OpenAPI())
	if err != nil {
		return fmt.Errorf("server: the OpenAPI document: %w", err)
	}
	s.document = document
	mux.HandleFunc("GET /v1/openapi.json", s.serveDocument)
	s.operate(mux)
	s.handler = s.around(mux)
	return nil
}

// OpenAPI is the document that describes the API.
func (s *Server) OpenAPI() []byte { return s.document }

func (s *Server) serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/openapi+json")
	_, _ = w.Write(s.document) // who does not listen is not told
}

// route adds an operation. Its errors become problems.
func route[I, O any](s *Server, op operation, handle func(context.Context, *I) (*O, error)) {
	registry := s.api.OpenAPI().Components.Schemas
	responses := map[string]*huma.Response{"default": {
		Description: "A problem: anything but success.",
		Content: map[string]*huma.MediaType{
			api.ContentType: {Schema: registry.Schema(reflect.TypeFor[api.Problem](), true, "Problem")},
		},
	}}
	if op.events != nil {
		responses[strconv.Itoa(http.StatusOK)] = streamOf(registry, op.events)
	}
	huma.Register(s.api, huma.Operation{
		OperationID: op.id, Method: op.method, Path: op.path, Tags: []string{op.tag},
		Summary: op.summary, Description: op.detail, DefaultStatus: op.status,
		MaxBodyBytes:    s.opts.Limits.Body,
		BodyReadTimeout: -1, // see readBody
		Responses:       responses,
	}, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err == nil {
			return out, nil
		}
		p := problemOf(err)
		if p.Code == api.CodeInternal {
			s.logFault(ctx, op.id, err)
		}
		h := make(http.Header)
		headers(p, h)
		return nil, huma.ErrorWithHeaders(p, h)
	})
}

// jsonFormat is JSON, read strictly: a name that is not UTF-8 would become another one.
func jsonFormat() huma.Format {
	format := huma.DefaultJSONFormat
	format.Unmarshal = func(data []byte, v any) error {
		if !utf8.Valid(data) {
			return errNotUTF8
		}
		return json.Unmarshal(data, v)
	}
	return format
}

var errNotUTF8 = errors.New("JSON is UTF-8, this is not")

// asProblem turns what the framework answers by itself into a problem. Values are not
// repeated: they may be secret, or large.
func asProblem(_ huma.Context, _ string, v any) (any, error) {
	wrong, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := problemOfStatus(wrong.Status, wrong.Detail)
	for _, e := range wrong.Errors {
		if e != nil {
			p.Errors = append(p.Errors, api.Fault{Location: e.Location, Message: e.Message})
		}
	}
	return p, nil
}

// problemOfStatus is a problem of which no more is known than its status.
func problemOfStatus(status int, detail string) *api.Problem {
	switch status {
	case http.StatusNotFound:
		return newProblem(api.CodeNotFound, status, "There is no such resource", detail)
	case http.StatusMethodNotAllowed:
		return newProblem(api.CodeMethod, status, "This resource does not do that", detail)
	case http.StatusRequestEntityTooLarge:
		return newProblem(api.CodeTooLarge, status, "Too large", detail)
	case http.StatusForbidden:
		return newProblem(api.CodeDenied, status, "Not allowed", detail)
	}
	if status >= http.StatusInternalServerError {
		return newProblem(api.CodeInternal, status, "A fault of the server", "")
	}
	return newProblem(api.CodeInvalid, status, "The request is invalid", detail)
}
