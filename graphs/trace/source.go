package trace

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Source is the input of one trace: a file, standard input for "-", or the files of a
// directory, with the parts of each log in the order of writing ([Log]). Text compressed with
// gzip or zstd is decompressed.
type Source struct {
	Path  string
	from  io.Reader // a reader to use instead of a file; nil if there is none
	files []string
	head  *Input // an input that Head opened and Next has not returned yet
	next  int

	digest bool      // whether to compute digests
	sums   []fileSum // the digests of the files that have been closed
}

// An Input is one file of a Source, decompressed.
type Input struct {
	Name   string // the name for messages
	r      *bufio.Reader
	lent   []*bufio.Reader // the readers to return to the pool
	closes []func() error
}

// readers is a pool of buffers for inputs, because a directory may hold as many files as there are
// processes.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

// from makes the input read from r, through a buffer of the pool.
func (in *Input) from(r io.Reader) {
	in.r = readers.Get().(*bufio.Reader)
	in.r.Reset(r)
	in.lent = append(in.lent, in.r)
}

// Open lists the files of a source, those of a directory in the order of Source. It does not open
// them.
func Open(path string) (*Source, error) {
	s := &Source{Path: path, files: []string{path}}
	if path == "-" {
		s.from = os.Stdin
		return s, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, OpenError(path, err)
	}
	if !info.IsDir() {
		return s, nil
	}
	if s.files, err = filesOf(path); err != nil {
		return nil, err
	}
	return s, nil
}

const oneLogEach = "a directory that is a trace holds one log for each process"

// filesOf returns the files of a directory, in order. If a file has several names, such as links,
// only one is returned: preferably that of an older part of a log, and a symbolic link only if
// there is no other.
func filesOf(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, OpenError(path, err)
	}
	type alike struct { // equal for all names of a file
		size int64
		time time.Time
	}
	infos, like := make(map[string]fs.FileInfo), make(map[alike][]string)
	var parts, files, links []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		file := filepath.Join(path, e.Name())
		info, err := os.Stat(file)
		if err != nil {
			return nil, OpenError(file, err)
		}
		if !info.Mode().IsRegular() {
			return nil, Errorf(file, 0, "not a regular file (%s)", oneLogEach)
		}
		infos[file] = info
		switch log, _ := LogOf(file); {
		case e.Type()&fs.ModeSymlink != 0:
			links = append(links, file)
		case log == filepath.Clean(file):
			files = append(files, file)
		default:
			parts = append(parts, file)
		}
	}
	if len(infos) == 0 {
		return nil, Errorf(path, 0, "the directory holds no file (%s)", oneLogEach)
	}
	files = slices.DeleteFunc(slices.Concat(parts, files, links), func(file string) bool {
		info := infos[file]
		// Only files of equal size and time are compared, because there may be thousands.
		key := alike{info.Size(), info.ModTime()}
		same := func(other string) bool { return os.SameFile(info, infos[other]) }
		if slices.ContainsFunc(like[key], same) {
			return true
		}
		like[key] = append(like[key], file)
		return false
	})
	var ordered []string
	for _, log := range Logs(files) {
		if err := log.Unclear(); err != nil {
			return nil, err
		}
		ordered = append(ordered, log.Files...)
	}
	return ordered, nil
}

// From returns a source that reads from r, compressed or not.
func From(name string, r io.Reader) *Source {
	return &Source{Path: name, from: r, files: []string{name}}
}

// OpenError returns the error of opening or reading a path.
func OpenError(path string, err error) *Error {
	msg := err.Error()
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		msg = pathError.Err.Error()
	}
	return &Error{File: path, Msg: msg, Err: err}
}

// Files returns the paths of the inputs. The slice must not be changed.
func (s *Source) Files() []string { return s.files }

// Digest makes the source compute the SHA-256 of its files, as stored and not decompressed, while
// they are read. It must be called before anything is read.
func (s *Source) Digest() { s.digest = true }

// Sum returns the SHA-256 of a file in hexadecimal; for a directory, the SHA-256 of the output
// of sha256sum for its files, in the order of their names. All inputs must have been closed.
func (s *Source) Sum() string {
	if len(s.sums) == 1 && !s.Directory() {
		return s.sums[0].sum
	}
	all := sha256.New()
	slices.SortFunc(s.sums, func(a, b fileSum) int { return strings.Compare(a.name, b.name) })
	for _, f := range s.sums {
		fmt.Fprintln(all, f)
	}
	return fmt.Sprintf("%x", all.Sum(nil))
}

