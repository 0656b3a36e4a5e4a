// Package wal is a write-ahead log: its records are on the disk before they are acknowledged.
//
// # Format
//
// A log is a file of a header and records. All numbers are big-endian.
//
//	header    3 sectors of 512 bytes: the magic, marker 0, marker 1
//	marker    base u64, end u64, next u64, CRC-32C of these u32
//	record    length u32, type u8, sequence number u64, CRC-32C of these and the data u32, data
//
// Sequence numbers are contiguous: the first record of the file has number base. So a record that
// was copied, moved or left out is detected even if its checksum is correct.
//
// # Commits
//
// Append keeps records in memory. Commit writes them, waits until they are on the disk, and only
// then writes a marker, which says where the committed records end. Markers alternate between two
// sectors, so that a torn marker leaves the other one intact. A marker is never ahead of the
// records, and after a process was killed it covers exactly the acknowledged records.
//
// # Recovery
//
// Let E be the end according to the newest valid marker.
//
//	a record before E is missing or invalid            the log is damaged: ErrDamaged
//	a record after E is invalid                        an unfinished commit, which was never
//	                                                   acknowledged: it is cut off, and reported
//	both markers, or the magic, are invalid            the log is damaged
//
// One case cannot be detected: a power failure may lose the last marker, which is not synced. Damage
// to the commits after the older marker then looks like an unfinished commit.
//
// # Compaction
//
// Rewrite replaces the log by one with the records that are still needed. It uses a rename, so that
// there is always either the old log or the new one.
package wal

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// A Record is one entry of the log.
type Record struct {
	Seq  uint64
	Type uint8
	Data []byte // valid until the next record is read
}

// Errors of a log that cannot be used.
var (
	ErrDamaged = errors.New("the log is damaged: use another directory, or remove this one")
	ErrInUse   = errors.New("the log is in use by another process")
	ErrRemoved = errors.New("the log was removed or replaced while it was in use")
)

const (
	sector     = 512
	headerSize = 3 * sector
	markerSize = 3*8 + 4
	headSize   = 4 + 1 + 8 + 4
	maxRecord  = 1 << 30
	bufferSize = 1 << 16

	lockTimeout = time.Second // how long to wait for a process that is about to end
)

var (
	magic  = []byte("pota write-ahead log 1\n")
	crc32c = crc32.MakeTable(crc32.Castagnoli)
)

// A Log is an open log. It must not be used by several goroutines at once.
//
//	(1) the file has the records from base to next-1, and ends at end
//	(2) pending has the records appended since then, from next on
type Log struct {
	dir     string
	lock    *flock.Flock
	file    *os.File
	base    uint64
	next    uint64 // the number of the first record in pending
	end     int64
	pending []byte
	count   uint64 // how many records pending has
	marker  int    // the sector that is written next
	err     error  // the first error, after which no commit succeeds
}

// Open opens the log in a directory, and creates both if they do not exist. Recover must be called
// before any other method.
func Open(dir string) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := &Log{dir: dir, lock: flock.New(filepath.Join(dir, "lock"))}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	_, err := l.lock.TryLockContext(ctx, lockTimeout/20)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrInUse
	}
	if err != nil {
		return nil, err
	}
	if _, err = os.Stat(l.path()); errors.Is(err, os.ErrNotExist) {
		err = l.Rewrite(func(func(uint8, ...[]byte)) error { return nil })
	} else if err == nil {
		err = l.open()
	}
	if err != nil {
		return nil, errors.Join(err, l.lock.Unlock())
	}
	return l, nil
}

func (l *Log) path() string { return filepath.Join(l.dir, "log") }

