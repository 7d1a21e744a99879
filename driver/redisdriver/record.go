package redisdriver

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// shownPlace reads a place as lua/show.lua shows it. Its kind and capacity, and whether
// it is granted, are not in there.
func shownPlace(line string, r reply) (driver.Place, error) {
	p := driver.Place{Line: line, ID: r.text(0), Owner: r.text(3)}
	p.TTL = time.Duration(number(r.text(4))) * time.Millisecond
	if err := readRecord(&p, r.text(1)); err != nil {
		return driver.Place{}, err
	}
	if text := r.text(2); text != "" {
		mark, err := readMark(line, p.ID, text)
		if err != nil {
			return driver.Place{}, err
		}
		p.Eviction = &mark
	}
	p.Kind, p.Capacity = driver.Kind(r.text(5)), number(r.text(6))
	return p, nil
}

// readRecord reads "units version order session data".
func readRecord(p *driver.Place, record string) error {
	fields := strings.SplitN(record, " ", 5)
	if len(fields) != 5 {
		return fmt.Errorf("%w: place %s in line %q has the record %q", driver.ErrUnavailable, p.ID, p.Line, record)
	}
	order, err := strconv.ParseUint(fields[2], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: place %s in line %q: %w", driver.ErrUnavailable, p.ID, p.Line, err)
	}
	p.Units, p.Version, p.Order = number(fields[0]), uint64(number(fields[1])), order
	p.Session = fields[3]
	if fields[4] != "" {
		p.Data = []byte(fields[4])
	}
	return nil
}

// mark is how an eviction is kept.
type mark struct {
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

func writeMark(e driver.Eviction) (string, error) {
	text, err := json.Marshal(mark{Reason: e.Reason, By: e.By})
	return string(text), err
}

func readMark(line, id, text string) (driver.Eviction, error) {
	var m mark
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return driver.Eviction{}, fmt.Errorf("%w: the mark of place %s in line %q: %w", driver.ErrUnavailable, id, line, err)
	}
	return driver.Eviction{Line: line, PlaceID: id, Reason: m.Reason, By: m.By}, nil
}
