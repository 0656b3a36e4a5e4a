//go:build unix

package files

import (
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// replace creates the pending file for path. It has the permissions of the existing file and, if
// the process may set it, the owner. info describes the existing file; it is nil if there is none.
func replace(path string, info fs.FileInfo) (pending, error) {
	f, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(filepath.Dir(path)), // on the same file system
		renameio.WithPermissions(0o666),
		renameio.WithExistingPermissions())
	if err != nil {
		return nil, err
	}
	if info != nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(owner.Uid), int(owner.Gid)) // only root may give files away
		}
	}
	return f, nil
}
