//go:build unix

package files

import (
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// replace begins a new file for path. It has the permissions and, if that is allowed, the
// owner of the file that exists; info is nil if none does.
func replace(path string, info fs.FileInfo) (pending, error) {
	f, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(filepath.Dir(path)), // the same file system
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
