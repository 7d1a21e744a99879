package etcddriver

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// KnownFaults returns what is known to be wrong with a version of etcd, as far as it
// matters to locks, each with the version that mends it: nothing for a version that is
// well, or that is not understood. The source is etcd's own changelogs.
func KnownFaults(version string) []string {
	var v [3]int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &v[0], &v[1], &v[2]); n != len(v) {
		return nil
	}
	var faults []string
	for _, f := range knownFaults() {
		if f.in(v) {
			faults = append(faults, fmt.Sprintf("%s (mended in %s)", f.what, f.mended(v)))
		}
	}
	return faults
}

// fault is a defect, and the first version of each minor that does not have it.
type fault struct {
	what  string
	fixed [][3]int // ascending
}

// in reports whether a version has the fault: it is older than the fix of its own
// minor, or than all of them.
func (f fault) in(v [3]int) bool {
	for _, fixed := range f.fixed {
		if v[0] == fixed[0] && v[1] == fixed[1] {
			return v[2] < fixed[2]
		}
	}
	first := f.fixed[0]
	return v[0] < first[0] || v[0] == first[0] && v[1] < first[1]
}

// mended is the nearest version without the fault, for one that has it: of its own minor
// where there is one, else the first of all.
func (f fault) mended(v [3]int) string {
	to := f.fixed[0]
	for _, fixed := range f.fixed {
		if v[0] == fixed[0] && v[1] == fixed[1] {
			to = fixed
		}
	}
	return fmt.Sprintf("%d.%d.%d", to[0], to[1], to[2])
}

func knownFaults() []fault {
	return []fault{
		{
			what:  "a leader that stalled on its disk revokes leases after it has recovered, though others renewed them: a lock may be lost early",
			fixed: [][3]int{{3, 5, 13}},
		},
		{
			what:  "the renewal of a lease that was revoked may be answered as a success; this driver finds out by the session's record",
			fixed: [][3]int{{3, 5, 23}, {3, 6, 5}},
		},
		{
			what:  "a read that asks for the latest state may get an older one after a pause of the server",
			fixed: [][3]int{{3, 5, 28}, {3, 6, 9}},
		},
	}
}

// lookOnce looks at the version of a server once per handle, and warns of known faults.
// Nobody waits for it.
func (d *Driver) lookOnce() {
	d.looked.Do(func() {
		d.task(func() { // ends with its request
			ctx, cancel := context.WithTimeout(d.ctx, loadIn)
			defer cancel()
			status, err := read(ctx, d, (*member).Status, &pb.StatusRequest{})
			if err != nil {
				d.opts.Logger.LogAttrs(ctx, slog.LevelInfo, "the version of etcd is not known", slog.Any("error", err))
				return
			}
			if faults := KnownFaults(status.Version); len(faults) > 0 {
				d.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "this version of etcd has faults that matter to locks",
					slog.String("version", status.Version), slog.String("faults", strings.Join(faults, "; ")))
			}
		})
	})
}
