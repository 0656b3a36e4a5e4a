//go:build unix

package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

const (
	maxMemory = 400             // MB
	patience  = 5 * time.Minute // with the program: one that takes longer hangs, however slow the machine
	maxFiles  = 60              // how many files pota detect reads
)

// server runs pota watch. It can be killed and started again.
type server struct {
	*testCase
	args []string

	mu      sync.Mutex
	command *exec.Cmd
	at      map[string]string // by scheme: the address at which it listens
	done    chan error
}

func (c *testCase) path(name string) string { return filepath.Join(c.dir, name) }

func (c *testCase) write(name, text string) error {
	return os.WriteFile(c.path(name), []byte(text), 0o666)
}

// run runs a case. The error is the finding.
func (c *testCase) run() error {
	err := errors.Join(c.write("properties", c.properties), os.MkdirAll(c.path("logs"), 0o777), os.MkdirAll(c.path("whole"), 0o777))
	if err != nil {
		return err
	}
	s := &server{testCase: c, args: []string{"watch", "--json", "-f", c.path("properties"), "--journal", c.path("journal"), "--max-memory", fmt.Sprint(maxMemory, "MB"), "--grace", "3s",
		"--execution-key", "s", "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0", "--listen", "grpc://127.0.0.1:0", c.path("logs")}}
	if err := s.start(); err != nil {
		return err
	}
	stop := make(chan struct{})
	var bad, good sync.WaitGroup
	for range c.clients {
		text := c.garbage()
		scheme := []string{"tcp", "http", "grpc"}[c.IntN(3)]
		wait := time.Duration(c.IntN(1000)) * time.Millisecond
		bad.Go(func() { s.misbehave(scheme, text, wait, stop) })
	}
	for _, x := range c.executions {
		pace := time.Duration(c.IntN(20)) * time.Millisecond
		if len(c.executions) > 1000 {
			continue
		}
		good.Go(func() { s.send(x, pace) })
	}
	if len(c.executions) > 1000 {
		good.Go(s.sendMany)
	}
	for range c.kills {
		time.Sleep(time.Duration(c.IntN(400)) * time.Millisecond)
		if err = s.kill(); err != nil {
			break
		}
	}
	good.Wait()
	if err == nil {
		err = s.told()
	}
	close(stop)
	bad.Wait()
	return errors.Join(err, s.end(), s.check())
}

