package record

import (
	"slices"
	"sync"
)

// Value is what a shared variable can hold.
type Value interface {
	~bool | ~string | ~float32 | ~float64 |
		~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// A Variable is a variable that several processes read and write. It holds the value, and records
// accesses in their order: a write happens after the write before it and the reads since, and a
// read after the write of the value that is read. Reads are not ordered among themselves.
//
//	(1) reads are the reads since write, the last one of each process
//	(2) write happened before each of reads
type Variable[T Value] struct {
	name  string
	mutex sync.Mutex
	value T
	write Ref
	reads []Ref
}

// NewVariable declares a shared variable.
func NewVariable[T Value](r *Recorder, name string, init T) *Variable[T] {
	r.Shared(Set(name, init))
	return &Variable[T]{name: name, value: init}
}

// Read returns the value and records an event of p.
func (v *Variable[T]) Read(p *Process, actions ...Action) T {
	return v.ReadFunc(p, func(T) []Action { return actions })
}

// ReadFunc is Read for an event with actions that depend on the value, such as Set of a variable of
// p. The function must not use v.
func (v *Variable[T]) ReadFunc(p *Process, actions func(value T) []Action) T {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	ref := p.Event(append([]Action{After(v.write)}, actions(v.value)...)...)
	if p == nil {
		return v.value
	}
	i := slices.IndexFunc(v.reads, func(r Ref) bool { return r.of(p) })
	if i < 0 {
		v.reads = append(v.reads, ref)
	} else {
		v.reads[i] = ref
	}
	return v.value
}

// Write gives the variable a value in an event of p.
func (v *Variable[T]) Write(p *Process, value T, actions ...Action) Ref {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.assign(p, value, actions)
}

// Update gives the variable the value that f makes of its value, reading and
// writing in one event of p, and returns it. f must not use v.
func (v *Variable[T]) Update(p *Process, f func(T) T, actions ...Action) T {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.assign(p, f(v.value), actions)
	return v.value
}

// assign writes; by (2) the last write needs no mention where there are reads.
func (v *Variable[T]) assign(p *Process, value T, actions []Action) Ref {
	causes := After(v.write)
	if len(v.reads) > 0 {
		causes = v.reads
	}
	ref := p.Event(append([]Action{Set(v.name, value), causes}, actions...)...)
	v.value = value
	if p != nil {
		v.write, v.reads = ref, v.reads[:0]
	}
	return ref
}
