package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// accessFile is the JSON of an access file.
type accessFile struct {
	Callers []fileCaller `json:"callers"`
}

type fileCaller struct {
	Name string `json:"name"`
	// TokenSHA256 is the hash of the token in hexadecimal, TokenFile a file with the token
	// itself, beside this one if it is relative, and TokenVariable a variable with it.
	TokenSHA256   string      `json:"token_sha256"`
	TokenFile     string      `json:"token_file"`
	TokenVariable string      `json:"token_variable"`
	Certificate   string      `json:"certificate"`
	Allow         []fileRight `json:"allow"`
	MaxSessions   int         `json:"max_sessions"`
	MaxPlaces     int         `json:"max_places"`
	MaxListeners  int         `json:"max_listeners"`
}

type fileRight struct {
	Verbs  []Verb  `json:"verbs"`
	Prefix *string `json:"prefix"` // must be written, also when it is ""
}

// minToken is how short a token may be that is in a file or a variable.
const minToken = 16

// ReadAccess reads an access file. No error repeats a secret.
func ReadAccess(path string, env func(string) string) (*Access, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file accessFile
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", driver.ErrInvalid, path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %s: there is something behind the JSON", driver.ErrInvalid, path)
	}
	callers := make([]Caller, len(file.Callers))
	for i, c := range file.Callers {
		if callers[i], err = c.read(filepath.Dir(path), env); err != nil {
			return nil, fmt.Errorf("%s: caller %q: %w", path, c.Name, err)
		}
	}
	a, err := NewAccess(callers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

func (c fileCaller) read(dir string, env func(string) string) (Caller, error) {
	out := Caller{
		Name: c.Name, Certificate: c.Certificate,
		Sessions: c.MaxSessions, Places: c.MaxPlaces, Listeners: c.MaxListeners,
	}
	for _, r := range c.Allow {
		if r.Prefix == nil {
			return out, fmt.Errorf("%w: a right has no prefix; \"\" is all names", driver.ErrInvalid)
		}
		out.Rights = append(out.Rights, Right{Verbs: r.Verbs, Prefix: *r.Prefix})
	}
	var err error
	out.TokenSHA256, err = c.hash(dir, env)
	return out, err
}

// hash is that of the caller's token, from where the file says that it is.
func (c fileCaller) hash(dir string, env func(string) string) ([]byte, error) {
	given := 0
	for _, where := range []string{c.TokenSHA256, c.TokenFile, c.TokenVariable} {
		if where != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, fmt.Errorf("%w: one of token_sha256, token_file and token_variable is enough", driver.ErrInvalid)
	case c.TokenSHA256 != "":
		sum, err := hex.DecodeString(c.TokenSHA256)
		if err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("%w: token_sha256 is %d hexadecimal digits", driver.ErrInvalid, 2*sha256.Size)
		}
		return sum, nil
	case c.TokenVariable != "":
		return hashOf(env(c.TokenVariable), "the variable "+c.TokenVariable)
	case c.TokenFile != "":
		path := c.TokenFile
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return hashOf(string(text), path)
	}
	return nil, nil
}

func hashOf(token, where string) ([]byte, error) {
	token = strings.TrimSpace(token)
	if len(token) < minToken {
		return nil, fmt.Errorf("%w: the token in %s has less than %d characters", driver.ErrInvalid, where, minToken)
	}
	sum := sha256.Sum256([]byte(token))
	return sum[:], nil
}
