package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// endpointView is a server of the store in JSON.
type endpointView struct {
	Endpoint string   `json:"endpoint"`
	Healthy  bool     `json:"healthy"`
	Error    string   `json:"error,omitempty"`
	Role     string   `json:"role,omitempty"`
	Version  string   `json:"version,omitempty"`
	Faults   []string `json:"faults,omitempty"`
	Answered float64  `json:"answered_in_seconds,omitempty"`
	Alarms   []string `json:"alarms,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Size     int64    `json:"database_bytes,omitempty"`
	Quota    int64    `json:"quota_bytes,omitempty"`
	Untold   string   `json:"untold,omitempty"`
	*loadView
}

// loadView is how much a server has to do, in JSON; absent where it does not tell.
type loadView struct {
	Latency     float64 `json:"average_latency_seconds"`
	Outstanding int     `json:"outstanding_requests"`
	Connections int     `json:"connections"`
}

func newEndpointViews(all []health.Server) []endpointView {
	views := make([]endpointView, 0, len(all))
	for _, h := range all {
		v := endpointView{
			Endpoint: h.Endpoint, Healthy: h.Err == nil, Role: role(h), Version: h.Version, Faults: h.Faults,
			Answered: h.Took.Seconds(), Alarms: h.Alarms, Warnings: h.Warnings, Size: h.Size, Quota: h.Quota, Untold: h.Untold,
		}
		if l := h.Load; l != nil {
			v.loadView = &loadView{l.Latency.Seconds(), l.Outstanding, l.Connections}
		}
		if h.Err != nil {
			v.Error = oneLine(h.Err.Error())
		}
		views = append(views, v)
	}
	return views
}

// role is what a member is to the others, "" where it did not say.
func role(h health.Server) string {
	switch {
	case h.Role != "":
		return h.Role
	case h.Member == 0:
		return ""
	case h.Learner:
		return "learner"
	case h.Member == h.Leader:
		return "leader"
	}
	return "follower"
}

// printEndpoints prints a table of them, and what is to be warned of.
func printEndpoints(out io.Writer, all []endpointView) error {
	if len(all) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(out)
	head, behind := "DATABASE", endpointView.database
	if slices.ContainsFunc(all, func(v endpointView) bool { return v.loadView != nil }) {
		head, behind = "LOAD", endpointView.load
	}
	fmt.Fprintf(w, "ENDPOINT\tHEALTHY\tROLE\tVERSION\tANSWERS IN\t%s\n", head)
	for _, v := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n",
			v.Endpoint, yesNo(v.Healthy), orDash(v.Role), orDash(v.Version), v.latency(), behind(v))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, warning := range warnings(all) {
		if _, err := fmt.Fprintf(out, "warning: %s\n", warning); err != nil {
			return err
		}
	}
	return nil
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func (v endpointView) latency() string {
	if v.Answered == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f ms", v.Answered*1e3)
}

func (v endpointView) database() string {
	switch {
	case v.Size == 0:
		return "-"
	case v.Quota == 0: // before 3.6 a member does not tell
		return size(v.Size)
	}
	return size(v.Size) + " of " + size(v.Quota)
}

// load is how much a server has to do; the average is of all requests since it counts.
func (v endpointView) load() string {
	if v.loadView == nil {
		return "-"
	}
	return fmt.Sprintf("%d connected, %d outstanding, %.1f ms on average", v.Connections, v.Outstanding, v.loadView.Latency*1e3)
}

// manyOutstanding is half of what a ZooKeeper takes by default, for all its clients, before
// it reads no more from them (globalOutstandingLimit).
const manyOutstanding = 500

// warnings are what somebody should do something about, each once, with the endpoints
// that it is about.
func warnings(all []endpointView) []string {
	var texts []string
	about := make(map[string][]string)
	warn := func(v endpointView, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if about[text] == nil {
			texts = append(texts, text)
		}
		about[text] = append(about[text], v.Endpoint)
	}
	for _, v := range all {
		if !v.Healthy {
			warn(v, "%s", show.Text(v.Error))
		}
		for _, alarm := range v.Alarms {
			warn(v, "alarm %s: %s", alarm, alarmMeans(alarm))
		}
		for _, warning := range v.Warnings {
			warn(v, "%s", show.Text(warning))
		}
		if v.Quota > 0 && v.Size > v.Quota/10*8 {
			warn(v, "the database fills more than 80 %% of its quota: when it is full, no lock can be taken")
		}
		if v.Untold != "" {
			warn(v, "it tells no role, version and load: %s", show.Text(v.Untold))
		}
		if v.loadView != nil && v.Outstanding >= manyOutstanding {
			warn(v, "many requests wait for their answer: it is slower than its clients ask")
		}
		for _, fault := range v.Faults {
			warn(v, "etcd %s: %s", show.Text(v.Version), fault)
		}
	}
	for i, text := range texts {
		texts[i] = strings.Join(about[text], ", ") + ": " + text
	}
	return texts
}

func alarmMeans(alarm string) string {
	if alarm == "NOSPACE" {
		return "no lock can be taken, those held can be released; compact, defragment, then disarm it"
	}
	return "the members' data differ; do not rely on it before an operator has repaired it"
}

// size is a number of bytes for people.
func size(n int64) string {
	const unit = 1024
	value, units := float64(n), []string{"B", "KiB", "MiB", "GiB"}
	for value >= unit && len(units) > 1 {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.3g %s", value, units[0])
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return show.Text(text)
}
