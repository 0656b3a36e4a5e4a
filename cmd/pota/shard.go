package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/files"
)

// A shard is one of several parts of a set of traces, which different machines decide. A
// trace is in the shard that the SHA-256 of its path, as it was given, names: whatever the
// order of the traces and however many there are, so that a trace that is added or taken away
// moves no other.
type shard struct{ index, of int }

// mostShards bounds the number of shards.
const mostShards = 1 << 20

func (p *shard) has(path string) bool {
	sum := sha256.Sum256([]byte(path))
	return binary.BigEndian.Uint64(sum[:])%uint64(p.of) == uint64(p.index)
}

func (p *shard) String() string { return fmt.Sprintf("%d/%d", p.index, p.of) }

// parseShard reads i/n.
func parseShard(text string) (*shard, error) {
	p := new(shard)
	if _, err := fmt.Sscanf(text, "%d/%d", &p.index, &p.of); err != nil || p.String() != text {
		return nil, fmt.Errorf("a shard must be written i/n, such as 0/8, not %q", text)
	}
	if p.of < 1 || p.of > mostShards || p.index < 0 || p.index >= p.of {
		return nil, fmt.Errorf("of n shards, which may be up to %d, i must be from 0 to n-1, but it is %s", mostShards, text)
	}
	return p, nil
}

// shardFlags choose the traces of detect beside its arguments.
func shardFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "traces-from", Usage: "decide on the traces that `FILE` lists, too, or standard input for -: a path a line"},
		&cli.StringFlag{Name: "shard", Usage: "decide only on the part `I/N` of the traces, I from 0 to N-1 (pota help fleets)"},
	}
}

// chosen returns the traces of arguments and of --traces-from, those of one shard where
// --shard names it.
func (s *session) chosen(c *cli.Context, args []string) (paths []string, part *shard, err error) {
	if text := c.String("shard"); text != "" {
		if part, err = parseShard(text); err != nil {
			return nil, nil, usagef("--shard: %v", err)
		}
	}
	take := func(path string) {
		if part == nil || part.has(path) {
			paths = append(paths, path)
		}
	}
	if args, err = matching(args); err != nil {
		return nil, nil, err
	}
	for _, path := range args {
		take(path)
	}
	list := c.String("traces-from")
	if list == "" {
		return paths, part, nil
	}
	if list == "-" && slices.Contains(args, "-") {
		return nil, nil, usagef("standard input cannot be both a trace and the list of --traces-from")
	}
	err = try(s, "reading the list of traces", func(ctx context.Context) error {
		in := s.stdin
		if list != "-" {
			f, err := os.Open(list)
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		lines := bufio.NewScanner(in)
		for lines.Scan() && ctx.Err() == nil {
			if path := strings.TrimSpace(lines.Text()); path != "" {
				take(path)
			}
		}
		return errors.Join(lines.Err(), ctx.Err())
	})
	return paths, part, err
}

// matching returns paths, with the files that match it, in order, in place of one that is a
// pattern of path/filepath and not a file itself.
func matching(paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		if !strings.ContainsAny(path, "*?[") || isFile(path) {
			all = append(all, path)
			continue
		}
		found, err := filepath.Glob(path)
		if err != nil {
			return nil, fmt.Errorf("%s: no such file, and as a pattern it is malformed: each [ needs a ]", path)
		}
		if found == nil {
			return nil, fmt.Errorf("%s: no such file, and as a pattern it matches none", path)
		}
		all = append(all, found...)
	}
	return all, nil
}

// into runs run with its results going to the file that -o names, if it names one. They
// take the place of the file when run has ended without an error and was not interrupted.
func (s *session) into(c *cli.Context, run func() error) error {
	if !toFile(c) {
		return run()
	}
	path := c.String("output")
	f, err := s.files.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	z, err := files.Compressor(path, f)
	if err != nil {
		return err
	}
	before := *s
	p := console.NewWriter(z)
	s.out, s.person, s.colour = bufio.NewWriter(p), false, false
	err = run()
	s.flush()
	s.out, s.person, s.colour = before.out, before.person, before.colour
	if err == nil && !s.broken {
		err = errors.Join(p.Flush(), z.Close(), s.ctx.Err())
	}
	if err != nil || s.broken {
		return err
	}
	return f.Commit()
}
