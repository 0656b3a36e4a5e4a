// Package journal keeps what has arrived where it survives the program.
//
// # What is kept
//
// A journal is a file of bbolt, whose transactions are on the disk when they end, whole or not
// at all, with checksums. It holds
//
//	records     what has arrived since the last checkpoint, in order
//	executions  the state of each execution at the last checkpoint, by name
//	sources     how far each source has been read
//	told        the answers that were told since the last checkpoint
//	meta        what the journal is of, and what else is known
//
// A commit adds records together with the positions up to which they were read, so that no
// source is read twice or left out. A checkpoint replaces the states of the executions that
// have changed, and drops the records: what a state does not need any more is forgotten.
//
// An answer is told between two commits: the first says that it is about to be told, the next
// that it was. Where only the first is found, it may or may not have been.
package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/pota-project/pota/graphs/stream"
)

// A Journal is one that is open. It must not be used by several goroutines at once.
type Journal struct {
	db     *bbolt.DB
	unsure [][]byte // keys of answers that were about to be told at the last commit
	size   int64    // of the records since the last checkpoint
	states int64    // of the states written by the last one
}

// A Commit is what becomes safe together.
type Commit struct {
	Records []byte            // appended, if there are any
	Sources map[string][]byte // positions that have changed, nil for one that is forgotten
	Told    []string          // answers about to be told
	Untold  bool              // those of commits before this one may not all have been told yet
	Meta    map[string][]byte
}

var (
	records    = []byte("records")
	executions = []byte("executions")
	sources    = []byte("sources")
	told       = []byte("told")
	meta       = []byte("meta")
	ofKey      = []byte("of")
)

// waitForLock is how long Open waits for another program to close the journal.
const waitForLock = time.Second

// A Condition is something that has to be as it was when the journal was made.
type Condition struct{ Name, Value string }

// Open opens the journal in a directory, which is made if there is none. What the journal is
// of has to be what it was of when it was made; the error names the first condition that is
// not.
func Open(dir string, of []Condition) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	db, err := bbolt.Open(filepath.Join(dir, "journal"), 0o600, &bbolt.Options{Timeout: waitForLock, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("the journal in %s is in use by another pota watch", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the journal in %s cannot be opened: %w", dir, err)
	}
	j := &Journal{db: db}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{records, executions, sources, told, meta} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		m := tx.Bucket(meta)
		if was := m.Get(ofKey); was != nil {
			if name := differs(was, of); name != "" {
				return fmt.Errorf("the journal in %s is not of the same %s: use another directory, or remove this one", dir, name)
			}
		}
		return m.Put(ofKey, code(of))
	})
	if err != nil {
		db.Close() //nolint:errcheck // there is an error already
		return nil, err
	}
	return j, nil
}

// code returns conditions as they are kept.
func code(of []Condition) []byte {
	var c stream.Codec
	codeConditions(&c, &of)
	return c.Bytes()
}

func codeConditions(c *stream.Codec, of *[]Condition) {
	stream.List(c, of, func(x *Condition) {
		stream.Text(c, &x.Name)
		stream.Text(c, &x.Value)
	})
}

// differs returns the name of the first condition that is not as it was kept, "" for none.
func differs(kept []byte, of []Condition) string {
	var was []Condition
	c := stream.NewReader(kept)
	codeConditions(c, &was)
	for i, x := range of {
		if c.Err() != nil || i >= len(was) || was[i] != x {
			return x.Name
		}
	}
	if len(was) > len(of) {
		return was[len(of)].Name
	}
	return ""
}

// Close closes the journal.
func (j *Journal) Close() error { return j.db.Close() }

// Remove closes the journal and removes it: all that it is of has ended.
func (j *Journal) Remove() error {
	path := j.db.Path()
	return errors.Join(j.db.Close(), os.Remove(path))
}

// States calls state for each execution of the last checkpoint. The bytes must not be kept.
func (j *Journal) States(state func(name string, data []byte) error) error {
	return j.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(executions).ForEach(func(name, data []byte) error { return state(string(name[1:]), data) })
	})
}

