package nearmiss

import "testing"

func TestFind(t *testing.T) {
	words := []string{"send", "recv", "process", "set", "id"}
	for got, want := range map[string]string{
		"recvs": "recv", "Process": "process", "proces": "process", "porcess": "process", "prcess": "process",
		"sent": "send", "ste": "set", "di": "id", "xyz": "", "": "", "clock": "",
	} {
		if near := Find(got, words); near != want {
			t.Errorf("%q: %q, want %q", got, near, want)
		}
	}
}
