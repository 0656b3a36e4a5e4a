package potatest

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/infer"
)

// update has InferFile write its property file, as tests with golden files do.
var update = flag.Bool("potatest.update", false, "write the property files of potatest.InferFile")

// Infer looks for properties that all recordings have, in every order that causality allows, and
// logs what it finds, as the command pota infer prints it. Each recording is a run that went well;
// several of them teach more than one. Nothing may be recorded while Infer runs.
func Infer(t testing.TB, recs ...*Recording) *infer.Result {
	t.Helper()
	ctx, cancel := withinTest(t)
	defer cancel()
	if len(recs) == 0 {
		t.Fatal("there is no recording to look at")
	}
	var good []infer.Run
	for i, rec := range recs {
		if err := rec.Flush(); err != nil {
			t.Fatalf("recording: %v", err)
		}
		all, err := format.Read(ctx, rec.path, format.Options{Options: trace.Options{Names: true, Places: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			good = append(good, infer.Run{Name: fmt.Sprintf("recording %d", i+1), Computation: e.Computation})
		}
	}
	res := infer.Infer(ctx, good, nil, infer.Options{})
	t.Log("\n" + res.String())
	return res
}

// InferFile decides the properties of a property file on all recordings, as
// Check does. With the flag
// -potatest.update, as in
//
//	go test -run TestElection -potatest.update
//
// it first writes what Infer finds to the file. Edit the file then: keep what should hold.
func InferFile(t testing.TB, properties string, recs ...*Recording) {
	t.Helper()
	if *update {
		if err := os.WriteFile(properties, []byte(Infer(t, recs...).Properties()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, rec := range recs {
		if err := rec.Flush(); err != nil {
			t.Fatalf("recording: %v", err)
		}
		CheckFile(t, rec.path, properties)
	}
}
