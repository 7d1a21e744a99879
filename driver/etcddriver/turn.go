package etcddriver

import (
	"context"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// ahead is what a place of a line of capacity 1 waits for: the last place before it that
// is in its way, as it was seen at a revision. While that one stands, the place is not
// granted; whatever happens in front of it.
type ahead struct {
	key  string
	seen int64
	far  bool // many places are before it, so that a look at the line is dear
}

// blocker finds what the place number i waits for. It reports false when nothing is in
// its way.
func (l *lineup) blocker(i int, revision int64) (ahead, bool) {
	for n := i - 1; n >= 0; n-- {
		if blocks(l.places[n], l.places[i]) {
			return ahead{key: string(l.kvs[n].Key), seen: revision, far: i > farBehind}, true
		}
	}
	return ahead{}, false
}

// blocks reports whether a place is in the way of one behind it, in a line of capacity 1.
func blocks(p, behind driver.Place) bool {
	return p.Units > 0 || p.Foreign || !p.Matches(behind.Kind, behind.Capacity)
}

// shortLine is how many places a line may have for its waiters to follow all of it. Then a
// hand-over needs no look at the line. In a longer one the news for those whose turn
// it is not would cost more.
const shortLine = 4

// farBehind is how many places before one make it worth another request not to look at all
// of them.
const farBehind = 50

// longWait is how long a place waits before it follows more than the end of the place
// ahead. What else may happen, that it is removed itself, or that the one ahead gives up
// its units and stays, it sees when its turn comes or, at the latest, then. In a line
// that moves fast each process would else be told three things for every turn, of which
// one is news.
const longWait = time.Second

// trails are what the wait for the place ahead follows. It goes last: it is the one that
// the next wait likely needs.
func trails(own, ahead string, long bool) []trail {
	if !long {
		return []trail{{key: ahead, ending: true}}
	}
	return []trail{{key: own, ending: true}, {key: ahead}}
}

// waitTurn waits for the place ahead to change, or the own one to end, then looks at the
// line up to the own place, and so on until nobody is ahead. Two watches are not one
// ordered stream: the end of the place ahead may be told before that of the own place,
// which came first. So a grant is taken from the look, which is later than the change
// that led to it, and never from the change itself.
func (s *session) waitTurn(ctx context.Context, p driver.Place, own string, next ahead) (driver.Place, error) {
	s.d.views.outgrown(p.Line)
	patience := time.NewTimer(longWait)
	defer patience.Stop()
	long := false
	var held []*track
	defer func() { s.d.tracks.done(held...) }()
	for {
		before := held
		var err error
		held, err = s.d.tracks.lookAll(p.Line, trails(own, next.key, long)...)
		s.d.tracks.done(before...) // what is still needed goes on
		if err != nil {
			return driver.Place{}, err
		}
		news, told, err := s.awaitChange(ctx, held, next.seen, patience.C)
		switch {
		case err != nil:
			return driver.Place{}, err
		case news == 0:
			long = true
			continue
		case next.far && !told:
			seen, err := s.stillBehind(ctx, p, own, next.key, news)
			if err != nil {
				return driver.Place{}, err
			}
			if seen > 0 {
				next.seen = seen
				continue
			}
		}
		l, i, revision, err := s.upTo(ctx, p, news)
		switch {
		case err != nil:
			return driver.Place{}, err
		case i < 0:
			return driver.Place{}, gone(p.Line, p.ID)
		case l.granted(i):
			return l.place(i), nil
		}
		next, _ = l.blocker(i, revision)
	}
}

// upTo reads the line up to a place as it was at some moment not before the revision of the
// news, and finds the place there.
//
// The member that brought the news has what they tell, and answers by itself. A quorum
// would be asked behind the commit under way, which is mostly that of the process that
// has just left and enters again: that would make a hand-over two commits long. What the
// member says may be old, but a place that stood granted then is granted for as long as
// it stands.
func (s *session) upTo(ctx context.Context, p driver.Place, news int64) (*lineup, int, int64, error) {
	prefix := s.d.layout.line(p.Line)
	look := rangeOf(under(prefix))
	look.MaxCreateRevision = int64(p.Order)
	look.Serializable = true
	answer, err := read(ctx, s.d, (*member).Range, look)
	if err == nil && answer.Header.Revision < news { // another member, which lags
		look.Serializable = false
		answer, err = read(ctx, s.d, (*member).Range, look)
	}
	if err != nil {
		return nil, -1, 0, err
	}
	l := newLineup(p.Line, prefix, answer.Kvs)
	return l, l.own(p.ID, s.lease), answer.Header.Revision, nil
}

// stillBehind reports, when watches have begun later than what they watch was seen, until
// when the place and the one ahead have stood for certain; 0 when one of them does not, or
// when that cannot be told. It reads these two only. A look at the line passes by all that
// stand in it, and in a line that forms each of them has watches that begin.
func (s *session) stillBehind(ctx context.Context, p driver.Place, own, ahead string, news int64) (seen int64, err error) {
	place, until, err := s.standsAt(ctx, own)
	if err != nil || place == nil || place.CreateRevision != int64(p.Order) || until < news {
		return 0, err
	}
	// At the key ahead the next place of that session may stand, behind this one.
	next, seen, err := s.standsAt(ctx, ahead)
	if err != nil || next == nil || next.CreateRevision >= int64(p.Order) || seen < news {
		return 0, err
	}
	if !blocks(placeOf(p.Line, s.d.layout.line(p.Line), next), p) {
		return 0, nil
	}
	return min(seen, until), nil
}

// standsAt reads one key as the member knows it, and the revision of that.
func (s *session) standsAt(ctx context.Context, key string) (*mvccpb.KeyValue, int64, error) {
	look := rangeOf(one(key))
	look.Serializable = true
	answer, err := read(ctx, s.d, (*member).Range, look)
	if err != nil {
		return nil, 0, err
	}
	if len(answer.Kvs) == 0 {
		return nil, answer.Header.Revision, nil
	}
	return answer.Kvs[0], answer.Header.Revision, nil
}

// awaitChange returns when one of the keys may have changed since it was seen, the revision
// up to which there is news of them, and whether a change was told; 0 when that took too long.
func (s *session) awaitChange(
	ctx context.Context, keys []*track, seen int64, patience <-chan time.Time,
) (news int64, told bool, err error) {
	wake := make(chan struct{}, 1)
	for _, t := range keys {
		defer t.listen(wake)()
	}
	for {
		news, all, told, err := newsOf(keys, seen)
		if err != nil {
			return 0, false, err
		}
		// Only when all are ready, so that one look is enough where several have just begun.
		if all && news > seen {
			return news, told, nil
		}
		select {
		case <-wake:
		case <-patience:
			return 0, false, nil
		case <-ctx.Done():
			return 0, false, context.Cause(ctx)
		case <-s.ctx.Done():
			return 0, false, s.over()
		}
	}
}

// newsOf asks all tracks for the revision of their news, whether all are ready, and whether
// one has told of a change since it was seen.
func newsOf(keys []*track, seen int64) (latest int64, all, told bool, err error) {
	all = true
	for _, t := range keys {
		news, ready, changed, err := t.news()
		if err != nil {
			return 0, false, false, err
		}
		latest, all, told = max(latest, news), all && ready, told || changed > seen
	}
	return latest, all, told, nil
}
