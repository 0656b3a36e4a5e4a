package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/graphs/trace"
)

// listenFlags say what is received over the network.
func listenFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "listen", Usage: "take lines at `ADDRESS`, such as 127.0.0.1:7777, lines and spans by HTTP at http://127.0.0.1:4318, spans at grpc://127.0.0.1:4317; may be repeated"},
		&cli.StringFlag{Name: "tls-cert", Usage: "listen with TLS and the certificates in `FILE`"},
		&cli.StringFlag{Name: "tls-key", Usage: "and with the key in `FILE`"},
		&cli.StringFlag{Name: "token-file", Usage: "refuse whoever does not know the token in `FILE`"},
		&cli.DurationFlag{Name: "grace", Value: 5 * time.Second, Usage: "an execution of spans is over when its root has ended and no span has come for `TIME`"},
	}
}

// addresses returns where to listen, and with which secrets.
func addresses(c *cli.Context) (all []receive.Address, o receive.Options, err error) {
	for _, text := range c.StringSlice("listen") {
		a, err := receive.ParseAddress(text)
		if err != nil {
			return nil, o, usagef("--listen %s: %v", text, err)
		}
		all = append(all, a)
	}
	certificate, key, token := c.String("tls-cert"), c.String("tls-key"), c.String("token-file")
	switch {
	case len(all) == 0 && certificate+key+token != "":
		return nil, o, usagef("--tls-cert, --tls-key and --token-file are of listeners: write --listen ADDRESS, too")
	case (certificate == "") != (key == ""):
		return nil, o, usagef("--tls-cert and --tls-key must both be given")
	case c.Duration("grace") <= 0:
		return nil, o, usagef("--grace must be positive, not %s", c.Duration("grace"))
	}
	for _, a := range all {
		if !a.Loopback() && (certificate == "" || token == "") {
			return nil, o, usagef("--listen %s: others than this machine can reach that address, so it needs --tls-cert, --tls-key and --token-file", a)
		}
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, o, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", certificate, key, err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if token != "" {
		text, err := trace.ReadFile(c.Context, token, longestToken)
		if err != nil {
			return nil, o, err
		}
		if o.Token, err = receive.ParseToken(string(text)); err != nil {
			return nil, o, fmt.Errorf("%s: %w", token, err)
		}
	}
	return all, o, nil
}

// longestToken is how many bytes the file of a token may have.
const longestToken = 1 << 10

// listen receives at an address, in a group, and returns where that is.
func (f *follower) listen(a receive.Address, o receive.Options, group *sync.WaitGroup) (receive.Address, error) {
	l, err := receive.Listen(f.ctx, a, o)
	if err != nil {
		return a, err
	}
	group.Add(1)
	f.start(func() {
		defer group.Done()
		if err := l.Serve(); err != nil {
			f.send(arrival{err: fmt.Errorf("%s: %w", l.Address(), err)})
		}
	})
	return l.Address(), nil
}

// lines takes the lines that somebody sends, and returns how many it took and why no more.
// Where they have to wait for longer than patience, 0 for any time, that is receive.ErrBusy.
func (f *follower) lines(name string, in io.Reader, patience time.Duration) (taken int, err error) {
	s := f.source(name)
	f.read(s, in, func(a arrival) bool {
		if a.err != nil {
			err = a.err
			return false
		}
		var late <-chan time.Time
		if patience > 0 {
			late = time.After(patience)
		}
		count := bytes.Count(a.text, []byte("\n"))
		a.reply = make(chan error, 1)
		select {
		case f.out <- a:
		case <-late:
			err = receive.ErrBusy
			return false
		case <-f.ctx.Done():
			err = receive.ErrEnding
			return false
		}
		select {
		case err = <-a.reply:
		case <-f.ctx.Done(): // there may be a reply, too
			select {
			case err = <-a.reply:
			default:
				err = receive.ErrEnding
			}
		}
		if at, ok := errors.AsType[*trace.Error](err); ok && at.Line > 0 {
			taken = at.Line - 1
		} else if err == nil {
			taken += count
		}
		return err == nil
	})
	if err != nil && err != receive.ErrEnding && err != receive.ErrBusy {
		err = errors.New(errorText(err))
		f.send(arrival{note: err.Error()})
	}
	return taken, err
}
