package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// TestStorage: inputs and outputs may be objects of gs:// and s3://; their content is the same as
// that of files, even if an earlier run left other objects there.
func TestStorage(t *testing.T) {
	var gcs *fakestorage.Server
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { gcs.HTTPHandler().ServeHTTP(w, r) }))
	defer front.Close()
	host := strings.TrimPrefix(front.URL, "http://")
	gcs, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: host, ExternalURL: front.URL})
	if err != nil {
		t.Fatal(err)
	}
	gcs.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	t.Setenv("STORAGE_EMULATOR_HOST", host)

	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	defer s3.Close()
	t.Setenv("AWS_ENDPOINT_URL", s3.URL)
	t.Setenv("AWS_REGION", "nowhere-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")

	rng := rand.New(rand.NewPCG(3, 3))
	dir := t.TempDir()
	var executions [][]string
	for i := range 8 {
		executions = append(executions, execution(rng, i))
	}
	scatter(t, rng, executions, 4, filepath.Join(dir, "in"), "")
	job := func(at string) *job {
		j := newJob(at+"/out", at+"/in/*")
		j.Certify = true
		return j
	}
	runJob(t, job(dir))
	want := content(t, filepath.Join(dir, "out"))
	inputs := content(t, filepath.Join(dir, "in"))
	for _, at := range []string{"gs://bucket", "s3://bucket"} {
		fs, err := filesystem.New(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		defer fs.Close()
		for name, text := range inputs {
			if err := filesystem.Write(t.Context(), fs, at+"/in/"+name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			runJob(t, job(at))
			if got := objects(t, fs, at+"/out/"); !maps.Equal(got, want) {
				t.Errorf("%s has %d outputs, or others than the %d files", at, len(got), len(want))
			}
		}
		traces, err := fs.List(t.Context(), at+"/out/traces/*")
		if err != nil || len(traces) == 0 {
			t.Errorf("%s has %d traces: %v", at, len(traces), err)
		}
	}
}

// objects returns the contents of objects whose names begin with a prefix, without it.
func objects(t *testing.T, fs filesystem.Interface, prefix string) map[string]string {
	t.Helper()
	names, err := fs.List(t.Context(), prefix+"*")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, name := range names {
		text, err := filesystem.Read(context.Background(), fs, name)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", name, err))
		}
		all[strings.TrimPrefix(name, prefix)] = string(text)
	}
	return all
}
