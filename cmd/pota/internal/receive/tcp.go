package receive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// serveTCP accepts connections until the context of the listener is done, and waits for them.
func (l *Listener) serveTCP() {
	at := netutil.LimitListener(l.net, maxConnections)
	if l.TLS != nil {
		at = tls.NewListener(at, l.TLS)
	}
	defer context.AfterFunc(l.ctx, func() { _ = at.Close() })()
	var group sync.WaitGroup
	defer group.Wait()
	for number := 1; ; number++ {
		c, err := at.Accept()
		if l.ctx.Err() != nil {
			return
		}
		if err != nil { // too many files are open
			select {
			case <-time.After(retryDelay / 10):
			case <-l.ctx.Done():
			}
			continue
		}
		group.Go(func() { l.connection(c, fmt.Sprintf("connection %d", number)) })
	}
}

// connection reads the lines of a connection, answers when all of them have been accepted or
// one is refused, and closes it.
func (l *Listener) connection(c net.Conn, name string) {
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(l.ctx, func() {
		_ = c.SetReadDeadline(time.Now())
		time.AfterFunc(endTimeout, func() { _ = c.Close() })
	})()

	// The handshake and the token must come soon, but lines need not.
	in := io.Reader(c)
	if l.TLS != nil || l.Token != "" {
		_ = c.SetDeadline(time.Now().Add(headerTimeout))
		first := bufio.NewReaderSize(c, 4<<10)
		if l.Token != "" {
			line, err := first.ReadSlice('\n')
			if err != nil || !l.trusts(strings.TrimRight(string(line), "\r\n")) {
				_, _ = io.WriteString(c, "the first line must be Bearer and the token\n")
				return
			}
		} else if _, err := first.Peek(1); err != nil {
			return
		}
		_ = c.SetDeadline(time.Time{})
		in = first
	}
	accepted, err := l.Lines(name, &lines{ctx: l.ctx, in: in, ends: l.Ends}, 0)
	_ = c.SetWriteDeadline(time.Now().Add(answerTimeout))
	answerLines(c, accepted, err)
}

// answerLines sends the sender of lines the number of accepted lines, and why the next one was
// refused. The end of the connection is not enough, because it also ends if the program is killed.
func answerLines(to io.Writer, accepted int, err error) {
	answer := struct {
		Lines int    `json:"lines"`
		Error string `json:"error,omitempty"`
	}{Lines: accepted}
	if err != nil {
		answer.Error = err.Error()
	}
	_ = json.NewEncoder(to).Encode(answer)
}

// lines reads lines within bounds.
type lines struct {
	ctx  context.Context // reading ends when it is done
	in   io.Reader
	slow error // why reading ends at a deadline
	most int64 // the bound on read, in bytes; 0 means no bound
	ends bool  // whether the last line must end with a newline

	read   int64 // how many bytes have been read
	last   int   // how many bytes have been read since the last newline
	failed error // why reading ended too soon
}

// Read implements io.Reader. A line that is too long ends the text before that line.
func (r *lines) Read(p []byte) (n int, err error) {
	defer func() {
		if err != nil && err != io.EOF {
			r.failed = err
		}
	}()
	switch err := r.ctx.Err(); {
	case r.slow != nil && errors.Is(err, context.DeadlineExceeded):
		return 0, r.slow
	case err != nil:
		return 0, err
	}
	// Only the first line in p can be too long.
	n, err = r.in.Read(p[:min(len(p), maxLineSize)])
	first := bytes.IndexByte(p[:n], '\n')
	if first < 0 {
		first = n
	}
	if r.last+first > maxLineSize {
		return 0, errLineSize
	}
	if r.read += int64(n); r.most > 0 && r.read > r.most {
		return 0, errLinesSize
	}
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		r.last = n - i - 1
	} else {
		r.last += n
	}

	switch {
	case err == io.EOF && r.ends && r.last > 0:
		err = errCut
	case r.slow != nil && errors.Is(err, os.ErrDeadlineExceeded):
		err = r.slow
	}
	return n, err
}
