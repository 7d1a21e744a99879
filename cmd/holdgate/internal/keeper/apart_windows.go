package keeper

import (
	"errors"
	"os/exec"
)

func apart(*exec.Cmd) error {
	return errors.New("a lock cannot be kept in the background on Windows; use holdgate run")
}
