package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

const pathConfig = "/v1/config"

// configRoutes are settings, as package config keeps them: values as they are, versions as
// entity tags.
func (s *Server) configRoutes() {
	route(s, operation{
		id: "get-config", method: http.MethodGet, path: pathConfig, tag: tagMap,
		summary: "Read a setting", detail: "The value as it was written. ETag is its version.",
	}, s.getConfig)
	route(s, operation{
		id: "put-config", method: http.MethodPut, path: pathConfig, tag: tagMap, status: http.StatusNoContent,
		summary: "Write a setting",
		detail:  "The body is the value. With If-Match only over that version, with If-None-Match: * only if there is none.",
	}, s.putConfig)
	route(s, operation{
		id: "delete-config", method: http.MethodDelete, path: pathConfig, tag: tagMap, status: http.StatusNoContent,
		summary: "Delete a setting",
	}, s.deleteConfig)
}

// setting is the value of a setting.
type setting struct {
	ContentType string `header:"Content-Type"`
	Version     string `header:"ETag"`
	Body        []byte
}

func (s *Server) getConfig(ctx context.Context, in *param.OfKey) (*setting, error) {
	kv, err := s.keys(ctx, VerbGet, configPrefix+in.Key)
	if err != nil {
		return nil, err
	}
	e, err := kv.Get(ctx, configPrefix+in.Key)
	return &setting{ContentType: "application/octet-stream", Version: tagOf(e.Version), Body: e.Value}, err
}

type inPutConfig struct {
	param.OfKey
	IfMatch     string `header:"If-Match" maxLength:"64" doc:"Write only over this version."`
	IfNoneMatch string `header:"If-None-Match" enum:"*" doc:"Write only if there is none."`
	RawBody     []byte
}

type written struct {
	Version string `header:"ETag"`
}

func (s *Server) putConfig(ctx context.Context, in *inPutConfig) (*written, error) {
	kv, err := s.keys(ctx, VerbPut, configPrefix+in.Key)
	if err != nil {
		return nil, err
	}
	p := driver.Put{Key: configPrefix + in.Key, Value: append([]byte{}, in.RawBody...)}
	switch {
	case in.IfMatch != "" && in.IfNoneMatch != "":
		return nil, fmt.Errorf("%w: If-Match and If-None-Match exclude each other", driver.ErrInvalid)
	case in.IfNoneMatch != "":
		p.IfVersion = new(uint64)
	case in.IfMatch != "":
		version, err := versionOf(in.IfMatch)
		if err != nil {
			return nil, err
		}
		p.IfVersion = &version
	}
	e, err := kv.Put(ctx, p)
	return &written{tagOf(e.Version)}, err
}

func (s *Server) deleteConfig(ctx context.Context, in *struct {
	param.OfKey
	IfMatch string `header:"If-Match" maxLength:"64" doc:"Delete only this version."`
},
) (*none, error) {
	kv, err := s.keys(ctx, VerbPut, configPrefix+in.Key)
	if err != nil {
		return nil, err
	}
	var version uint64
	if in.IfMatch != "" {
		if version, err = versionOf(in.IfMatch); err != nil {
			return nil, err
		}
	}
	return nil, kv.Delete(ctx, configPrefix+in.Key, version)
}

func tagOf(version uint64) string { return `"` + strconv.FormatUint(version, 10) + `"` }

// versionOf reads an entity tag. No version that is there is 0.
func versionOf(tag string) (uint64, error) {
	text, err := strconv.Unquote(strings.TrimSpace(tag))
	if err != nil {
		text = tag // as people write it
	}
	n, err := api.Number(text)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%w: If-Match is the ETag of the setting, not %s", driver.ErrInvalid, strconv.Quote(tag))
	}
	return n, nil
}
