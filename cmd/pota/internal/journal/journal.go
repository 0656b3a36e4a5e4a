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
//	told        which answers have been told since the last checkpoint, or are about to be
//	waiting     the answers that were about to be told at the last checkpoint
//	past        what is known of what ended long ago, in pieces, the last ones
//	meta        what the journal is of, and what else is known
//
// A commit adds records together with the positions up to which they were read, so that no
// source is read twice or left out. A checkpoint replaces the states of the executions that
// have changed, and drops the records: what a state does not need any more is forgotten.
//
// Answers have numbers, in the order in which they are told, and are told to several between two commits:
// the first says that one is about to be told, and a later one up to which number each got all. Where only
// the first is found, somebody may or may not have got it. Until then the answer follows from the records,
// or is kept itself, so that nothing has to wait for who gets answers.
package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/pota-project/pota/graphs/stream"
)

// A Journal is one that is open. It must not be used by several goroutines at once.
type Journal struct {
	db     *bbolt.DB
	told   Told
	size   int64 // of the records since the last checkpoint, and of what they lead to
	states int64 // of the states written by the last one
	past   int64 // of the pieces of the past
}

// Told has the number up to which each of those who get answers surely got all.
type Told [2]uint64

// Least returns the number up to which all got all answers.
func (t Told) Least() uint64 { return min(t[0], t[1]) }

// Got says who surely got an answer.
type Got [len(Told{})]bool

// All reports whether all did.
func (g Got) All() bool { return g[0] && g[1] }

func (g Got) code() []byte {
	value, err := binary.Append(nil, binary.BigEndian, g)
	if err != nil {
		panic("this cannot happen, because its size is fixed: " + err.Error())
	}
	return value
}

// got returns who got the answer of a number.
func (t Told) got(number uint64) (g Got) {
	for i := range g {
		g[i] = number <= t[i]
	}
	return g
}

// A Commit is what becomes safe together.
type Commit struct {
	Records []byte            // appended, if there are any
	Sources map[string][]byte // positions that have changed, nil for one that is forgotten
	Telling []Answer          // that are about to be told
	Told    Told              // of the answers of commits before this one
	Meta    map[string][]byte

	// Of a checkpoint alone: another piece of the past, how many bytes of all are kept at least, and
	// answers that were told, but do not follow from the states.
	Past     []byte
	MostPast int64
	Left     map[string]Got
}

// An Answer is one that is told.
type Answer struct {
	Number uint64 // more than those before it
	Key    string // what it is to, and nothing else since the last checkpoint
}

var (
	records    = []byte("records")
	executions = []byte("executions")
	sources    = []byte("sources")
	told       = []byte("told")
	waiting    = []byte("waiting")
	past       = []byte("past")
	meta       = []byte("meta")
	ofKey      = []byte("of")
	toldKey    = []byte("told")
)

// waitForLock is how long Open waits for another program to close the journal.
const waitForLock = time.Second

// A Condition is something that has to be as it was when the journal was made.
type Condition struct{ Name, Value string }

// Open opens the journal in a directory, which is made if there is none. What the journal is
// of has to be what it was of when it was made; the error names the first condition that is
// not.
func Open(dir string, of []Condition) (*Journal, error) {
	err := os.MkdirAll(dir, 0o700)
	var db *bbolt.DB
	if err == nil {
		db, err = open(filepath.Join(dir, "journal"))
	}
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("the journal in %s is in use by another pota watch", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the journal in %s cannot be opened: %w", dir, err)
	}
	j := &Journal{db: db}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{records, executions, sources, told, waiting, past, meta} {
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
		if n := m.Get(toldKey); n != nil {
			_, err := binary.Decode(n, binary.BigEndian, &j.told)
			if err != nil {
				return err
			}
		}
		return errors.Join(m.Put(ofKey, code(of)), j.settleGot(tx.Bucket(told)))
	})
	if err != nil {
		db.Close() //nolint:errcheck // there is an error already
		return nil, err
	}
	return j, nil
}

// errDamaged says that a file is not as it was written.
var errDamaged = errors.New("the file is damaged: use another directory, or remove this one")

// open opens a file, which is refused where it was cut off.
func open(path string) (db *bbolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil { // pages that the file refers to are not there, or not pages
			db, err = nil, errDamaged
		}
	}()
	db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: waitForLock, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, bolterrors.ErrInvalid) || errors.Is(err, bolterrors.ErrChecksum) || errors.Is(err, bolterrors.ErrVersionMismatch) {
		err = errDamaged
	}
	if err != nil {
		return nil, err
	}
	whole := int64(0)
	err = db.View(func(tx *bbolt.Tx) error {
		whole = tx.Size()
		return nil
	})
	info, bad := os.Stat(path)
	if err = errors.Join(err, bad); err == nil && info.Size() < whole {
		err = errDamaged
	}
	if err != nil {
		db.Close() //nolint:errcheck // there is an error already
	}
	return db, err
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// settleGot notes of answers who surely got them, rather than their numbers, as the numbers of this
// run are greater than all before.
func (j *Journal) settleGot(b *bbolt.Bucket) error {
	all := make(map[string]Got)
	err := b.ForEach(func(key, value []byte) error {
		j.size += int64(len(key))
		if len(value) == len(number(0)) {
			all[string(key)] = j.told.got(binary.BigEndian.Uint64(value))
		}
		return nil
	})
	for key, got := range all {
		err = errors.Join(err, b.Put([]byte(key), got.code()))
	}
	return err
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

// Remove closes the journal and removes it, unless somebody has: all that it is of has ended.
func (j *Journal) Remove() error {
	path := j.db.Path()
	err := j.db.Close()
	if bad := os.Remove(path); !errors.Is(bad, os.ErrNotExist) {
		err = errors.Join(err, bad)
	}
	return err
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

// Past calls piece for each piece of the past, in order, once. The bytes must not be kept.
func (j *Journal) Past(piece func(data []byte)) error {
	return j.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(past).ForEach(func(_, data []byte) error {
			piece(data)
			j.past += int64(len(data))
			return nil
		})
	})
}

