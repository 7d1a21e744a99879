package redisdriver

import (
	"context"

	"github.com/holdgate/holdgate/driver"
)

// page is how many lines or entries one script shows, so that none takes long.
const page = 256

// linesOf reads lines by their names, each one whole.
func (d *Driver) linesOf(ctx context.Context, names []string) ([]driver.Line, error) {
	all := make([]*request, len(names))
	for i, name := range names {
		all[i] = d.lineRequest(name)
	}
	answers, err := d.callAll(ctx, all)
	if err != nil {
		return nil, err
	}
	lines := make([]driver.Line, len(names))
	for i, answer := range answers {
		if lines[i], err = shownLine(answer); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// list reads all lines that a query matches, page by page. What changes meanwhile is told
// to whoever watches.
func (d *Driver) list(ctx context.Context, q driver.Query) ([]driver.Line, error) {
	if !q.Prefix {
		l, err := d.Line(ctx, q.Name)
		if err != nil || len(l.Places) == 0 {
			return nil, err
		}
		return []driver.Line{l}, nil
	}
	var lines []driver.Line
	err := d.pages(ctx, d.scripts.list, d.keys.lines, q.Name, func(told reply) error {
		l, err := shownLine(told)
		lines = append(lines, l)
		return err
	})
	return lines, err
}

// pages hands on what a script shows of an index, for all names with a prefix in their
// order. Each thing shown begins with its name.
func (d *Driver) pages(ctx context.Context, s *script, index, prefix string, take func(reply) error) error {
	from, to := "["+prefix, "("+prefix+"\xff" // names are UTF-8, which has no such byte
	for {
		answer, err := d.call(ctx, newRequest(s, []string{d.keys.deadlines, index}, from, to, page))
		if err != nil {
			return err
		}
		for i := range answer {
			if err := take(answer.list(i)); err != nil {
				return err
			}
		}
		if len(answer) < page {
			return nil
		}
		from = "(" + answer.list(len(answer)-1).text(0)
	}
}
