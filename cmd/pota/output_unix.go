//go:build unix

package main

import (
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// beside begins a new file for path. It has the permissions and, where that is allowed,
// the owner of the one that exists, whose info is nil if there is none.
func beside(path string, info fs.FileInfo) (replacement, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return nil, err
	}
	if info != nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			f.Chown(int(owner.Uid), int(owner.Gid)) //nolint:errcheck // only root may give files away
		}
	}
	return f, nil
}
