package present

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/rctl/report"
)

// The verdict without a bound tells the status, unless a limit kept others from being
// known; then it does not flip as far as is known.
func TestSweepStatus(t *testing.T) {
	for _, test := range []struct {
		verdicts []string
		want     exit.Status
		word     string
	}{
		{[]string{"holds"}, exit.AllHold, "holds"},
		{[]string{"fails"}, exit.SomeFails, "fails"},
		{[]string{"unknown"}, exit.Undecided, "unknown"},
		{[]string{"fails", "holds"}, exit.AllHold, "flips"},
		{[]string{"holds", "fails"}, exit.SomeFails, "flips"},
		{[]string{"holds", "unknown", "holds"}, exit.Undecided, "unknown"},
		{[]string{"holds", "unknown", "fails"}, exit.Undecided, "flips"},
	} {
		r := &Sweep{Subject: report.Subject{Trace: "t", Formula: "f"}}
		for i, verdict := range test.verdicts {
			to := int64(i + 1)
			r.Sweep = append(r.Sweep, Stretch{From: int64(i), To: &to, Verdict: verdict})
		}
		var out bytes.Buffer
		c := console.New(nil, &out, new(bytes.Buffer))
		printSweep(c, &Record{Sweep: r})
		c.Close()
		if got := r.Status(); got != test.want || !strings.HasPrefix(out.String(), test.word) {
			t.Errorf("%q: status %d, %s", test.verdicts, got, out.String())
		}
	}
}
