package admission

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A default id is what SplitDefault takes apart and AppendDefault puts together, of all short texts.
func TestDefaultIDs(t *testing.T) {
	form := regexp.MustCompile(`(?s)^(.*):([1-9][0-9]{0,17})$`)
	const letters = "a:019/;"
	var texts func(prefix string, length int)
	texts = func(id string, length int) {
		var name string
		var k int64
		if parts := form.FindStringSubmatch(id); parts != nil {
			name = parts[1]
			k, _ = strconv.ParseInt(parts[2], 10, 64) // of at most 18 digits
		}
		process, n := SplitDefault([]byte(id))
		if string(process) != name || n != k {
			t.Errorf("%q is event %d of %q, want %d of %q", id, n, process, k, name)
		}
		if k > 0 && string(AppendDefault(nil, name, k)) != id {
			t.Errorf("event %d of %q is called %q", k, name, AppendDefault(nil, name, k))
		}
		if IsDefault([]byte(id), name, k+1) || IsDefault([]byte(id), name+"x", k) || k > 0 && !IsDefault([]byte(id), name, k) {
			t.Errorf("%q is, or is not, the default id of event %d of %q", id, k, name)
		}
		if length == 0 {
			return
		}
		for _, l := range letters {
			texts(id+string(l), length-1)
		}
	}
	texts("", 5)
	for _, digits := range []int{17, 18, 19, 20} {
		texts("a:"+strings.Repeat("1", digits), 0)
	}
}

// Each rule is asked about in order, and refuses what breaks it alone.
func TestRules(t *testing.T) {
	for _, x := range []struct {
		err  error
		want string
	}{
		{ID("a", false), ""},
		{ID("a", true), `two events have the id "a"`},
		{ID([]byte("⊥"), true), `the id "⊥" is reserved`},
		{ID("⊤", false), `the id "⊤" is reserved`},

		{Ahead("A", 1, 1, ""), ""},
		{Ahead("A", 1, 2, OwnID(2, "A")), `the clock is ahead: process "A" has 1 event, not 2 (event 2 of process "A" has an id of its own)`},

		{ClockID("A", "", "c", false), ""},
		{ClockID("A", "c", "c", true), ""},
		{ClockID("A", "c", "d", false), `process "A" has two clocks, "c" and "d": all its times must come from one clock`},
		{ClockID("A", "", "c", true), `the clock of process "A" must be named by its first event, or before it`},

		{Initial("x", false, false), ""},
		{Initial("x", true, true), `variable "x" is shared and has an initial value of a process`},
		{Initial("x", false, true), `variable "x" has two initial values`},
		{Share("x", false, false), ""},
		{Share("x", true, false), `variable "x" is shared and has an initial value of a process`},
		{Share("x", true, true), `variable "x" is declared shared twice`},
	} {
		got := ""
		if x.err != nil {
			got = fmt.Sprint(x.err)
		}
		if got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}
