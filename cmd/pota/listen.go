package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// ports reads the addresses of --listen: ports of this machine, which nobody else can reach.
func ports(addresses []string) ([]int, error) {
	var all []int
	for _, address := range addresses {
		host, port, ok := strings.Cut(strings.TrimPrefix(address, "tcp://"), ":")
		n, err := strconv.ParseUint(port, 10, 16)
		switch {
		case !ok || err != nil:
			return nil, usagef("--listen must be a host and a port, such as 127.0.0.1:7777, not %q", address)
		case host != "127.0.0.1" && host != "localhost":
			return nil, usagef("--listen must be at 127.0.0.1, not at %q: lines are neither encrypted nor asked for a token; let others come through ssh -L or stunnel", host)
		}
		all = append(all, int(n))
	}
	return all, nil
}

// listen takes lines from whoever connects to a port, any that is free for 0, and returns
// where that is.
func (f *follower) listen(port int) (net.Addr, error) {
	at, err := net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	f.start(func() {
		defer context.AfterFunc(f.ctx, func() { at.Close() })() //nolint:errcheck // nobody listens
		for number := 1; ; number++ {
			c, err := at.Accept()
			switch {
			case f.ctx.Err() != nil:
				return
			case err != nil: // too many are open
				f.sleep(lookForMore)
				continue
			}
			s := f.source(fmt.Sprintf("connection %d", number))
			f.start(func() { f.serve(c, s) })
		}
	})
	return at.Addr(), nil
}

// serve takes the lines of a connection, and closes it when all have been taken. One whose
// lines are refused is told why; those before the line that is refused have been taken.
func (f *follower) serve(c net.Conn, s *source) {
	defer c.Close()                                        //nolint:errcheck // nobody is there to be told
	defer context.AfterFunc(f.ctx, func() { c.Close() })() //nolint:errcheck // likewise
	var refused error
	f.read(s, c, func(a arrival) bool {
		if a.err != nil {
			return false // the connection broke
		}
		a.reply = make(chan error, 1)
		if refused = errors.New("pota is ending"); !f.send(a) {
			return false
		}
		select {
		case refused = <-a.reply:
		case <-f.ctx.Done():
		}
		return refused == nil
	})
	if refused != nil {
		f.send(arrival{note: errorText(refused)})
		fmt.Fprintln(c, errorText(refused)) //nolint:errcheck // who does not listen is not told
	}
}
