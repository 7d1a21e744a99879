package server

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// How long clients of the HTTP server may take over what they send.
const (
	headerWithin = 5 * time.Second
	idleFor      = 2 * time.Minute
	maxHeader    = 16 << 10
)

// HTTPServer is an HTTP server for this one, with bounds on what clients that are slow, or
// half gone, can hold up. Its caller sets TLS, and serves.
func (s *Server) HTTPServer() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerWithin,
		IdleTimeout:       idleFor,
		MaxHeaderBytes:    maxHeader,
		Protocols:         protocols,
		ErrorLog:          slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelDebug),
	}
}

// ListenConfig is for the server's listeners: a peer that vanished is noticed within half a
// minute, and what is bound to its stream is given back.
func ListenConfig() net.ListenConfig {
	return net.ListenConfig{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4},
	}
}
