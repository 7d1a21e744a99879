package keeper

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Caller returns the process that whoever calls this program means: its parent or, when that is
// a part of a shell, the shell. A shell forks itself for $(...), parentheses and pipelines, and
// such a part ends with the command in it. Programs other than shells that fork themselves mean
// the new process.
func Caller() int {
	pid := os.Getppid()
	for {
		p, ok := lookAt(pid)
		if !ok || !p.forked || !isShell(p.program) {
			return pid
		}
		// When what it was forked from has ended, its parent is another by now.
		above, ok := lookAt(p.parent)
		if !ok || above.program != p.program || above.arguments != p.arguments {
			return pid
		}
		pid = p.parent
	}
}

// Name is what the system calls a process, "" where it does not tell.
func Name(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return string(bytes.TrimSuffix(name, []byte("\n")))
}

// process is one that may be a part of a shell.
type process struct {
	parent    int
	forked    bool // it runs what it was forked with
	program   string
	arguments string
}

func lookAt(pid int) (p process, ok bool) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return p, false
	}
	if p.parent, p.forked, ok = parseStat(string(stat)); !ok {
		return p, false
	}
	arguments, err := os.ReadFile(dir + "cmdline")
	if err != nil {
		return p, false
	}
	p.arguments = string(arguments)
	p.program, err = os.Readlink(dir + "exe")
	return p, err == nil
}

// forkedNotExecuted is PF_FORKNOEXEC of the kernel's flags of a process.
const forkedNotExecuted = 0x40

// parseStat reads the 4th field of /proc/PID/stat, the parent, and the 9th, the flags. The second
// one is a name in parentheses that may have anything in it.
func parseStat(stat string) (parent int, forked, ok bool) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 7 {
		return 0, false, false
	}
	parent, err := strconv.Atoi(fields[4-3])
	if err != nil {
		return 0, false, false
	}
	flags, err := strconv.ParseUint(fields[9-3], 10, 64)
	return parent, flags&forkedNotExecuted != 0, err == nil
}

// isShell reports whether a program is a shell by its name: bash, dash, ksh93, zsh-5.9, and what
// has one in it.
func isShell(program string) bool {
	name := filepath.Base(program)
	if end := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		name = name[:end]
	}
	return strings.HasSuffix(name, "sh") || name == "busybox" || name == "toybox"
}