// addPast adds a piece to the past, and drops the first ones that are not needed any more. It returns
// how many bytes are left.
func (j *Journal) addPast(b *bbolt.Bucket, c *Commit) (size int64, err error) {
	if len(c.Past) == 0 {
		return j.past, nil
	}
	n, err := b.NextSequence()
	if err == nil {
		err = b.Put(number(n), c.Past)
	}
	size = j.past + int64(len(c.Past))
	var gone [][]byte
	at := b.Cursor()
	for key, data := at.First(); key != nil && size-int64(len(data)) >= c.MostPast; key, data = at.Next() {
		gone = append(gone, bytes.Clone(key))
		size -= int64(len(data))
	}
	for _, key := range gone {
		err = errors.Join(err, b.Delete(key))
	}
	return size, err
}

// leastCheckpoint is how many bytes of records are worth a checkpoint.
const leastCheckpoint = 1 << 20

// Due reports whether there are so many records that a checkpoint should be made.
func (j *Journal) Due() bool { return j.size > max(leastCheckpoint, 2*j.states) }

// Told returns up to which numbers answers were surely told.
func (j *Journal) Told() Told { return j.told }

// Waiting calls answer for each answer that was about to be told at the last checkpoint, and that not all
// surely got, in their order. The bytes must not be kept.
func (j *Journal) Waiting(answer func(number uint64, got Got, data []byte) error) error {
	return j.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(waiting).ForEach(func(key, data []byte) error {
			n := binary.BigEndian.Uint64(key)
			return answer(n, j.told.got(n), data)
		})
	})
}

// Known returns the positions of sources, the answers told since the last checkpoint, and who surely
// got them, and what else is known.
func (j *Journal) Known() (positions map[string][]byte, answers map[string]Got, other map[string][]byte, err error) {
	positions, answers, other = make(map[string][]byte), make(map[string]Got), make(map[string][]byte)
	err = j.db.View(func(tx *bbolt.Tx) error {
		all := func(bucket []byte, into map[string][]byte) error {
			return tx.Bucket(bucket).ForEach(func(key, value []byte) error {
				into[string(key)] = bytes.Clone(value)
				return nil
			})
		}
		return errors.Join(all(sources, positions), all(meta, other), tx.Bucket(told).ForEach(func(key, value []byte) error {
			var got Got
			_, err := binary.Decode(value, binary.BigEndian, &got)
			answers[string(key)] = got
			return err
		}))
	})
	return positions, answers, other, err
}

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
			if err := b.Put(number(n), c.Records); err != nil {
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
	for _, a := range c.Telling {
		if err := tx.Bucket(told).Put([]byte(a.Key), number(a.Number)); err != nil {
			return err
		}
	}
	if c.Told == j.told {
		return nil
	}
	b := tx.Bucket(waiting)
	var gone []uint64
	at := b.Cursor()
	for key, _ := at.First(); key != nil && binary.BigEndian.Uint64(key) <= c.Told.Least(); key, _ = at.Next() {
		gone = append(gone, binary.BigEndian.Uint64(key))
	}
	for _, n := range gone {
		if err := b.Delete(number(n)); err != nil {
			return err
		}
	}
	value, _ := binary.Append(nil, binary.BigEndian, c.Told) //nolint:errcheck // its size is fixed
	return tx.Bucket(meta).Put(toldKey, value)
}

// settled notes what a commit has made so.
func (j *Journal) settled(c *Commit) {
	for _, a := range c.Telling {
		j.size += int64(len(a.Key))
	}
	j.told = c.Told
}

// Checkpoint replaces the states of executions, nil for one that has ended, and drops all
// records. Of the answers that were about to be told those have to be given, in their order, that not all
// got.
func (j *Journal) Checkpoint(states iter.Seq2[string, []byte], answers iter.Seq2[uint64, []byte], c *Commit) error {
	size, left := int64(0), int64(0)
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
		b = tx.Bucket(waiting)
		b.FillPercent = 1 // keys only grow
		for n, data := range answers {
			if err := b.Put(number(n), data); err != nil {
				return err
			}
		}
		var err error
		if left, err = j.addPast(tx.Bucket(past), c); err != nil {
			return err
		}
		for _, name := range [][]byte{records, told} {
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		for key, got := range c.Left {
			if err := tx.Bucket(told).Put([]byte(key), got.code()); err != nil {
				return err
			}
		}
		return j.common(tx, c)
	})
	if err == nil {
		j.size, j.states, j.past = 0, size, left
		j.settled(c)
	}
	return err
}
