package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The viewer's server speaks as much of HTTP/1.1 (RFC 9112) as a browser needs to fetch the
// page: one request a connection, GET alone, no bodies. It does without package net, which on
// Linux ties a program to the C library: each of its threads then takes so much address space
// that under ulimit -v the program could not even start where it now decides formulas.

// A listener accepts connections on a port of this machine.
type listener interface {
	Accept() (connection, error)
	Port() int
	Close() error
}

// A connection is one that was accepted.
type connection interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

// A request is what a browser asks for.
type request struct {
	path  string
	query url.Values
}

// A response is what it gets. Status is 200 where it is 0.
type response struct {
	status int
	kind   string // of the body: a media type
	body   []byte
}

var statusTexts = map[int]string{
	200: "OK", 204: "No Content", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 422: "Unprocessable Content",
}

const (
	longestRequest = 1 << 20 // bytes
	timeToAsk      = 10 * time.Second
	timeToSend     = time.Minute
)

// A site answers requests for the hosts that it goes by.
type site struct {
	hosts   []string
	headers []string // of every response
	answer  func(request) response
}

// serve answers all connections until the listener is closed.
func (s *site) serve(l listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go s.talk(c)
	}
}

// talk answers the request of a connection.
func (s *site) talk(c connection) {
	defer c.Close()                          //nolint:errcheck // nobody is there to be told
	c.SetDeadline(time.Now().Add(timeToAsk)) //nolint:errcheck // sockets have deadlines
	r, refused, err := s.read(bufio.NewReader(io.LimitReader(c, longestRequest)))
	if err != nil {
		return
	}
	if refused == nil {
		c.SetDeadline(time.Time{}) //nolint:errcheck // deciding takes as long as it may
		answer := s.answer(r)
		refused = &answer
	}
	c.SetDeadline(time.Now().Add(timeToSend)) //nolint:errcheck // as above
	s.write(c, refused)                       //nolint:errcheck // as above
}

// read reads a request, or returns why it is refused: for what it is, or since it does not
// come from the page or from a person who opens it.
func (s *site) read(in *bufio.Reader) (r request, refused *response, err error) {
	refuse := func(status int, why string) (request, *response, error) {
		return request{}, &response{status, "text/plain; charset=utf-8", []byte(why + "\n")}, nil
	}
	first, err := in.ReadString('\n')
	if err != nil {
		return request{}, nil, err
	}
	fields := strings.Fields(first)
	headers := make(map[string][]string)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return request{}, nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return refuse(400, "this is not HTTP")
		}
		name = strings.ToLower(name)
		headers[name] = append(headers[name], strings.TrimSpace(value))
	}
	if len(fields) != 3 || !strings.HasPrefix(fields[2], "HTTP/1.") {
		return refuse(400, "this is not HTTP")
	}
	host, origin := headers["host"], headers["origin"]
	if len(host) != 1 || !slices.Contains(s.hosts, host[0]) || len(origin) > 1 ||
		len(origin) == 1 && !slices.Contains(s.hosts, strings.TrimPrefix(origin[0], "http://")) {
		return refuse(403, "this address serves only its own page")
	}
	if fields[0] != "GET" {
		return refuse(405, "nothing can be changed here")
	}
	u, err := url.ParseRequestURI(fields[1])
	if err != nil || u.Host != "" {
		return refuse(400, "this is not an address")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return refuse(400, "this is not a query")
	}
	return request{u.Path, query}, nil, nil
}

func (s *site) write(w io.Writer, r *response) error {
	status := r.status
	if status == 0 {
		status = 200
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: %d\r\n", status, statusTexts[status], len(r.body))
	if r.kind != "" {
		fmt.Fprintf(out, "Content-Type: %s\r\n", r.kind)
	}
	for _, h := range s.headers {
		fmt.Fprintf(out, "%s\r\n", h)
	}
	_, err := out.WriteString("\r\n")
	_, err2 := out.Write(r.body)
	return errors.Join(err, err2, out.Flush())
}
