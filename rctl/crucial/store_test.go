package crucial

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/promela"
)

// A state keeps its number while the table grows, also where the slots that hashes name are
// at the end of the table.
func TestStoreNumbersStates(t *testing.T) {
	const states = 3 * perBlock
	s := newStore(4)
	state := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	for i := range states {
		if id := s.add(state(i)); int(id) != i {
			t.Fatalf("state %d has the number %d", i, id)
		}
		if s.n*8 > len(s.tags)*7+8 {
			t.Fatalf("%d states in a table of %d", s.n, len(s.tags))
		}
	}
	for i := range states {
		if id := s.add(state(i)); int(id) != i || s.n != states {
			t.Fatalf("state %d has the number %d when it is added again, of %d", i, id, s.n)
		}
		if !slices.Equal(s.at(uint32(i)), state(i)) {
			t.Fatalf("state %d is %v", i, s.at(uint32(i)))
		}
	}
	if want := int64(3*perBlock*4 + 5*len(s.tags)); s.bytes() != want {
		t.Errorf("%d bytes, not %d", s.bytes(), want)
	}
}

// Sets meet where they have an element in common.
func TestMeet(t *testing.T) {
	const n = 200
	s, u := setOf(n, []int{3, 63}, []int{64, 128}), setOf(n, []int{130, 2})
	if meet(s, u) || meet(s, setOf(n)) {
		t.Error("sets without a common element meet")
	}
	u.Add(128)
	if !meet(s, u) || !meet(u, s) {
		t.Error("sets with a common element do not meet")
	}
}

// A label that a process does not have is refused at its place, with the nearest one.
func TestUnknownLabel(t *testing.T) {
	m, err := promela.Parse("model.pml", "byte x; active proctype A() { x = 1; ready: x = 2 }", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := promela.Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string]string{
		`EF(at@A == "raedy")`: `1:12: process A has no label "raedy" (did you mean ready?)`,
		`EF(at@A == "ready")`: "",
		`EF(at@A == "")`:      "",
	} {
		f, err := resolve(t.Context(), p, formula)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Check(t.Context(), p, f, Options{})
		if got := errorText(err); got != want {
			t.Errorf("%s: %s, not %s", formula, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The memory limit is reached by one byte more than it allows.
func TestMemoryLimit(t *testing.T) {
	k := &checker{ctx: t.Context(), states: newStore(4)}
	k.states.add([]byte("1234"))
	for _, more := range []int64{-1, 0, 1} {
		k.opts.MaxMemory = k.states.bytes() + more
		k.err = nil
		if k.limit(); (k.err != nil) != (more < 0) {
			t.Errorf("%d bytes beyond what states take: %v", more, k.err)
		}
	}
	k.opts.MaxMemory, k.err = 0, nil
	if k.limit(); k.err != nil {
		t.Error(k.err)
	}
}

// A still is a program that stays where it is.
type still struct{ program.Program }

func (still) Apply(state []byte, _ program.Transition, dst []byte) ([]byte, error) {
	return append(dst, state...), nil
}

// The limits are looked at once in 1,024 steps, and end the search only where they are reached.
func TestLimitOfSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	k := &checker{ctx: ctx, program: still{}, states: newStore(4), steps: 1}
	k.states.add([]byte("0000"))
	id := k.states.add([]byte("1234"))
	for range 1022 {
		if k.apply(id, program.Transition{}); k.err != nil {
			t.Fatal(k.err)
		}
	}
	// The step that looks goes on from the state where it leads.
	if to := k.apply(id, program.Transition{}); to != id || k.err != nil {
		t.Errorf("%d, %v", to, k.err)
	}

	cancel()
	for range 1023 {
		if k.apply(id, program.Transition{}); k.err != nil {
			t.Fatal(k.err)
		}
	}
	if k.apply(id, program.Transition{}); !errors.Is(k.err, context.Canceled) {
		t.Error(k.err)
	}
}

// Each side of each channel has a number of its own, and partners know each other's.
func TestSides(t *testing.T) {
	taken := make(map[int]bool)
	for channel := 1; channel < 9; channel++ {
		send := &program.Action{Meets: channel, Sends: true}
		receive := &program.Action{Meets: channel}
		if side(send, true) != side(receive, false) || side(receive, true) != side(send, false) {
			t.Errorf("channel %d: partners do not find each other", channel)
		}
		for _, a := range []*program.Action{send, receive} {
			if n := side(a, true); taken[n] || n/2 != channel || (n%2 == 1) != a.Sends {
				t.Errorf("channel %d: side %d is another's", channel, n)
			} else {
				taken[n] = true
			}
		}
	}
}
