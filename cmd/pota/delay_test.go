package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkWatchDelay measures how long it takes from when a line is sent until the answer that
// it makes final is read, where 100,000 lines a second come, a hundred every millisecond. One of
// a thousand lines decides an execution of its own; the others are of one of ten processes.
func BenchmarkWatchDelay(b *testing.B) {
	const every, aBatch, decides = time.Millisecond, 100, 1000
	for _, by := range []string{"standard input", "tcp", "http"} {
		b.Run(by, func(b *testing.B) {
			total := max(b.N, 100*decides)
			in, out, results, errs := newPipe(), newPipe(), make(chan struct{}), newPipe()
			args := []string{"watch", "--json", "--execution-key", "s", "--property", "never:n@P > 1"}
			if by != "standard input" {
				args = append(args, "--listen", by+"://127.0.0.1:0")
			}
			ctx := b.Context()
			go func() {
				run(ctx, args, streams{in: in.r, out: out.w, err: errs.w})
				out.w.Close()
				errs.w.Close()
			}()
			var send func(text []byte) error
			if by == "standard input" {
				send = func(text []byte) error { _, err := in.w.Write(text); return err }
				go io.Copy(io.Discard, errs.r)
			} else {
				told := bufio.NewScanner(errs.r)
				told.Scan()
				at := strings.TrimPrefix(told.Text(), "pota: listening on "+by+"://")
				go io.Copy(io.Discard, errs.r)
				send = func(text []byte) error {
					reply, err := http.Post("http://"+at+"/lines", "text/plain", bytes.NewReader(text))
					if err == nil {
						_, _ = io.Copy(io.Discard, reply.Body) // the connection is used again
						reply.Body.Close()
					}
					return err
				}
				if by == "tcp" {
					c, err := net.Dial("tcp", at)
					if err != nil {
						b.Fatal(err)
					}
					defer c.Close()
					send = func(text []byte) error { _, err := c.Write(text); return err }
				}
			}
			sent := make([]atomic.Int64, total/decides+1)
			var delays []time.Duration
			go func() {
				defer close(results)
				for lines := bufio.NewScanner(out.r); len(delays) < total/decides && lines.Scan(); {
					var k int
					if _, err := fmt.Sscanf(lines.Text(), `{"execution":"e%d"`, &k); err == nil {
						delays = append(delays, time.Duration(time.Now().UnixNano()-sent[k].Load()))
					}
				}
			}()
			b.ResetTimer()
			begun := time.Now()
			var text []byte
			due := time.NewTicker(every) // a tick that comes too late brings what is missing
			defer due.Stop()
			for i := 0; i < total; {
				if i >= aBatch*int(time.Since(begun)/every) {
					<-due.C
					continue
				}
				text = text[:0]
				for range min(aBatch, total-i) {
					if i++; i%decides == 0 {
						sent[i/decides].Store(time.Now().UnixNano())
						text = fmt.Appendf(text, `{"s":"e%d","process":"P","set":{"n":2}}`+"\n", i/decides)
					} else {
						text = fmt.Appendf(text, `{"s":"all","process":"P%d","set":{"m":%d}}`+"\n", i%10, i%3)
					}
				}
				if err := send(text); err != nil {
					b.Fatal(err)
				}
			}
			rate := float64(total) / time.Since(begun).Seconds()
			<-results
			b.StopTimer()
			in.w.Close()
			slices.Sort(delays)
			b.ReportMetric(rate, "lines/s")
			b.ReportMetric(float64(delays[len(delays)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(delays[len(delays)*99/100].Microseconds())/1000, "p99-ms")
			go io.Copy(io.Discard, out.r)
		})
	}
}

// pipe is one of memory.
type pipe struct {
	r *io.PipeReader
	w *io.PipeWriter
}

func newPipe() *pipe {
	r, w := io.Pipe()
	return &pipe{r, w}
}
