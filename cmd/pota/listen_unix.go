//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// A socket listens on the loopback interface.
type socket struct {
	file *os.File
	port int
}

// listen listens on a port of 127.0.0.1, on any that is free where it is 0.
func listen(port int) (listener, error) {
	syscall.ForkLock.RLock() // or SPIN may inherit the socket
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("no socket: %w", err)
	}
	address := &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(fd, address)
	}
	if err == nil {
		err = syscall.Listen(fd, syscall.SOMAXCONN)
	}
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	var bound syscall.Sockaddr
	if err == nil {
		bound, err = syscall.Getsockname(fd)
	}
	if err != nil {
		syscall.Close(fd) //nolint:errcheck // there is an error already
		return nil, fmt.Errorf("cannot listen on 127.0.0.1:%d: %w", port, err)
	}
	return &socket{os.NewFile(uintptr(fd), "socket"), bound.(*syscall.SockaddrInet4).Port}, nil
}

func (s *socket) Port() int    { return s.port }
func (s *socket) Close() error { return s.file.Close() }

// Accept waits for a connection.
func (s *socket) Accept() (connection, error) {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var failed error
	err = raw.Read(func(listening uintptr) (done bool) {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		for {
			fd, _, failed = syscall.Accept(int(listening))
			switch failed {
			case nil:
				syscall.CloseOnExec(fd)
				return true
			case syscall.EINTR, syscall.ECONNABORTED:
			default:
				return failed != syscall.EAGAIN
			}
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "connection"), nil
}
