package keeper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A keeper that ends before it was asked to leaves word of why, beside its socket: whoever
// comes with the handle later is told.

const (
	wordSuffix = ".word"
	// wordTime is how long word is kept that nobody asked for.
	wordTime = 7 * 24 * time.Hour
)

// LeaveWord keeps the outcome for who comes when the keeper has ended. It is called before Close.
func (s *Socket) LeaveWord(o Outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(s.Handle+wordSuffix, text, 0o600)
}

// lastWord returns the outcome that a keeper left for the handle, or else this error. It is told
// once, as that of a keeper that lives.
func lastWord(handle string, otherwise error) (Outcome, error) {
	text, err := os.ReadFile(handle + wordSuffix)
	if err != nil {
		return Outcome{}, otherwise
	}
	_ = os.Remove(handle + wordSuffix) // one that stays is swept up later
	var o Outcome
	if err = json.Unmarshal(text, &o); err != nil {
		return Outcome{}, otherwise
	}
	return o, nil
}

// sweep removes word that nobody asked for.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read is left
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), wordSuffix) {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > wordTime {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}
