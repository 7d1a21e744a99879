package filedriver

import (
	"errors"
	"os"
)

// On Windows, Open answers driver.ErrUnsupported, and nothing below is ever called: named
// pipes, and directories whose files are in use, behave differently there.
const (
	supported = false
	openFlags = 0
)

func lockFile(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }
func unlockFile(*os.File) error             { return errors.ErrUnsupported }
func links(*os.File) (uint64, error)        { return 0, errors.ErrUnsupported }

type inode struct{}

func identify(string) (inode, error)              { return inode{}, errors.ErrUnsupported }
func identifyOpen(*os.File) (inode, error)        { return inode{}, errors.ErrUnsupported }
func exists(string) bool                          { return false }
func duplicate(*os.File) (*os.File, error)        { return nil, errors.ErrUnsupported }
func unlink(string) error                         { return errors.ErrUnsupported }
func rmdir(string) error                          { return errors.ErrUnsupported }
func readNames(string, []byte) ([]string, error)  { return nil, errors.ErrUnsupported }
func unusableFileSystem(string) (string, error)   { return "", errors.ErrUnsupported }
func lockHolder(string) int                       { return 0 }
func ownerIfRoot(os.FileInfo) (uid, gid int)      { return -1, -1 }
func (r *root) makePipe(string) (*os.File, error) { return nil, errors.ErrUnsupported }
func writePipe(string, []byte) bool               { return false }