// key is the key of an execution, which must not be empty.
func key(name string) []byte { return append([]byte{'.'}, name...) }

// Records returns what each commit since the last checkpoint appended.
func (j *Journal) Records() (all [][]byte, err error) {
	err = j.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(records).ForEach(func(_, data []byte) error {
			j.size += int64(len(data))
			all = append(all, bytes.Clone(data))
			return nil
		})
	})
	return all, err
}

// leastCheckpoint is how many bytes of records are worth a checkpoint.
const leastCheckpoint = 1 << 20

// Due reports whether there are so many records that a checkpoint should be made.
func (j *Journal) Due() bool { return j.size > max(leastCheckpoint, 2*j.states) }

// Unsure reports whether answers were told of which the journal does not know that they were.
func (j *Journal) Unsure() bool { return len(j.unsure) > 0 }

// Known returns the positions of sources, the answers told since the last checkpoint, and
// whether they surely were, and what else is known.
func (j *Journal) Known() (positions map[string][]byte, answers map[string]bool, other map[string][]byte, err error) {
	positions, answers, other = make(map[string][]byte), make(map[string]bool), make(map[string][]byte)
	err = j.db.View(func(tx *bbolt.Tx) error {
		all := func(bucket []byte, into map[string][]byte) error {
			return tx.Bucket(bucket).ForEach(func(key, value []byte) error {
				into[string(key)] = bytes.Clone(value)
				return nil
			})
		}
		return errors.Join(all(sources, positions), all(meta, other), tx.Bucket(told).ForEach(func(key, sure []byte) error {
			answers[string(key)] = len(sure) > 0
			return nil
		}))
	})
	return positions, answers, other, err
}

var sure = []byte{1}

// Commit makes something safe.
func (j *Journal) Commit(c *Commit) error {
	err := j.db.Update(func(tx *bbolt.Tx) error {
		if len(c.Records) > 0 {
			b := tx.Bucket(records)
			n, err := b.NextSequence()
			if err != nil {
				return err
			}
			b.FillPercent = 1 // keys only grow
			if err := b.Put(binary.BigEndian.AppendUint64(nil, n), c.Records); err != nil {
				return err
			}
		}
		return j.common(tx, c)
	})
	if err == nil {
		j.size += int64(len(c.Records))
		j.settled(c)
	}
	return err
}

// common puts what commits and checkpoints have in common.
func (j *Journal) common(tx *bbolt.Tx, c *Commit) error {
	for name, position := range c.Sources {
		var err error
		if position == nil {
			err = tx.Bucket(sources).Delete([]byte(name))
		} else {
			err = tx.Bucket(sources).Put([]byte(name), position)
		}
		if err != nil {
			return err
		}
	}
	for key, value := range c.Meta {
		if err := tx.Bucket(meta).Put([]byte(key), value); err != nil {
			return err
		}
	}
	b := tx.Bucket(told)
	for _, key := range j.unsure {
		if c.Untold {
			break
		}
		if err := b.Put(key, sure); err != nil {
			return err
		}
	}
	for _, key := range c.Told {
		if err := b.Put([]byte(key), nil); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) settled(c *Commit) {
	if !c.Untold {
		j.unsure = j.unsure[:0]
	}
	for _, key := range c.Told {
		j.unsure = append(j.unsure, []byte(key))
	}
}

// Checkpoint replaces the states of executions, nil for one that has ended, and drops all
// records; what was about to be told was told.
func (j *Journal) Checkpoint(states func(yield func(name string, state []byte) bool), c *Commit) error {
	size := int64(0)
	for _, value := range c.Meta {
		size += int64(len(value))
	}
	err := j.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(executions)
		for name, state := range states {
			size += int64(len(state))
			var err error
			if state == nil {
				err = b.Delete(key(name))
			} else {
				err = b.Put(key(name), state)
			}
			if err != nil {
				return err
			}
		}
		for _, name := range [][]byte{records, told} {
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		j.unsure = nil
		return j.common(tx, c)
	})
	if err == nil {
		j.size, j.states = 0, size
		j.settled(c)
	}
	return err
}
