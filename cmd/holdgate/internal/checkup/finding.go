package checkup

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/waitgraph"
)

// Problem is a kind of finding.
type Problem string

// The kinds of finding.
const (
	Deadlock Problem = "deadlock"          // nobody of them goes on
	Possible Problem = "possible deadlock" // nor here, if who holds is who waits
	Stuck    Problem = "stuck"             // held for long while others wait
	Overdue  Problem = "overdue"           // a session that is not renewed
	Orphan   Problem = "orphan"            // a place whose process has ended
	Foreign  Problem = "foreign"           // a place of other software
	Mismatch Problem = "mismatch"          // one name, used as different locks
)

// Finding is something that was found. The names of the fields in JSON are a promise, the
// sentences are not.
type Finding struct {
	Problem Problem `json:"problem"`
	// Note: it is good to know, and nothing is wrong.
	Note   bool     `json:"note,omitempty"`
	Names  []string `json:"names"`
	Says   []string `json:"says"`   // what was found
	Means  string   `json:"means"`  // what follows from it
	Do     []string `json:"do"`     // what to do: commands and, after " # ", what they do
	Places []Place  `json:"places"` // whose it is, in the order of what is said
}

// Place is a place, and the line that it stands in.
type Place struct {
	Name string `json:"name"`
	show.Place
}

// In makes the commands say which store they are for.
func (f *Finding) In(store string) {
	for i, do := range f.Do {
		command, comment, _ := strings.Cut(do, " # ")
		f.Do[i] = fmt.Sprintf("%s --store %s # %s", command, shellWord(store), comment)
	}
}

// shellWord quotes what a shell would read as more than a word.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("+,-./:=@_%", r))
	}
	if strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Rows is the finding as text.
func (f Finding) Rows() []string {
	head := string(f.Problem)
	if f.Note {
		head += " (nothing is wrong)"
	}
	rows := []string{head}
	for _, said := range f.Says {
		rows = append(rows, "  "+said)
	}
	rows = append(rows, "  "+f.Means)
	for _, do := range f.Do {
		rows = append(rows, "  $ "+do)
	}
	return rows
}

// shown is a place as it is shown; its position is not known here when it is 0.
func shown(name string, p holdgate.Place, position int) Place {
	return Place{Name: name, Place: show.NewPlace(p, position)}
}

func spot(lines []holdgate.Line, s waitgraph.Spot) Place {
	for _, l := range lines {
		for i, p := range l.Places {
			if l.Name == s.Name && p.ID == s.Place.ID {
				return shown(l.Name, p, i+1)
			}
		}
	}
	return shown(s.Name, s.Place, 0)
}
