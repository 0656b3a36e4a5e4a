package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// formulas returns the formulas of the candidates of a template that a run teaches.
func formulas(t *testing.T, text, template string) (all []string) {
	r := readRun(t, "run", text)
	v := vocabularyOf([]Run{r})
	for _, c := range allCandidates(v, surveyed(t, v, r.Computation)) {
		if c.template.name == template {
			all = append(all, c.formula)
		}
	}
	return all
}

// A variable that names processes is about those that it names: two of them at least.
func TestNaming(t *testing.T) {
	for n := range 4 {
		text := `{"process":"c","init":{"holder":""}}` + "\n"
		for p := range 3 {
			text += fmt.Sprintf(`{"process":"p%d","init":{"cs":false}}`+"\n"+`{"process":"p%[1]d"}`+"\n", p)
			text += fmt.Sprintf(`{"process":"p%d","set":{"cs":true}}`+"\n"+`{"process":"p%[1]d","set":{"cs":false}}`+"\n", p)
		}
		text += `{"process":"c"}` + "\n"
		for p := range n {
			text += fmt.Sprintf(`{"process":"c","set":{"holder":"p%d"}}`+"\n", p)
		}
		found := formulas(t, text, "named")
		if (len(found) > 0) != (n > 1) {
			t.Errorf("%d names: %v", n, found)
		}
	}
}

// That processes agree is luck if nothing but the order of the log keeps different choices apart.
func TestAgreementByLuck(t *testing.T) {
	text := ""
	for p := range 3 {
		text += fmt.Sprintf(`{"process":"p%d","init":{"x":""}}`+"\n", p)
	}
	for n := range 9 {
		for _, x := range []string{"", fmt.Sprint("v", n%3), ""} {
			text += fmt.Sprintf(`{"process":"p%d","set":{"x":%q}}`+"\n", n%3, x)
		}
	}
	res := infers(t, []Run{readRun(t, "lucky", text)}, nil)
	if !slices.ContainsFunc(res.Luck, func(f *Finding) bool { return f.Template == "agree" }) {
		t.Errorf("not in\n%s", res)
	}
}

// Of three values, each is left for another some time, so that no other comes is no response.
func TestResponses(t *testing.T) {
	text := `{"process":"p","init":{"x":"a","busy":false}}` + "\n"
	for n := range 12 {
		text += fmt.Sprintf(`{"process":"p","set":{"x":"%c","busy":%t}}`+"\n", "abc"[n%3], n%2 == 0)
	}
	found := formulas(t, text, "responds")
	if len(found) == 0 {
		t.Error("nothing is found")
	}
	for _, text := range found {
		asked, answer, _ := strings.Cut(text, "->")
		if strings.Contains(text, "!=") || strings.Contains(asked, "!busy") || strings.TrimSpace(answer) == "" {
			t.Error(text)
		}
	}
}
