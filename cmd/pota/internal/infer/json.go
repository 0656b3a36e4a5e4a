package infer

import "github.com/pota-project/pota/rctl/infer"

// A record is the JSON object of a result.
type record struct {
	Good       int      `json:"good"`
	Bad        int      `json:"bad"`
	Candidates int      `json:"candidates"`
	Kept       int      `json:"kept"`
	Taught     float64  `json:"taught"`
	Broken     float64  `json:"broken"`
	Reason     string   `json:"reason,omitempty"` // why this is not all
	Notes      []string `json:"notes"`
	Breaks     []line   `json:"breaks"`
	Luck       []line   `json:"luck"`
	Held       []line   `json:"held"`
}

// A line is a property in a list.
type line struct {
	Name     string   `json:"name"`
	Template string   `json:"template"`
	Says     string   `json:"says"`
	Formula  string   `json:"formula"`
	Evidence string   `json:"evidence"`
	Asked    int      `json:"asked"`
	AskedIn  int      `json:"asked_in"`
	BreaksIn []string `json:"breaks_in,omitempty"`
	LuckIn   string   `json:"luck_in,omitempty"`
	Implied  []string `json:"implied,omitempty"`
}

// newRecord returns the object of a result.
func newRecord(res *infer.Result) *record {
	lines := func(of []*infer.Finding) []line {
		all := []line{}
		for _, f := range of {
			all = append(all, line{
				Name:     f.Name,
				Template: f.Template,
				Says:     f.Says,
				Formula:  f.Text,
				Evidence: f.Evidence(res),
				Asked:    f.Asked,
				AskedIn:  f.AskedIn,
				BreaksIn: f.BreaksIn,
				LuckIn:   f.LuckIn,
				Implied:  f.Implied,
			})
		}
		return all
	}
	return &record{
		Good:       res.Good,
		Bad:        res.Bad,
		Candidates: res.Candidates,
		Kept:       res.Kept,
		Taught:     res.Taught,
		Broken:     res.Broken,
		Reason:     res.Reason,
		Notes:      res.Notes(),
		Breaks:     lines(res.Breaks),
		Luck:       lines(res.Luck),
		Held:       lines(res.Held),
	}
}
