package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// bufferSize is how many bytes are buffered before they are written.
const bufferSize = 64 << 10

// A Recorder writes the trace of one run, or of some of its processes; in that case the directory
// with the files of all recorders is the trace. All methods are safe for concurrent use. A nil
// *Recorder records nothing, and neither do its processes.
//
//	(1) buffer holds whole lines, and whole lines are written
//	(2) the line of an event comes after the lines of all its causes that this
//	    recorder recorded, so that what survives a crash is closed under causes
//	(3) nothing is written after an error of writing
type Recorder struct {
	options options
	file    *os.File // the file that Close closes; nil if the caller closes the writer

	mutex     sync.Mutex
	w         io.Writer
	buffer    []byte
	processes map[string]*Process
	misuse    error // the first value or call that cannot be recorded
	failure   error // the first error of writing or closing
	closed    bool
	stop      chan struct{} // stops the periodic flushing; nil if there is none
}

// New returns a recorder that writes to w. The caller closes the recorder, and then w.
func New(w io.Writer, opts ...Option) *Recorder {
	r := &Recorder{w: w, processes: make(map[string]*Process), buffer: make([]byte, 0, bufferSize)}
	for _, o := range opts {
		o(&r.options)
	}
	r.write([]byte("{\"pota\":1}\n"), false)
	if d := r.options.flushEvery; d > 0 {
		stop := make(chan struct{})
		r.stop = stop
		go func() {
			ticker := time.NewTicker(d)
			defer ticker.Stop()
			for {
				select {
				case <-ticker.C:
					r.Flush()
				case <-stop:
					return
				}
			}
		}()
	}
	return r
}

// Create returns a recorder that writes to a new file; it truncates an existing one.
func Create(path string, opts ...Option) (*Recorder, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	r := New(f, opts...)
	r.file = f
	return r, nil
}

// Process returns the process with that name. The first call declares it, with the initial values
// of its variables; later calls may add variables until its first event. A process is recorded by
// one recorder only.
func (r *Recorder) Process(name string, init ...Assignment) *Process {
	if r == nil {
		return nil
	}
	r.mutex.Lock()
	p, known := r.processes[name]
	if !known {
		p = &Process{recorder: r, name: name, quoted: appendOpen(nil, name)}
		p.head = append(append([]byte(`{"process":`), p.quoted...), '"')
		p.escaped = append(appendEscaped(nil, name), '.')
		r.processes[name] = p
		p.mutex.Lock() // no event is recorded before the declaration
	}
	r.mutex.Unlock()
	if known {
		if len(init) == 0 {
			return p
		}
		p.mutex.Lock()
	}
	defer p.mutex.Unlock()
	if p.position > 0 {
		r.misused(p.where(), errors.New("initial values after its first event"))
		return p
	}
	line, _, err := appendObject(append(slices.Clone(p.head), `,"init":`...), init)
	r.misused(p.where(), err)
	r.write(append(line, "}\n"...), false)
	return p
}

// Shared declares variables that several processes assign, with their initial values. A variable is
// declared once, by one recorder of an execution. NewVariable makes a variable that keeps its
// assignments ordered, as the format requires.
func (r *Recorder) Shared(init ...Assignment) {
	if r == nil || len(init) == 0 {
		return
	}
	line, _, err := appendObject([]byte(`{"shared":`), init)
	r.misused("shared variables", err)
	r.write(append(line, "}\n"...), false)
}

// Flush writes the buffer. It returns the first error of the recorder.
func (r *Recorder) Flush() error {
	if r == nil {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.flush()
	return r.err()
}

// Close writes the buffer and closes the file that Create made. It returns the first error of the
// recorder: an error of writing, or else of a value or call that cannot be recorded. Nothing is
// recorded afterwards.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		return r.err()
	}
	r.flush()
	r.closed = true
	if r.stop != nil {
		close(r.stop)
	}
	if r.file != nil {
		if err := r.file.Close(); r.failure == nil {
			r.failure = err
		}
	}
	return r.err()
}

func (r *Recorder) err() error {
	if r.failure != nil {
		return r.failure
	}
	return r.misuse
}

// write appends a line to the buffer; if now is set, it also writes the buffer.
func (r *Recorder) write(line []byte, now bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		r.note("recorder", errors.New("an event after Close"))
		return
	}
	if len(r.buffer)+len(line) > bufferSize {
		r.flush()
	}
	r.buffer = append(r.buffer, line...)
	if now || r.options.flushLines {
		r.flush()
	}
}

// flush writes the buffer. The caller holds the mutex.
func (r *Recorder) flush() {
	if len(r.buffer) > 0 && r.failure == nil && !r.closed {
		n, err := r.w.Write(r.buffer)
		if err == nil && n < len(r.buffer) {
			err = io.ErrShortWrite
		}
		if err != nil {
			r.failure = fmt.Errorf("record: %w", err)
		}
	}
	r.buffer = r.buffer[:0]
}

// misused records an error, if it is the first.
func (r *Recorder) misused(where string, err error) {
	if err == nil {
		return
	}
	r.mutex.Lock()
	r.note(where, err)
	r.mutex.Unlock()
}

// note is misused for callers that hold the mutex.
func (r *Recorder) note(where string, err error) {
	if err != nil && r.misuse == nil {
		r.misuse = fmt.Errorf("record: %s: %w", where, err)
	}
}

// An Option configures a recorder.
type Option func(*options)

type options struct {
	times      bool
	flushLines bool
	flushSends bool
	flushEvery time.Duration
}

// WithTime records the wall-clock time of each event that has no Time of its own.
func WithTime() Option { return func(o *options) { o.times = true } }

// WithFlushEvery writes the buffer whenever d has passed, until Close.
func WithFlushEvery(d time.Duration) Option { return func(o *options) { o.flushEvery = d } }

// WithFlushLines writes each line at once: a system call for each event.
func WithFlushLines() Option { return func(o *options) { o.flushLines = true } }

// WithFlushSends writes the buffer before Send, Multicast, or an event with Sends returns. If each
// process of a distributed program has a recorder of its own, no log then lacks the send of a
// message that another log receives, no matter which processes are killed.
func WithFlushSends() Option { return func(o *options) { o.flushSends = true } }
