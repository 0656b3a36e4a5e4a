package merge

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/present"
)

// A recorder is a reporter that keeps what it gets, a line each.
type recorder struct{ got []string }

func (k *recorder) Verdict(r *present.Record) {
	if r.Verdict == "" {
		k.got = append(k.got, fmt.Sprintf("%s %s error %v", r.Subject.Trace, r.Subject.Title(), r.Err))
		return
	}
	k.got = append(k.got, fmt.Sprintf("%s %s %s", r.Subject.Trace, r.Subject.Title(), r.Verdict))
}

func (k *recorder) Problem(string, error) {}

// verdict is a line with a verdict on EF x.
func verdict(trace, verdict string) string {
	return fmt.Sprintf(`{"trace":%q,"formula":"EF x","verdict":%q,"fragment":"RCTL","engine":"slice","elapsed_ms":0,"stats":{}}`, trace, verdict)
}

// shard is the last line of a shard.
func shard(name string) string {
	return fmt.Sprintf(`{"shard":%q,"traces":1,"properties":["EF x"]}`, name)
}

// merged returns what a reporter gets of the files a and b, the status and standard error.
func merged(t *testing.T, a, b []string) (got []string, status exit.Status, stderr string, err error) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, lines := range map[string][]string{"a": a, "b": b} {
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var notes bytes.Buffer
	r := &job.Run{
		Context: context.Background(),
		Console: console.New(nil, new(bytes.Buffer), &notes),
	}
	results, err := Read(r, []string{"a", "b"})
	if err != nil {
		return nil, r.Status, notes.String(), err
	}
	k := new(recorder)
	err = results.Report(k)
	results.Complete()
	return k.got, r.Status, notes.String(), err
}

// Of several lines on a subject the first decided one counts, and a lost shard leaves the whole
// undecided.
func TestMerge(t *testing.T) {
	for _, test := range []struct {
		name   string
		a, b   []string
		want   []string
		status exit.Status
		stderr string
	}{
		{
			name: "the first of two",
			a:    []string{verdict("t", "holds")},
			b:    []string{verdict("t", "holds"), verdict("u", "fails")},
			want: []string{"t EF x holds", "u EF x fails"},
		},
		{
			name: "decided before unknown",
			a:    []string{verdict("t", "unknown"), "", verdict("u", "holds")},
			b:    []string{verdict("t", "fails"), verdict("u", "unknown")},
			want: []string{"u EF x holds", "t EF x fails"},
		},
		{
			name: "errors",
			a:    []string{`{"trace":"t","error":"no such file"}`, `{"trace":"u","formula":"EF x","error":"no variable"}`},
			b:    []string{`{"trace":"t","error":"no such file"}`},
			want: []string{"t  error no such file", "u EF x error no variable"},
		},
		{
			name: "all shards",
			a:    []string{verdict("t", "holds"), shard("1/2")},
			b:    []string{shard("0/2")},
			want: []string{"t EF x holds"},
		},
		{
			name:   "a missing shard",
			a:      []string{verdict("t", "holds"), shard("2/4")},
			b:      []string{shard("0/4")},
			want:   []string{"t EF x holds"},
			status: exit.Undecided,
			stderr: "pota: 2 of 4 shards are missing: 1, 3\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, status, stderr, err := merged(t, test.a, test.b)
			if err != nil || !slices.Equal(got, test.want) || status != test.status || stderr != test.stderr {
				t.Errorf("%q, status %d, %s%v, want %q", got, status, stderr, err, test.want)
			}
		})
	}
}

// What cannot be joined is refused, with the place.
func TestMergeRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b []string
		want string
	}{
		{"contradiction", []string{verdict("t", "holds")}, []string{"", verdict("t", "fails")}, "b:2: EF x fails on t, but at a:1 it holds"},
		{"no result", []string{verdict("t", "holds"), "holds"}, nil, "a:2: a result must be one line of JSON"},
		{"nothing", nil, nil, "there is no result in a, b"},
		{"other numbers of shards", []string{shard("0/2")}, []string{shard("1/3")}, "b:1: shard 1/3 cannot be joined with shard 0/2 of a:1"},
		{"other properties", []string{shard("0/2")}, []string{strings.Replace(shard("1/2"), "EF x", "EF y", 1)}, "b:1: shard 1/2 decided other properties"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, _, err := merged(t, test.a, test.b)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%q, %v, want %s", got, err, test.want)
			}
		})
	}
}
