package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// From starting the process to the first lock, and the memory it takes then.
func BenchmarkServe(b *testing.B) {
	var resident float64
	for b.Loop() {
		address := freeAddress(b)
		p := serveProcess(b, "--data-dir", dataDirOf(b), "--listen", address)
		lockAndUnlock(b, dial(b, clientv3.Config{Endpoints: []string{address}}))
		b.StopTimer()
		resident = max(resident, residentMiB(b, p))
		p.kill()
		b.StartTimer()
	}
	b.ReportMetric(resident, "MiB-resident")
}

func residentMiB(b *testing.B, p *process) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		b.Skip("no /proc")
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(text)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
