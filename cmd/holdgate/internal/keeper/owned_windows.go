package keeper

import "io/fs"

func owned(fs.FileInfo) bool { return true } // nothing is kept in the background here
