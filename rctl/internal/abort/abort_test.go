package abort

import (
	"errors"
	"testing"
)

func TestCatch(t *testing.T) {
	wrong := errors.New("wrong")
	run := func(f func()) (err error) {
		defer Catch(&err)
		f()
		return nil
	}
	if err := run(func() {}); err != nil {
		t.Errorf("without a panic: %v", err)
	}
	if err := run(func() { panic(Error{wrong}) }); err != wrong {
		t.Errorf("with an Error: %v", err)
	}
	defer func() {
		if r := recover(); r != "bug" {
			t.Errorf("another panic is %v", r)
		}
	}()
	_ = run(func() { panic("bug") })
	t.Error("another panic was caught")
}