// A fileSum is the digest of a file.
type fileSum struct{ name, sum string }

// String returns the line that sha256sum prints. Like it, String escapes line ends in names, so
// that they cannot fake the line of another file.
func (f fileSum) String() string {
	if escaped := nameEscapes.Replace(f.name); escaped != f.name {
		return `\` + f.sum + "  " + escaped
	}
	return f.sum + "  " + f.name
}

var nameEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// ReadFile reads a file other than a trace, such as a mapping or a file of formulas. It must not
// have more bytes than most. Errors are *Error or the error of ctx.
func ReadFile(ctx context.Context, path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, OpenError(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(reader{ctx, f}, most+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, OpenError(path, err)
	case int64(len(text)) > most:
		return nil, tooLarge(path, most)
	}
	return text, nil
}

// A reader reads until its context is done.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

func tooLarge(path string, most int64) *Error {
	if most < 1<<20 {
		return Errorf(path, 0, "the file has more than %d bytes", most)
	}
	return Errorf(path, 0, "the file has more than %d megabytes", most>>20)
}

// Directory reports whether the source is a directory.
func (s *Source) Directory() bool { return len(s.files) != 1 || s.files[0] != s.Path }

// Head returns up to n bytes of the first input that is not blank, or else of the last one, without
// consuming it. It closes and skips earlier inputs that are blank and have at most n bytes: they
// say nothing in any format. It ignores that an input is cut off; its reader reports that.
func (s *Source) Head(n int) ([]byte, error) {
	for {
		if s.head == nil {
			in, err := s.Next()
			if err != nil {
				return nil, err
			}
			s.head = in
		}
		// Peek returns no more than the size of the buffer.
		if s.head.r.Size() < n {
			s.head.r = bufio.NewReaderSize(s.head.r, n)
		}
		head, err := s.head.r.Peek(n)
		if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, s.head.failed(err)
		}
		text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte(ByteOrderMark)))
		if err != io.EOF || s.next == len(s.files) || len(text) > 0 {
			return head, nil
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
}

// Next opens the next input; the error is io.EOF after the last one.
func (s *Source) Next() (*Input, error) {
	if in := s.head; in != nil {
		s.head = nil
		return in, nil
	}
	if s.next == len(s.files) {
		return nil, io.EOF
	}
	s.next++
	return s.openInput(s.files[s.next-1])
}

// Each calls f with one input after the other, and closes each input and, at the end, the source.
// Errors are *Error, the error of ctx, or the error of f.
func (s *Source) Each(ctx context.Context, f func(in *Input) error) error {
	defer s.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		in, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(in)
			in.Close()
		}
		if err != nil {
			return err
		}
	}
}

// One opens the only input of a source. It returns an error for a directory; what names the
// expected kind of file.
func (s *Source) One(what string) (*Input, error) {
	if s.Directory() {
		return nil, Errorf(s.Path, 0, "a directory: %s is one file", what)
	}
	return s.Next()
}

// Text reads the only input of a source, by One and Input.Text, and closes the source.
func (s *Source) Text(
	ctx context.Context, what string, most int64, opts *Options,
) (name, text string, err error) {
	defer s.Close()
	in, err := s.One(what)
	if err != nil {
		return "", "", err
	}
	text, err = in.Text(ctx, most, opts)
	return in.Name, text, err
}

// Close closes an input that Head opened and Next has not returned.
func (s *Source) Close() error {
	if s.head == nil {
		return nil
	}
	in := s.head
	s.head = nil
	return in.Close()
}

func (s *Source) openInput(path string) (*Input, error) {
	in := &Input{Name: path}
	raw := s.from
	if raw == nil {
		f, err := os.Open(path)
		if err != nil {
			return nil, OpenError(path, err)
		}
		in.closes = append(in.closes, f.Close)
		raw = f
	}
	// Before decompression, because the digest is that of the file, as sha256sum prints it.
	if s.digest {
		h := sha256.New()
		raw = io.TeeReader(raw, h)
		in.closes = append(in.closes, func() error {
			_, err := io.Copy(io.Discard, raw) // the digest is that of the whole file
			s.sums = append(s.sums, fileSum{filepath.Base(path), fmt.Sprintf("%x", h.Sum(nil))})
			return err
		})
	}
	in.from(raw)
	if err := in.decompress(); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	magics    = [][]byte{gzipMagic, zstdMagic, {0xfd, '7', 'z', 'X', 'Z', 0}, []byte("BZh")}
)

// Compressed reports whether text begins like gzip, zstd, xz or bzip2.
func Compressed(text []byte) bool {
	begins := func(magic []byte) bool { return bytes.HasPrefix(text, magic) }
	return slices.ContainsFunc(magics, begins)
}

// Decompressor returns a reader that decompresses r if the first bytes are those of gzip or zstd,
// and nil otherwise.
func Decompressor(r *bufio.Reader) (io.ReadCloser, error) {
	magic, err := r.Peek(4)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case bytes.HasPrefix(magic, gzipMagic):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return z, nil
	case bytes.HasPrefix(magic, zstdMagic):
		// One goroutine, because there may be many inputs, and their readers are concurrent
		// already.
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return nil, nil
}

// decompress makes the input read decompressed text if the first bytes are those of gzip or zstd.
// It returns an error for a double compression, UTF-16, or a misleading file name.
func (in *Input) decompress() error {
	z, err := Decompressor(in.r)
	if err != nil {
		return in.failed(err)
	}
	if z != nil {
		// reading reports errors
		in.closes = append(in.closes, func() error { _ = z.Close(); return nil })
		in.from(z)
	} else if ext := strings.ToLower(filepath.Ext(in.Name)); ext == ".gz" || ext == ".zst" {
		// This is most likely a failed download, such as an error page.
		return Errorf(in.Name, 0, "not compressed, although its name ends in %s", ext)
	}
	magic, err := in.r.Peek(4)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return in.failed(err)
	}
	if bytes.HasPrefix(magic, gzipMagic) || bytes.HasPrefix(magic, zstdMagic) {
		return Errorf(in.Name, 0, "compressed twice: decompress it once")
	}
	if isUTF16(magic) {
		const remedy = "convert it with iconv -f UTF-16 -t UTF-8"
		return Errorf(in.Name, 0, "text in UTF-16, but traces are in UTF-8: "+remedy)
	}
	return nil
}

// isUTF16 recognizes text in UTF-16, with or without a byte order mark, by its first four bytes.
func isUTF16(magic []byte) bool {
	zero := func(i int) bool { return i < len(magic) && magic[i] == 0 }
	return bytes.HasPrefix(magic, []byte{0xff, 0xfe}) || bytes.HasPrefix(magic, []byte{0xfe, 0xff}) ||
		zero(1) && zero(3) && !zero(0) && !zero(2) || zero(0) && zero(2) && !zero(1) && !zero(3)
}

// failed returns the *Error of an error of reading.
func (in *Input) failed(err error) *Error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		const msg = "the compressed data ends too soon: the file is cut off"
		return &Error{File: in.Name, Msg: msg, Err: err}
	}
	return OpenError(in.Name, err)
}

// Read implements io.Reader. Errors other than io.EOF are *Error.
func (in *Input) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	if err != nil && err != io.EOF {
		err = in.failed(err)
	}
	return n, err
}

// Text reads the rest of the input, at most maxLen bytes, and closes it. A line longer than
// opts allow is an error. Bytes that are not UTF-8 become U+FFFD. Errors are *Error or the
// error of ctx.
func (in *Input) Text(ctx context.Context, maxLen int64, opts *Options) (string, error) {
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(reader{ctx, in}, maxLen+1))
	if err == nil && int64(len(text)) > maxLen {
		err = tooLarge(in.Name, maxLen)
	}
	if err != nil {
		return "", err
	}
	number := 0
	for line := range bytes.Lines(text) {
		if number++; len(bytes.TrimSuffix(line, []byte("\n"))) > opts.LongestLine() {
			return "", opts.tooLong(in.Name, number)
		}
	}
	// No copy is needed, because nothing else refers to the bytes.
	return strings.ToValidUTF8(unsafe.String(unsafe.SliceData(text), len(text)), "\uFFFD"), nil
}

// Close closes the file and its decompressor. The input must not be used afterwards.
func (in *Input) Close() error {
	var err error
	// A decompressor is closed before the file that it reads.
	for i := len(in.closes) - 1; i >= 0; i-- {
		err = errors.Join(err, in.closes[i]())
	}
	for _, r := range in.lent {
		r.Reset(nil)
		readers.Put(r)
	}
	in.r = nil
	in.closes, in.lent = nil, nil
	return err
}
