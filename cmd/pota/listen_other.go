//go:build !unix

package main

import (
	"net"
	"strconv"
)

// A socket listens on the loopback interface.
type socket struct{ *net.TCPListener }

// listen listens on a port of 127.0.0.1, on any that is free where it is 0.
func listen(port int) (listener, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return nil, err
	}
	return socket{l.(*net.TCPListener)}, nil
}

func (s socket) Port() int { return s.Addr().(*net.TCPAddr).Port }

// Accept waits for a connection.
func (s socket) Accept() (connection, error) { return s.TCPListener.AcceptTCP() }
