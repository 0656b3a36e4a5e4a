package certify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
)

// mutated changes a JSON value somewhere: numbers, names, lists; other is one to take
// parts of.
func mutated(r *rand.Rand, x, other any) any {
	switch x := x.(type) {
	case float64:
		return []float64{x + 1, x - 1, 0, float64(r.IntN(8)), -x, 1 << 40, x * 1e300}[r.IntN(7)]
	case string:
		return []string{"forced", "operands", "split", "flow", "run", "pass", "look", "last", ""}[r.IntN(8)]
	case []any:
		y := append([]any(nil), x...)
		if len(y) == 0 {
			return []any{other}
		}
		i, j := r.IntN(len(y)), r.IntN(len(y))
		switch r.IntN(8) {
		case 0:
			return y[:i]
		case 1:
			y[i], y[j] = y[j], y[i]
		case 2:
			return append(y, y[i])
		case 3:
			y[i] = other
		default:
			y[i] = mutated(r, y[i], other)
		}
		return y
	case map[string]any:
		y := make(map[string]any)
		keys := []string{}
		for _, key := range []string{"rule", "which", "run", "events", "ties", "of", "flow", "0", "1", "2", "3", "4", "5", "6", "7", "8"} {
			if v, ok := x[key]; ok {
				y[key] = v
				keys = append(keys, key)
			}
		}
		if len(keys) == 0 {
			return other
		}
		key := keys[r.IntN(len(keys))]
		switch r.IntN(8) {
		case 0:
			delete(y, key)
		case 1:
			if o, ok := other.(map[string]any); ok {
				for key, v := range o {
					y[key] = v
				}
			}
		default:
			y[key] = mutated(r, y[key], other)
		}
		return y
	}
	return other
}

// asValue returns a proof as JSON, and asProof makes one of that; it is not ok where JSON
// says something else.
func asValue(p *certificate.Proof) (x any) {
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err != nil {
		panic(err)
	}
	return x
}

func asProof(x any) (p *certificate.Proof, ok bool) {
	text, err := json.Marshal(x)
	if err != nil {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return p, d.Decode(&p) == nil
}

// Certificates that are changed, or are of another formula, trace or verdict, are
// accepted only where their claim is true.
func TestMutations(t *testing.T) {
	const each = 10
	n := graphtest.RoundsUpTo(t, 10_000, 1_000_000)
	tally := make(map[string]int)
	var earlier []any
	for i := range n / each / 4 {
		r := rand.New(rand.NewPCG(73, uint64(i)))
		pair(r, 4, func(c *graphs.Computation, l *graphtest.Lattice, text string) {
			v := verdict(t, c, l, text)
			truth := v == rctl.Holds
			proof, err := certify.Proof(context.Background(), rctl.NewSession(c), c, parsed(t, text), &rctl.Result{Verdict: v})
			if err != nil {
				t.Fatal(err)
			}
			k, err := certificate.New(context.Background(), c, parsed(t, text))
			if err != nil {
				t.Fatal(err)
			}
			earlier = append(earlier, asValue(proof))
			for range each {
				x := earlier[max(0, len(earlier)-1-r.IntN(40))]
				if r.IntN(3) == 0 {
					x = earlier[len(earlier)-1]
				}
				for range 1 + r.IntN(3) {
					x = mutated(r, x, earlier[r.IntN(len(earlier))])
				}
				p, ok := asProof(x)
				if !ok {
					tally["not one"]++
					continue
				}
				claim := truth == (r.IntN(4) == 0)
				if k.Prove(root(k, claim), c.Initial(), p) != nil {
					tally["rejected"]++
					continue
				}
				tally["accepted"]++
				if claim != truth {
					was, _ := json.Marshal(p)
					t.Fatalf("%d: a proof of %s is accepted, which is %t: %s", i, text, truth, was)
				}
			}
		})
	}
	t.Log(tally)
	if tally["accepted"] < n/50 || tally["rejected"] < n/2 {
		t.Error("too few")
	}
}
