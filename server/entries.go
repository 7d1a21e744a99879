package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

// mapRoutes are the store's map, as package driver has it.
func (s *Server) mapRoutes() {
	route(s, operation{
		id: "get-entry", method: http.MethodGet, path: api.PathEntry, tag: tagMap, summary: "Read a key of the map",
	}, s.getEntry)
	route(s, operation{
		id: "put-entry", method: http.MethodPut, path: api.PathEntry, tag: tagMap, summary: "Write a key of the map",
	}, s.putEntry)
	route(s, operation{
		id: "delete-entry", method: http.MethodDelete, path: api.PathEntry, tag: tagMap, status: http.StatusNoContent,
		summary: "Delete a key of the map",
	}, s.deleteEntry)
	route(s, operation{
		id: "list-entries", method: http.MethodGet, path: api.PathEntries, tag: tagMap, summary: "List the map, or the keys of a prefix",
	}, s.listEntries)
	route(s, operation{
		id: "watch-entries", method: http.MethodGet, path: api.PathWatchEntries, tag: tagMap, events: api.Entries{},
		summary: "Watch the map",
		detail:  "A stream: first all entries that match, then those that changed, and the keys that are gone.",
	}, s.watchEntries)
}

// keys returns the store's map, if it has one and the caller may.
func (s *Server) keys(ctx context.Context, verb Verb, key string) (driver.KV, error) {
	if s.kv == nil {
		return nil, fmt.Errorf("%w: %s has no map", driver.ErrUnsupported, s.features.Store)
	}
	if strings.HasPrefix(key, ownPrefix) {
		return nil, fmt.Errorf("%w: keys under %q are the server's own", driver.ErrDenied, ownPrefix)
	}
	return s.kv, callerOf(ctx).may(verb, plainKey(key))
}

// plainKey is a key as rights name it: without what packages put in front to keep their
// keys apart, so that a right on "billing/" is one on its settings, too.
func plainKey(key string) string {
	for _, prefix := range []string{configPrefix, oncePrefix} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			return rest
		}
	}
	return key
}

// What the packages of holdgate put in front of keys.
const (
	configPrefix = "holdgate.config/"
	oncePrefix   = "holdgate.once/"
)

func (s *Server) getEntry(ctx context.Context, in *param.OfKey) (*body[api.Entry], error) {
	kv, err := s.keys(ctx, VerbGet, in.Key)
	if err != nil {
		return nil, err
	}
	e, err := kv.Get(ctx, in.Key)
	return bodyOf(api.EntryOf(e)), err
}

func (s *Server) putEntry(ctx context.Context, in *struct{ Body api.NewEntry }) (*body[api.Entry], error) {
	kv, err := s.keys(ctx, VerbPut, in.Body.Key)
	if err != nil {
		return nil, err
	}
	p, err := in.Body.Driver()
	if err != nil {
		return nil, err
	}
	e, err := kv.Put(ctx, p)
	return bodyOf(api.EntryOf(e)), err
}

func (s *Server) deleteEntry(ctx context.Context, in *struct {
	param.OfKey
	IfVersion string `query:"if_version" pattern:"^[0-9]{1,20}$" doc:"Delete only this version."`
},
) (*none, error) {
	kv, err := s.keys(ctx, VerbPut, in.Key)
	if err != nil {
		return nil, err
	}
	version, err := api.Number(in.IfVersion)
	if err != nil {
		return nil, err
	}
	return nil, kv.Delete(ctx, in.Key, version)
}

// keysOf returns the store's map, and which keys of it the caller may see and wants to.
func (s *Server) keysOf(ctx context.Context, in *param.OfKeys) (driver.KV, driver.Query, error) {
	if in.Key != "" {
		kv, err := s.keys(ctx, VerbGet, in.Key)
		return kv, driver.Query{Name: in.Key}, err
	}
	q := driver.Query{Name: in.Prefix, Prefix: true}
	if s.kv == nil {
		return nil, q, fmt.Errorf("%w: %s has no map", driver.ErrUnsupported, s.features.Store)
	}
	if err := q.Check(); err != nil {
		return nil, q, err
	}
	return s.kv, q, callerOf(ctx).mayAll(VerbGet, plainPrefix(in.Prefix))
}

// plainPrefix is a prefix of keys as rights name it: a beginning of what packages put in
// front is a prefix of all that they keep.
func plainPrefix(prefix string) string {
	if strings.HasPrefix(configPrefix, prefix) || strings.HasPrefix(oncePrefix, prefix) {
		return ""
	}
	return plainKey(prefix)
}

func (s *Server) listEntries(ctx context.Context, in *param.OfKeys) (*body[api.Entries], error) {
	kv, q, err := s.keysOf(ctx, in)
	if err != nil {
		return nil, err
	}
	q.Once = true
	for snap, err := range kv.WatchKV(ctx, q) {
		return bodyOf(shownEntries(snap)), err
	}
	return nil, errNothingListed
}

func (s *Server) watchEntries(ctx context.Context, in *param.OfKeys) (*streamed, error) {
	kv, q, err := s.keysOf(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.stream(ctx, func(ctx context.Context, st *stream) error {
		return pump(ctx, st, kv.WatchKV(ctx, q), func(snap driver.KVSnapshot) any { return shownEntries(snap) })
	})
}

// shownEntries is a snapshot without the server's own keys.
func shownEntries(snap driver.KVSnapshot) api.Entries {
	own := func(key string) bool { return strings.HasPrefix(key, ownPrefix) }
	snap.Entries = slices.DeleteFunc(snap.Entries, func(e driver.Entry) bool { return own(e.Key) })
	snap.Deleted = slices.DeleteFunc(snap.Deleted, own)
	return api.EntriesOf(snap)
}
