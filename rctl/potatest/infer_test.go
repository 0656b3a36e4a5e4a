package potatest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/rctl/potatest"
)

// passed records processes that pass a token on: who has it is in the section.
func passed(t testing.TB, rounds int) *potatest.Recording {
	rec := potatest.Record(t)
	a := rec.Process("a", record.Set("cs", false))
	b := rec.Process("b", record.Set("cs", false))
	from, to := a, b
	for range rounds {
		from.Event(record.Set("cs", true))
		from.Event(record.Set("cs", false))
		to.Receive(from.Send(to.Name()))
		from, to = to, from
	}
	return rec
}

// What recordings have in common is logged, and written to a file by a flag; then it is checked.
func TestInfer(t *testing.T) {
	_, said := watch(t, func(t testing.TB) {
		potatest.Infer(t, passed(t, 4), passed(t, 6))
	})
	const mutex = "AG forall i != j: !(cs@i && cs@j)"
	if !strings.Contains(said, "no two processes have cs at once") || !strings.Contains(said, mutex) {
		t.Errorf("said %s", said)
	}

	file := filepath.Join(t.TempDir(), "found.properties")
	if err := flag.Set("potatest.update", "true"); err != nil {
		t.Fatal(err)
	}
	s, _ := watch(t, func(t testing.TB) { potatest.InferFile(t, file, passed(t, 4), passed(t, 6)) })
	if err := flag.Set("potatest.update", "false"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "mutex-cs: "+mutex) || s.failed {
		t.Fatalf("wrote %s: %v", text, err)
	}
	s, said = watch(t, func(t testing.TB) {
		rec := potatest.Record(t)
		section(rec.Recorder, 2)
		potatest.InferFile(t, file, rec)
	})
	if !s.failed || !strings.Contains(said, "fails: mutex-cs: "+mutex) {
		t.Errorf("a broken mutual exclusion: failed %t, said %s", s.failed, said)
	}
}