// open opens the file, and reads its header.
func (l *Log) open() error {
	file, err := os.OpenFile(l.path(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	l.file = file
	var header [headerSize]byte
	if _, err := io.ReadFull(file, header[:]); err != nil || string(header[:len(magic)]) != string(magic) {
		return errors.Join(ErrDamaged, file.Close())
	}
	l.end = 0
	for i := range 2 {
		m := header[sector*(i+1):][:markerSize]
		if crc32.Checksum(m[:24], crc32c) != binary.BigEndian.Uint32(m[24:]) {
			continue
		}
		end := int64(binary.BigEndian.Uint64(m[8:]))
		if end < l.end {
			continue
		}
		l.base = binary.BigEndian.Uint64(m)
		l.end = end
		l.next = binary.BigEndian.Uint64(m[16:])
		l.marker = 1 - i
	}
	if l.end == 0 {
		return errors.Join(ErrDamaged, file.Close())
	}
	return nil
}

// Recover calls apply for each record in the log, and returns how many bytes of an unfinished
// commit were cut off. The error is ErrDamaged, or comes from apply.
func (l *Log) Recover(apply func(Record) error) (torn int64, err error) {
	info, err := l.file.Stat()
	if err != nil {
		return 0, err
	}
	end, next, err := l.scan(info.Size(), apply)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return 0, err
	}
	if end < l.end {
		return 0, ErrDamaged
	}
	l.end = end
	l.next = next
	if err := l.file.Truncate(end); err != nil {
		return 0, err
	}
	// Whole records after the marker become committed ones, so they must be on the disk first.
	if err := l.file.Sync(); err != nil {
		return 0, err
	}
	return info.Size() - end, l.mark()
}

// Read calls visit for each committed record.
func (l *Log) Read(visit func(Record) error) error {
	_, _, err := l.scan(l.end, visit)
	return err
}

// scan calls visit for the records of the file up to a size, and returns where the last complete one
// ends, and the number after it. The error is ErrDamaged if the bytes after that are not a record.
func (l *Log) scan(size int64, visit func(Record) error) (end int64, next uint64, err error) {
	end = headerSize
	next = l.base
	in := bufio.NewReaderSize(io.NewSectionReader(l.file, end, size-end), bufferSize)
	var head [headSize]byte
	var data []byte
	for {
		if _, err := io.ReadFull(in, head[:]); err == io.EOF {
			return end, next, nil
		} else if err != nil {
			return end, next, errors.Join(ErrDamaged, err)
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		if seq := binary.BigEndian.Uint64(head[5:]); seq != next || length > size-end-headSize {
			return end, next, ErrDamaged
		}
		data = slices.Grow(data[:0], int(length))[:length]
		if _, err := io.ReadFull(in, data); err != nil {
			return end, next, errors.Join(ErrDamaged, err)
		}
		if checksum(head[:headSize-4], data) != binary.BigEndian.Uint32(head[headSize-4:]) {
			return end, next, ErrDamaged
		}
		if err := visit(Record{Seq: next, Type: head[4], Data: data}); err != nil {
			return end, next, err
		}
		end += headSize + length
		next++
	}
}

func checksum(head []byte, parts ...[]byte) uint32 {
	sum := crc32.Checksum(head, crc32c)
	for _, p := range parts {
		sum = crc32.Update(sum, crc32c, p)
	}
	return sum
}

// appendRecord appends a record to buffer. A record that is too long makes all commits fail.
func (l *Log) appendRecord(buffer []byte, seq uint64, kind uint8, parts ...[]byte) []byte {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	if length > maxRecord {
		l.err = fmt.Errorf("a record of the log must have at most %d bytes, not %d", maxRecord, length)
		return buffer
	}
	start := len(buffer)
	buffer = binary.BigEndian.AppendUint32(buffer, uint32(length))
	buffer = append(buffer, kind)
	buffer = binary.BigEndian.AppendUint64(buffer, seq)
	buffer = binary.BigEndian.AppendUint32(buffer, checksum(buffer[start:], parts...))
	for _, p := range parts {
		buffer = append(buffer, p...)
	}
	return buffer
}

// Append adds a record to the next commit, which returns an error if the record cannot be added. The
// data of the record is the concatenation of the parts.
func (l *Log) Append(kind uint8, parts ...[]byte) {
	l.pending = l.appendRecord(l.pending, l.next+l.count, kind, parts...)
	l.count++
}

// Pending returns how many bytes wait for the next commit.
func (l *Log) Pending() int { return len(l.pending) }

// Next returns the number that the next appended record will have.
func (l *Log) Next() uint64 { return l.next + l.count }

// Size returns how many bytes the committed records take.
func (l *Log) Size() int64 { return l.end - headerSize }

// Commit makes the appended records safe. After an error all later commits fail as well: only a
// recovery can find out what is on the disk.
func (l *Log) Commit() error {
	if l.err != nil || len(l.pending) == 0 {
		return l.err
	}
	if l.err = l.there(); l.err == nil {
		_, l.err = l.file.WriteAt(l.pending, l.end)
	}
	if l.err == nil {
		l.err = l.file.Sync()
	}
	if l.err != nil {
		return l.err
	}
	// The records are on the disk. Only now may the marker cover them.
	l.end += int64(len(l.pending))
	l.next += l.count
	l.pending, l.count = l.pending[:0], 0
	l.err = l.mark()
	return l.err
}

// there returns an error if the path of the log no longer leads to the file.
func (l *Log) there() error {
	here, err := l.file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(l.path())
	if err != nil || !os.SameFile(here, now) {
		return ErrRemoved
	}
	return nil
}

// mark writes a marker with the end of the committed records.
func (l *Log) mark() error {
	_, err := l.file.WriteAt(marker(l.base, l.end, l.next), int64(sector*(l.marker+1)))
	l.marker = 1 - l.marker
	return err
}

func marker(base uint64, end int64, next uint64) []byte {
	m := binary.BigEndian.AppendUint64(nil, base)
	m = binary.BigEndian.AppendUint64(m, uint64(end))
	m = binary.BigEndian.AppendUint64(m, next)
	return binary.BigEndian.AppendUint32(m, crc32.Checksum(m, crc32c))
}

// Rewrite replaces the log by the records that fill adds. Nothing may wait for a commit.
func (l *Log) Rewrite(fill func(add func(kind uint8, parts ...[]byte)) error) error {
	if l.err == nil && l.file != nil {
		l.err = l.there()
	}
	if l.err == nil {
		l.err = l.rewrite(fill)
	}
	return l.err
}

func (l *Log) rewrite(fill func(add func(kind uint8, parts ...[]byte)) error) error {
	path := l.path() + ".new"
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(l.write(file, fill), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	if l.file != nil { // on Windows an open file cannot be replaced
		if err := l.file.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(path, l.path()); err != nil {
		return err
	}
	if err := syncDir(l.dir); err != nil {
		return err
	}
	return l.open()
}

// write writes a whole log.
func (l *Log) write(file *os.File, fill func(add func(kind uint8, parts ...[]byte)) error) error {
	out := bufio.NewWriterSize(file, bufferSize)
	_, _ = out.Write(make([]byte, headerSize)) // Flush returns the error
	end := int64(headerSize)
	next := l.next
	var record []byte
	err := fill(func(kind uint8, parts ...[]byte) {
		record = l.appendRecord(record[:0], next, kind, parts...)
		_, _ = out.Write(record)
		end += int64(len(record))
		next++
	})
	if err = errors.Join(err, l.err, out.Flush()); err != nil {
		return err
	}
	header := make([]byte, headerSize)
	copy(header, magic)
	copy(header[sector:], marker(l.next, end, next))
	_, err = file.WriteAt(header, 0)
	return errors.Join(err, file.Sync())
}

// syncDir makes the names in a directory safe, if the system supports it.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrPermission) { // Windows
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Close closes the log, and drops uncommitted records.
func (l *Log) Close() error {
	return errors.Join(l.lock.Unlock(), l.file.Close())
}

// Remove closes the log and removes it. The lock file stays, because another process may wait for it.
func (l *Log) Remove() error {
	err := l.file.Close()
	if bad := os.Remove(l.path()); !errors.Is(bad, os.ErrNotExist) {
		err = errors.Join(err, bad)
	}
	return errors.Join(err, l.lock.Unlock())
}