// start starts the program, and waits until it listens.
func (s *server) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := os.OpenFile(s.path("answers"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }() // the program has its own descriptor
	log, err := os.OpenFile(s.path("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	said, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	c := exec.Command(*cases.Binary, s.args...)
	c.Stdout, c.Stderr = out, log
	if err := c.Start(); err != nil {
		return err
	}
	s.command = c
	s.done = make(chan error, 1)
	s.at = make(map[string]string) // addresses of the new process

	go func(done chan error) { done <- c.Wait() }(s.done)
	for begun := time.Now(); len(s.at) < 3; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(s.path("log"))
		if err != nil {
			return err
		}
		for _, m := range listening.FindAllSubmatch(text[said:], -1) {
			s.at[string(m[1])] = string(m[2])
		}
		if time.Since(begun) > patience {
			return errors.New("it does not listen")
		}
		select {
		case err := <-s.done:
			return fmt.Errorf("it ends when it is started: %w", err)
		default:
		}
	}
	return nil
}

var listening = regexp.MustCompile(`(?m)^pota: listening on (\w+)://(\S+)$`)

func (s *server) kill() error {
	s.mu.Lock()
	_ = s.command.Process.Kill() // its end is waited for
	<-s.done
	s.counts.kills++
	s.mu.Unlock()
	return s.start()
}

func (s *server) address(scheme string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at[scheme]
}

// misbehave sends garbage again and again, waits and vanishes.
func (s *server) misbehave(scheme, text string, wait time.Duration, stop chan struct{}) {
	for {
		c, err := net.Dial("tcp", s.address(scheme))
		if err == nil {
			_ = c.SetDeadline(time.Now().Add(time.Second)) // connections have deadlines
			_, _ = io.WriteString(c, text)                 // it need not arrive
		}
		select {
		case <-stop:
		case <-time.After(wait):
		}
		if err == nil {
			_ = c.Close() // nobody reads it any more
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

// send sends an execution until all of it is taken, and ends it.
func (s *server) send(x *execution, pace time.Duration) {
	var group sync.WaitGroup
	for _, part := range x.parts {
		group.Go(func() {
			switch x.way {
			case byFile:
				s.file(x, part, pace)
			case byTCP:
				s.insist(part, pace, s.connection)
			case byHTTP:
				s.insist(part, pace, s.request)
			case bySpans:
				for _, text := range part {
					s.export(text)
				}
			}
		})
	}
	group.Wait()
	if x.way == byTCP || x.way == byHTTP {
		s.insist([]string{x.closing()}, 0, s.request)
	}
}

// sendMany sends executions in turn, so that each is evicted when its next line comes.
func (s *server) sendMany() {
	for process := range 3 {
		var all []string
		for _, x := range s.executions {
			all = append(all, x.parts[process]...)
		}
		s.insist(all, 0, s.request)
	}
	var all []string
	for _, x := range s.executions {
		all = append(all, x.closing())
	}
	s.insist(all, 0, s.request)
}

// file writes lines to a file, each in two pieces, and puts another in its place once.
func (s *server) file(x *execution, lines []string, pace time.Duration) {
	path := filepath.Join(s.path("logs"), x.name)
	write := func(text string) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err == nil {
			_, err = f.WriteString(text)
			_ = f.Close() // a write has failed, or nothing is left
		}
		cases.Fail(err)
	}
	for i, line := range lines {
		half := len(line) / 2
		write(line[:half])
		time.Sleep(pace / 4)
		write(line[half:] + "\n")
		if i == len(lines)/2 && s.kills == 0 {
			time.Sleep(3 * time.Second) // until the file is known
			cases.Fail(os.Rename(path, path+".1"))
		}
	}
}

// taken is the answer to lines.
type taken struct {
	Lines int    `json:"lines"`
	Error string `json:"error"`
}

// known is what is wrong with lines that have been taken before.
var known = regexp.MustCompile(`two events have the id|initial values`)

// insist sends lines until all of them have been taken.
func (s *server) insist(lines []string, pace time.Duration, send func(text string) (taken, error)) {
	for first := true; len(lines) > 0; first = false {
		some := lines[:min(len(lines), 1+len(lines)/3)]
		answer, err := send(strings.Join(some, "\n") + "\n")
		n := answer.Lines
		switch {
		case err != nil:
			s.mu.Lock()
			s.counts.again += len(some)
			s.mu.Unlock()
			time.Sleep(20 * time.Millisecond)
		case known.MatchString(answer.Error):
			n++
		}
		lines = lines[min(n, len(some)):]
		time.Sleep(pace)
		if first {
			time.Sleep(pace)
		}
	}
}

// connection sends lines by TCP.
func (s *server) connection(text string) (answer taken, err error) {
	c, err := net.Dial("tcp", s.address("tcp"))
	if err != nil {
		return answer, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second)) // connections have deadlines
	half := len(text) / 2
	_, _ = io.WriteString(c, text[:half])
	_, _ = io.WriteString(c, text[half:])
	_ = c.(*net.TCPConn).CloseWrite()
	return answer, json.NewDecoder(c).Decode(&answer)
}

var client = &http.Client{Timeout: 30 * time.Second}

// request sends lines by HTTP.
func (s *server) request(text string) (answer taken, err error) {
	response, err := client.Post("http://"+s.address("http")+"/lines", "", strings.NewReader(text))
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	return answer, json.NewDecoder(response.Body).Decode(&answer)
}

// export sends spans until they are taken.
func (s *server) export(text string) {
	for {
		response, err := client.Post("http://"+s.address("http")+"/v1/traces", "application/json", strings.NewReader(text))
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// told waits until all answers have been told, and looks at the program.
func (s *server) told() error {
	want := len(s.executions) * strings.Count(s.properties, "\n")
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		all, err := s.answers(true)
		if err != nil {
			return err
		}
		if len(all) == want {
			break
		}
		if time.Since(begun) > patience {
			return fmt.Errorf("answers: %d after %s, want %d", len(all), patience, want)
		}
	}
	for path, want := range map[string]string{"/healthz": "ok\n", "/metrics": "pota_events_total"} {
		response, err := client.Get("http://" + s.address("http") + path)
		if err != nil {
			return fmt.Errorf("health: %w", err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			return fmt.Errorf("health: %s answers %.100q, %v", path, text, err)
		}
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(text); err == nil && m != nil {
		if kb, err := strconv.Atoi(string(m[1])); err != nil || kb > (maxMemory+100)<<10 {
			return fmt.Errorf("memory: %d MB", kb>>10)
		}
	}
	return nil
}

type answer struct {
	Execution, Property, Verdict string
	Final, Repeated              bool
}

// answers returns what was told, by execution and property, each once. While it is written, a
// line may be there in part.
func (s *server) answers(written bool) (map[[2]string]answer, error) {
	text, err := os.ReadFile(s.path("answers"))
	if err != nil {
		return nil, err
	}
	all := make(map[[2]string]answer)
	s.counts.repeated = 0
	for line := range bytes.Lines(text) {
		if written && !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, fmt.Errorf("answers: %q: %w", line, err)
		}
		key := [2]string{a.Execution, a.Property}
		before, again := all[key]
		switch {
		case !a.Final:
			return nil, fmt.Errorf("answers: %s is open", line)
		case again && (!a.Repeated || before.Verdict != a.Verdict):
			return nil, fmt.Errorf("answers: %s was told before", line)
		case a.Repeated:
			s.counts.repeated++
		}
		all[key] = a
	}
	s.counts.answers = len(all)
	return all, nil
}

// end ends the program, and looks how.
func (s *server) end() error {
	_ = s.command.Process.Signal(syscall.SIGTERM) // its end is waited for
	select {
	case err := <-s.done:
		if code := s.command.ProcessState.ExitCode(); code != 0 && code != 1 && code != 3 {
			return fmt.Errorf("status: %w", err)
		}
	case <-time.After(patience):
		_ = s.command.Process.Signal(syscall.SIGQUIT)
		<-s.done
		return fmt.Errorf("status: it does not end within %s", patience)
	}
	log, err := os.ReadFile(s.path("log"))
	if at := regexp.MustCompile(`panic|goroutine |this cannot happen|DATA RACE`).FindIndex(log); err == nil && at != nil {
		return fmt.Errorf("crash: %.300s", log[at[0]:])
	}
	return err
}

// check compares the answers with those of pota detect.
func (s *server) check() error {
	all, err := s.answers(false)
	if err != nil {
		return err
	}
	args := []string{"detect", "--json", "-f", s.path("properties")}
	for i, x := range s.executions {
		if i%max(1, len(s.executions)/maxFiles) != 0 {
			continue
		}
		name := filepath.Join("whole", x.name+".jsonl")
		if err := s.write(name, strings.Join(x.whole, "\n")+"\n"); err != nil {
			return err
		}
		args = append(args, s.path(name))
	}
	out, err := exec.Command(*cases.Binary, args...).Output()
	for line := range bytes.Lines(out) {
		var want struct{ Trace, Name, Verdict string }
		if err := json.Unmarshal(line, &want); err != nil {
			return fmt.Errorf("detect: %q: %w", line, err)
		}
		key := [2]string{strings.TrimSuffix(filepath.Base(want.Trace), ".jsonl"), want.Name}
		if got := all[key]; got.Verdict != want.Verdict {
			return fmt.Errorf("answers: %v of %v is %q, and pota detect finds %s", key[1], key[0], got.Verdict, want.Verdict)
		}
	}
	if len(out) == 0 {
		return fmt.Errorf("detect: %w", err)
	}
	return nil
}
