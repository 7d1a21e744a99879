package main

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// machine is where it was measured, as far as the system tells.
type machine struct {
	Processor  string `json:"processor,omitempty"`
	Cores      int    `json:"cores"`
	Memory     int64  `json:"memory_bytes,omitempty"`
	FileSystem string `json:"file_system,omitempty"` // of temporary files, where the stores write
	Kernel     string `json:"kernel,omitempty"`
	Platform   string `json:"platform"`
}

// thisMachine asks Linux; of others it knows what Go does.
func thisMachine() machine {
	return machine{
		Processor:  valueIn("/proc/cpuinfo", `(?m)^model name\s*: (.*)$`),
		Cores:      runtime.NumCPU(),
		Memory:     kibibytes(valueIn("/proc/meminfo", `(?m)^MemTotal:\s*(\d+) kB$`)) << 10,
		FileSystem: fileSystemOf(os.TempDir()),
		Kernel:     valueIn("/proc/version", `^(\S+) version `) + " " + valueIn("/proc/sys/kernel/osrelease", `^(\S+)`),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// load is how many processes run or want to, on average over a minute.
func load() float64 {
	average, err := strconv.ParseFloat(valueIn("/proc/loadavg", `^(\S+)`), 64)
	if err != nil {
		return 0 // it is not told
	}
	return average
}

// valueIn is the group of a pattern in a file, or empty.
func valueIn(path, pattern string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	if found := regexp.MustCompile(pattern).FindSubmatch(text); found != nil {
		return strings.TrimSpace(string(found[1]))
	}
	return ""
}

func kibibytes(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// fileSystemOf is the kind of the file system that a directory is in: that of the longest
// path which is mounted above it.
func fileSystemOf(dir string) string {
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return ""
	}
	var kind, at string
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || len(fields[1]) < len(at) {
			continue
		}
		if below := strings.TrimSuffix(fields[1], "/") + "/"; strings.HasPrefix(dir+"/", below) {
			at, kind = fields[1], fields[2]
		}
	}
	return kind
}
