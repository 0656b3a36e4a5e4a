package record_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pota-project/pota/graphs/record"
)

// Events with timers have times, without any option, and the end of a timer is read as an event.
func TestTimer(t *testing.T) {
	var text bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		r := record.New(&text)
		p := r.Process("p", record.Set("holds", false))
		p.Event()
		p.Event(record.Set("holds", true), record.Timer("lease", 10*time.Second, record.Set("holds", false)),
			record.Timer("other", time.Second), record.CancelTimer("other"))
		time.Sleep(11 * time.Second)
		p.Event()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	c := read(t, text.Bytes())
	var got []string
	for k := 1; k <= c.Len(0); k++ {
		got = append(got, c.ID(c.Event(0, k))+" "+c.Time(c.Event(0, k)))
	}
	want := `p:1 ,p:2 "2000-01-01T00:00:00Z",p:2.lease "2000-01-01T00:00:10Z",p:3 "2000-01-01T00:00:11Z"`
	if strings.Join(got, ",") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if v := c.Variable(0, "holds"); v.Len() != 2 || v.Value(1).Bool() {
		t.Error(v.Events())
	}
}

func TestTimerRefused(t *testing.T) {
	for want, records := range map[string]func(r *record.Recorder){
		"cannot last -1s": func(r *record.Recorder) { r.Process("p").Event(record.Timer("lease", -time.Second)) },
		"type []int":      func(r *record.Recorder) { r.Process("p").Event(record.Timer("lease", 1, record.Set("x", []int{}))) },
	} {
		var text bytes.Buffer
		r := record.New(&text)
		records(r)
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
