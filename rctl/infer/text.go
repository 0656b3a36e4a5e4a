package infer

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// A List is one of the three lists, with its heading.
type List struct {
	Name, Heading, None string
	Findings            []*Finding
}

// Lists returns the lists, the most informative first.
func (r *Result) Lists() []List {
	lists := []List{
		{"breaks", "breaks in the bad run: holds on all good runs, and fails there", "nothing that all good runs keep", r.Breaks},
		{"luck", "only luck: holds in the logged order, and fails in another one that causality allows", "nothing found", r.Luck},
		{"held", "what held: on all good runs, whatever the order", "nothing found", r.Held},
	}
	if r.Bad == 0 {
		return lists[1:]
	}
	if r.Bad > 1 {
		lists[0].Heading = "breaks in bad runs: holds on all good runs, and fails in some of these"
	}
	return lists
}

// String returns the lists as text for people. Each line ends with a newline.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d bad: of %s, %d hold on all good runs\n",
		graphs.Plural(r.Good, "good run"), r.Bad, graphs.Plural(r.Candidates, "candidate"), r.Kept)
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	n := 0
	for _, list := range r.Lists() {
		fmt.Fprintf(&b, "\n%s\n", list.Heading)
		if len(list.Findings) == 0 {
			fmt.Fprintf(&b, "      %s\n", list.None)
		}
		for _, f := range list.Findings {
			n++
			fmt.Fprintf(&b, "  %2d  %s\n      %s\n      %s\n", n, graphs.Printable(f.Says), graphs.Printable(f.Text), graphs.Printable(f.Evidence))
		}
	}
	return b.String()
}

// notes returns remarks on how far the lists can be trusted.
func (r *Result) notes() []string {
	notes := []string{fmt.Sprintf("confidence: what %s taught, the other one breaks %.1f of %.0f on average",
		graphs.Plural(r.Good-1, "run"), r.Broken, r.Taught)}
	switch r.Good {
	case 0:
		notes[0] = "no good run, so nothing can be said to hold"
	case 1:
		notes[0] = "one good run says little: much of this is chance; give more of them"
	}
	if r.Reason != "" {
		notes = append(notes, "partial: "+r.Reason+"; this is what was found until then")
	}
	if r.short {
		notes = append(notes, "a bad run is shorter than each good one: what should have come may only be cut off, so safety is first")
	}
	if r.unordered > 0 {
		notes = append(notes, fmt.Sprintf("the order of %s is not known, so nothing can be said to be luck", graphs.Plural(r.unordered, "good run")))
	}
	return notes
}

// evidence returns the evidence for a finding in a few words.
func (s *search) evidence(f *Finding) string {
	how, in := "asked once", " in "+graphs.Plural(f.AskedIn, "run")
	switch {
	case f.Apart && f.LuckIn != "":
		how = graphs.Plural(f.Asked, "pair") + " that nothing but the logged order keeps apart"
	case f.Apart:
		how = graphs.Plural(f.Asked, "pair") + " kept apart by messages"
	case f.Asked > 1:
		how = fmt.Sprintf("asked %d times", f.Asked)
	}
	text := how + in
	if f.LuckIn != "" {
		text += "; see " + f.LuckIn
	}
	if s.res.Bad > 1 && len(f.BreaksIn) > 0 {
		text += fmt.Sprintf("; fails in %d of %d bad runs", len(f.BreaksIn), s.res.Bad)
	}
	if n := len(f.Implied); n > 0 {
		text += fmt.Sprintf("; %d more follow", n)
	}
	return text
}

// Properties returns the text of a property file: the lists breaks and held, each line with its
// sentence and evidence in a comment. Luck is in comments, because it fails.
func (r *Result) Properties() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Properties that pota infer found in %s. Keep what should hold.\n", graphs.Plural(r.Good, "good run"))
	for _, list := range r.Lists() {
		if len(list.Findings) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n", strings.ToUpper(list.Heading[:1])+list.Heading[1:])
		for _, f := range list.Findings {
			off := ""
			if f.LuckIn != "" {
				off = "# "
			}
			fmt.Fprintf(&b, "\n# %s: %s\n%s%s: %s\n", graphs.Printable(f.Says), graphs.Printable(f.Evidence), off, f.Name, f.Text)
		}
	}
	return b.String()
}
