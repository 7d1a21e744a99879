package main

import (
	"fmt"
	"strings"
)

// What stands between such lines is written anew:
//
//	<!-- numbers: limits Etcd Member -->
//	<!-- end of numbers -->
const (
	partBegins = "<!-- numbers: "
	partsEnd   = " -->"
	partEnds   = "<!-- end of numbers -->"
)

// fill returns the page with each marked part as write has it, and the rest as it was.
func fill(page string, write func(name string, args []string) (string, error)) (string, error) {
	var filled strings.Builder
	inside := ""
	for line := range strings.Lines(page) {
		trimmed := strings.TrimSpace(line)
		switch order, begins := strings.CutPrefix(trimmed, partBegins); {
		case begins && inside != "":
			return "", fmt.Errorf("%s: there is no end of it", inside)
		case begins:
			inside = trimmed
			words := strings.Fields(strings.TrimSuffix(order, partsEnd))
			if len(words) == 0 {
				return "", fmt.Errorf("%s: it does not say what", inside)
			}
			part, err := write(words[0], words[1:])
			if err != nil {
				return "", fmt.Errorf("%s: %w", inside, err)
			}
			filled.WriteString(line + "\n" + strings.TrimRight(part, "\n") + "\n\n")
		case trimmed == partEnds && inside == "":
			return "", fmt.Errorf("%s: there is no beginning of it", partEnds)
		case trimmed == partEnds:
			inside = ""
			filled.WriteString(line)
		case inside == "":
			filled.WriteString(line)
		}
	}
	if inside != "" {
		return "", fmt.Errorf("%s: there is no end of it", inside)
	}
	return filled.String(), nil
}
