package discovery

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/membership"
)

// Lookup returns the instances of a service, up to date and sorted by ID. A service that has
// none, or never had, is no error.
func Lookup(ctx context.Context, client *holdgate.Client, service string) ([]Instance, error) {
	g, err := group(client, service)
	if err != nil {
		return nil, err
	}
	members, err := g.Members(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", service, err)
	}
	return instancesOf(members), nil
}

// Service is a service that has instances.
type Service struct {
	Name      string     `json:"name"`
	Instances []Instance `json:"instances"`
}

// Services returns all services that have instances and whose name begins with prefix, sorted
// by name.
func Services(ctx context.Context, client *holdgate.Client, prefix string) ([]Service, error) {
	lines, err := client.Lines(ctx, linePrefix+prefix)
	if err != nil {
		return nil, fmt.Errorf("services: %w", err)
	}
	services := make([]Service, 0, len(lines))
	for _, line := range lines {
		s := Service{Name: strings.TrimPrefix(line.Name, linePrefix), Instances: instancesOf(membership.In(line))}
		if len(s.Instances) > 0 {
			services = append(services, s)
		}
	}
	return services, nil
}

// Snapshot is the instances of a service at one moment.
type Snapshot struct {
	// Instances are sorted by ID.
	Instances []Instance
	// Revision counts the changes that this watch has seen, from 1: the instances are the same
	// exactly as long as it is. It means nothing to another watch.
	Revision uint64
	// Stale says that the store cannot be reached at the moment: the instances are as they were
	// seen last.
	Stale bool
}

// Watch yields all instances of a service, and again whenever they changed. Through an outage
// of the store it yields the last ones once more, as stale, never none because the store is
// away: it is [membership.Group.Watch].
func Watch(ctx context.Context, client *holdgate.Client, service string) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		g, err := group(client, service)
		if err != nil {
			yield(Snapshot{}, err)
			return
		}
		for s, err := range g.Watch(ctx) {
			now := Snapshot{Instances: instancesOf(s.Members), Revision: s.Revision, Stale: s.Stale}
			if err != nil {
				now = Snapshot{}
			}
			if !yield(now, err) || err != nil {
				return
			}
		}
	}
}
