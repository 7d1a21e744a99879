package redisfence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// Script is a Lua script that runs only for a holder whose token is not stale. It may be
// run by any goroutine.
type Script struct{ script *redis.Script }

// staleReply begins the error that the check answers with: the newest token follows.
const staleReply = "STALEFENCE"

// prologue is the check. It comes first: a script that fails later has raised the token,
// which is harmless, and one that is refused has written nothing.
//
// Tokens are decimal without leading zeros, so the longer one is larger, and of the same
// length the one that sorts later.
const prologue = `do
  local key, token = table.remove(KEYS), table.remove(ARGV)
  local newest = redis.call('GET', key)
  if newest and (#newest > #token or #newest == #token and newest > token) then
    return redis.error_reply('` + staleReply + ` ' .. newest)
  end
  if newest ~= token then
    redis.call('SET', key, token)
  end
end
`

// NewScript makes a script of Lua source, as redis.NewScript does: KEYS, ARGV, and what it
// returns, are as without a fence. A first line of flags, as "#!lua flags=...", stays the
// first.
func NewScript(source string) *Script { return &Script{redis.NewScript(compose(source))} }

// compose puts the check before a script, and after its flags.
func compose(source string) string {
	head := ""
	if strings.HasPrefix(source, "#!") {
		line, rest, _ := strings.Cut(source, "\n")
		head, source = line+"\n", rest
	}
	return head + prologue + source
}

// Run runs the script if the pass is not stale, else it answers a *fence.StaleError and
// the script has not begun. After an error of the network it may have run.
func (f *Fences) Run(ctx context.Context, p fence.Pass, s *Script, keys []string, args ...any) (any, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	keys = append(keys[:len(keys):len(keys)], f.key(p.Name))
	args = append(args[:len(args):len(args)], p.Token.String())
	reply, err := s.script.Run(ctx, f.client, keys, args...).Result()
	if err == nil || errors.Is(err, redis.Nil) {
		return reply, err
	}
	if newest, ok := staleAnswer(err); ok {
		return nil, &fence.StaleError{Name: p.Name, Token: p.Token, Newest: newest}
	}
	return nil, fmt.Errorf("fenced script of %q: %w", p.Name, err)
}

// staleAnswer reads the refusal of the check. What it cannot read in it is 0.
func staleAnswer(err error) (newest holdgate.Token, stale bool) {
	text, stale := strings.CutPrefix(err.Error(), staleReply+" ")
	if !stale {
		return 0, false
	}
	text, _, _ = strings.Cut(text, " ") // the server may add where in the script it was
	newest, _ = holdgate.ParseToken(text)
	return newest, true
}

// Check remembers the pass, or answers a *fence.StaleError. What is written after it may
// come too late all the same: use it where the writes are elsewhere, or before reads.
func (f *Fences) Check(ctx context.Context, p fence.Pass) error {
	_, err := f.Run(ctx, p, NewScript("return 1"), nil)
	return err
}
