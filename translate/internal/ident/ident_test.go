package ident_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"testing/quick"

	"github.com/pota-project/pota/translate/internal/ident"
)

// unmangle takes an identifier back to the name.
func unmangle(t *testing.T, id string) string {
	var b strings.Builder
	for id != "" {
		plain, rest, special := strings.Cut(id, "_")
		b.WriteString(plain)
		id = rest
		if !special {
			break
		}
		if other, doubled := strings.CutPrefix(rest, "_"); doubled {
			b.WriteByte('_')
			id = other
			continue
		}
		x, err := hex.DecodeString(rest[:2])
		if err != nil {
			t.Fatal(err)
		}
		b.Write(x)
		id = rest[2:]
	}
	return b.String()
}

// What was mangled can be taken back, so different names give different identifiers.
func TestMangle(t *testing.T) {
	there := func(name string) bool {
		id := ident.Mangle(name)
		return unmangle(t, id) == name && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	}
	if err := quick.Check(there, nil); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"_", "__", "a_b", "_5f", "\xff\x00", "päx"} {
		if !there(name) {
			t.Errorf("%q: %s", name, ident.Mangle(name))
		}
	}
	for name, id := range map[string]string{"P1": "P1", "node-1": "node_2d1", "a_b": "a__b", "": "", "(": "_28"} {
		if got := ident.Mangle(name); got != id {
			t.Errorf("%q: %s, want %s", name, got, id)
		}
	}
}
