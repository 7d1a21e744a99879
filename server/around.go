package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// around is what stands before the operations, from the outside in: a fault is caught, a
// request is logged and counted, what a client may leave unread is bounded, what other sites send is refused, the caller is known,
// and its body is read.
func (s *Server) around(mux *http.ServeMux) http.Handler {
	return s.observed(s.bounded(s.guarded(s.sameSite(s.known(s.open(mux), s.read(s.found(mux)))))))
}

// guarded answers a fault of the server with a problem.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { //nolint:contextcheck // the request has its own
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v) // net/http's own way to break a connection
			}
			if r.Context().Err() != nil {
				return // nobody is there to take the answer
			}
			s.metrics.faults.Inc()
			s.opts.Logger.LogAttrs(r.Context(), slog.LevelError, "fault in a request",
				slog.String("path", r.URL.Path), slog.Any("fault", v), slog.String("stack", string(debug.Stack())))
			if b, ok := w.(*bounded); ok && b.begun {
				panic(http.ErrAbortHandler) // half an answer must not look whole
			}
			refuse(w, newProblem(api.CodeInternal, http.StatusInternalServerError, "A fault of the server", ""))
		}()
		next.ServeHTTP(w, r)
	})
}

// sameSite refuses what a page of another site has a browser send: a client certificate, or
// a server that lets everybody in, would let it act for the person who looks at it. No
// answer says that other sites may read it.
func (s *Server) sameSite(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if err := protection.Check(r); err != nil {
			refuse(w, newProblem(api.CodeDenied, http.StatusForbidden, "Not allowed", "requests from other sites change nothing here"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// known finds out who sent the request. What is open to everybody does not need to know.
func (s *Server) known(open, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !needsCaller(r.URL.Path) {
			open.ServeHTTP(w, r)
			return
		}
		who, err := s.access.Load().caller(r)
		if err != nil {
			refuse(w, problemOf(err))
			return
		}
		note(r.Context(), who)
		next.ServeHTTP(w, r.WithContext(withCaller(r.Context(), who)))
	})
}

// needsCaller reports whether a path is only for those who are known.
func needsCaller(p string) bool {
	return p == "/v1" || strings.HasPrefix(p, "/v1/") || p == pathMetrics
}

// open serves what is for everybody: the server's health, and the dashboard's own files.
func (s *Server) open(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == pathHealth || r.URL.Path == pathReady || s.opts.Root == nil {
			s.found(mux).ServeHTTP(w, r)
			return
		}
		s.opts.Root.ServeHTTP(w, r)
	})
}

// read reads the body of a request. It is read before anything waits: what a client may
// take for it is bounded, and then no time runs any more.
func (s *Server) read(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		rc := http.NewResponseController(w)
		_ = rc.SetReadDeadline(time.Now().Add(s.opts.Limits.Read)) // a recorder in a test has none
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opts.Limits.Body))
		if err != nil {
			// What is left of it is not waited for.
			w.Header().Set("Connection", "close")
			status := http.StatusBadRequest
			if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
				status = http.StatusRequestEntityTooLarge
				err = tooLarge
			}
			refuse(w, problemOfStatus(status, err.Error()))
			return
		}
		_ = rc.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(text))
		if isForm(r.Header.Get("Content-Type")) {
			r.Header.Set("Content-Type", "application/json") // what curl -d calls everything
		}
		next.ServeHTTP(w, r)
	})
}

func isForm(contentType string) bool {
	return strings.HasPrefix(contentType, "application/x-www-form-urlencoded")
}

// found answers with a problem where there is no such resource. What the mux itself
// answers is for people with a browser.
func (s *Server) found(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.EscapedPath(); p != "/" && p != path.Clean(p) {
			refuse(w, problemOfStatus(http.StatusNotFound, "the path is not in its shortest form"))
			return
		}
		handler, pattern := mux.Handler(r)
		if pattern == "" {
			refused := &verdict{header: make(http.Header), status: http.StatusNotFound}
			handler.ServeHTTP(refused, r)
			if allow := refused.header.Get("Allow"); allow != "" {
				w.Header().Set("Allow", allow)
			}
			refuse(w, problemOfStatus(refused.status, ""))
			return
		}
		notePattern(r.Context(), pattern)
		mux.ServeHTTP(w, r)
	})
}

// verdict keeps the status of an answer, and not its text.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(status int)      { v.status = status }
func (v *verdict) Write(b []byte) (int, error) { return len(b), nil }

func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&bounded{ResponseWriter: w, limit: s.opts.Limits.Write}, r)
	})
}

// bounded bounds how long a client may leave its answer unread, from when it begins.
type bounded struct {
	http.ResponseWriter
	limit time.Duration
	begun bool
}

func (b *bounded) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func (b *bounded) begin() {
	if !b.begun {
		b.begun = true
		_ = http.NewResponseController(b.ResponseWriter).SetWriteDeadline(time.Now().Add(b.limit)) // a recorder has none
	}
}

func (b *bounded) WriteHeader(status int) {
	b.begin()
	b.ResponseWriter.WriteHeader(status)
}

func (b *bounded) Write(p []byte) (int, error) {
	b.begin()
	return b.ResponseWriter.Write(p)
}

func (s *Server) logFault(ctx context.Context, operation string, err error) {
	s.metrics.faults.Inc()
	s.opts.Logger.LogAttrs(ctx, slog.LevelError, "unexpected error",
		slog.String("operation", operation), slog.String("error", err.Error()))
}
