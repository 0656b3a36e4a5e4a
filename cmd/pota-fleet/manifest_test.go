package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	kubeconform = "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"
	kubernetes  = "k8s.io/client-go@v0.37.2" // describes the types of Kubernetes 1.37
	jobs        = "io.k8s.api.batch.v1.Job"
)

// TestManifest: kubeconform accepts the manifest of the guide, by the schema of its version of
// Kubernetes, and rejects it with a mistake.
func TestManifest(t *testing.T) {
	if testing.Short() {
		t.Skip("builds kubeconform")
	}
	schemas := t.TempDir()
	write(t, filepath.Join(schemas, "job.json"), schemaOf(t, jobs))
	program := filepath.Join(t.TempDir(), "kubeconform")
	install := exec.Command("go", "install", kubeconform)
	install.Env = append(os.Environ(), "GOBIN="+filepath.Dir(program), "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	accepts := func(manifest string) (bool, string) {
		c := exec.Command(program, "-strict", "-schema-location", filepath.Join(schemas, "{{.ResourceKind}}.json"), "-")
		c.Stdin = strings.NewReader(manifest)
		out, err := c.CombinedOutput()
		return err == nil, string(out)
	}
	guide, err := os.ReadFile(filepath.Join("..", "pota", "guides", "fleets.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, manifest, _ := strings.Cut(string(guide), "```yaml\n")
	manifest, _, _ = strings.Cut(manifest, "```")
	if ok, out := accepts(manifest); !ok {
		t.Errorf("kubeconform refuses the manifest: %s", out)
	}
	for right, wrong := range map[string]string{
		"completions: 16":              "completion: 16",
		"parallelism: 16":              "parallelism: many",
		"restartPolicy: Never":         "restartPolicy: [Never]",
		"mountPath: /traces, readOnly": "path: /traces, readOnly",
		"        - name: pota\n":       "        - title: pota\n",
	} {
		if ok, _ := accepts(strings.Replace(manifest, right, wrong, 1)); ok {
			t.Errorf("kubeconform accepts %q", wrong)
		}
	}
}

// A shape is how the libraries of Kubernetes describe a type.
type shape struct {
	Name   string // the name of a definition
	Named  string `yaml:"namedType"`
	Scalar string
	List   *struct {
		Element shape `yaml:"elementType"`
	}
	Map *struct {
		Element *shape `yaml:"elementType"`
		Fields  []struct {
			Name string
			Type shape
		}
	}
}

// schema returns the JSON schema of a shape: strict, so that an object has no other members than
// the named ones.
func (s shape) schema() map[string]any {
	switch {
	case s.Named != "":
		return map[string]any{"$ref": "#/definitions/" + s.Named}
	case s.Scalar == "untyped":
		return map[string]any{}
	case s.Scalar == "numeric":
		return map[string]any{"type": "number"}
	case s.Scalar != "":
		return map[string]any{"type": s.Scalar}
	case s.List != nil:
		return map[string]any{"type": "array", "items": s.List.Element.schema()}
	case s.Map != nil && s.Map.Element != nil:
		return map[string]any{"type": "object", "additionalProperties": s.Map.Element.schema()}
	}
	members := make(map[string]any)
	if s.Map != nil {
		for _, f := range s.Map.Fields {
			members[f.Name] = f.Type.schema()
		}
	}
	return map[string]any{"type": "object", "properties": members, "additionalProperties": false}
}

// schemaOf returns the JSON schema of a type of Kubernetes.
func schemaOf(t *testing.T, name string) string {
	t.Helper()
	download := exec.Command("go", "mod", "download", "-json", kubernetes)
	download.Env = append(os.Environ(), "GOFLAGS=")
	out, err := download.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(module.Dir, "applyconfigurations", "internal", "internal.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(source), "typed.YAMLObject(`")
	text, _, _ = strings.Cut(text, "`")
	var all struct{ Types []shape }
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	definitions := make(map[string]any)
	for _, s := range all.Types {
		definitions[s.Name] = s.schema()
	}
	if definitions[name] == nil {
		t.Fatalf("%s does not know %s", kubernetes, name)
	}
	return string(jsonOf(map[string]any{"$ref": "#/definitions/" + name, "definitions": definitions}))
}
