package main

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate"
)

// Variables in the environment of a command that runs under a lock.
const (
	nameVariable  = "HOLDGATE_NAME"
	ownerVariable = "HOLDGATE_OWNER"
	ttlVariable   = "HOLDGATE_TTL"
	tokenVariable = "HOLDGATE_FENCING_TOKEN"
)

// environ is the environment of the command. Ours come last and replace those of an
// outer run: the inner of two nested commands sees its own lock.
func (r *running) environ(hold *holdgate.Hold) []string {
	outer := []string{nameVariable, ownerVariable, ttlVariable, tokenVariable, heldVariable}
	env := slices.DeleteFunc(r.store.Environ(os.Environ()), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(outer, name)
	})
	env = append(env,
		nameVariable+"="+strings.Join(hold.Names(), "\n"),
		ownerVariable+"="+r.holder,
		ttlVariable+"="+strconv.FormatFloat(r.lifetime().Seconds(), 'f', -1, 64),
		heldVariable+"="+held(hold),
	)
	if tokens := tokensOf(hold); tokens != "" {
		env = append(env, tokenVariable+"="+tokens)
	}
	return env
}

// tokensOf returns the fencing tokens, a line for each name; none of a lock that others may hold too,
// or where the store gives none.
func tokensOf(hold *holdgate.Hold) string {
	if hold.Token() == 0 || !hold.Exclusive() {
		return ""
	}
	var tokens []string
	for _, name := range hold.Names() {
		tokens = append(tokens, hold.TokenFor(name).String())
	}
	return strings.Join(tokens, "\n")
}
