package filedriver

import (
	"path/filepath"

	"github.com/holdgate/holdgate/driver"
)

func (d *Driver) lineDir(dir string) string { return filepath.Join(d.root.linesDir(), dir) }

// lineName returns the name of the line that a directory is for. Others are not ours.
func (d *Driver) lineName(dir string) (string, bool) {
	if !isHashed(dir) {
		name, ok := unescape(dir)
		return name, ok && driver.CheckName(name) == nil
	}
	content, err := readFile(filepath.Join(d.lineDir(dir), nameFile))
	if err != nil {
		return "", false // not written yet, or removed again
	}
	name := string(content)
	back, _ := escape(name)
	return name, back == dir && driver.CheckName(name) == nil
}
