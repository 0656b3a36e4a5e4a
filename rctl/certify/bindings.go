package certify

import (
	"context"
	"errors"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// errEnd ends the visit of the shapes.
var errEnd = errors.New("end")

// BindingsProof returns a proof by rule "bindings" of a verdict on a formula about data: a proof for
// each shape of its bindings, or for one that shows the verdict. It is nil if a shape has no proof, and
// for formulas that the rule does not support. Errors are as for Proof.
func BindingsProof(ctx context.Context, c *graphs.Computation, f *syntax.Formula, verdict rctl.Verdict, times scope.Times) (*certificate.Proof, error) {
	p := &proof{Rule: certificate.Bindings}
	each := certificate.Each(f, verdict.String())
	lacking := false
	err := certificate.EachShape(ctx, c, f, times, func(s *certificate.Shape) error {
		wide, g, err := rctl.Resolve(ctx, s.Computation, s.Formula)
		if err != nil {
			return err
		}
		session := rctl.NewSession(wide)
		res, err := session.Check(ctx, g, rctl.Options{Evidence: true, Cuts: true, MaxMemory: maxBytes, Cores: 1})
		if err != nil {
			return err
		}
		if res.Verdict != verdict && !each {
			return nil
		}
		part, err := Proof(ctx, session, wide, s.Formula, res)
		if part == nil || err != nil || res.Verdict != verdict {
			lacking = true
			return errors.Join(err, errEnd)
		}
		p.Of = append(p.Of, part)
		if !each {
			p.Which = s.Number
			return errEnd
		}
		return nil
	})
	_, refused := errors.AsType[certificate.Rejection](err)
	switch {
	case err != nil && !errors.Is(err, errEnd) && !refused:
		return nil, err
	case lacking || refused || !each && len(p.Of) == 0:
		return nil, ctx.Err()
	}
	p.Of = parts(p.Of...)
	return p, nil
}

// CertifyBindings is Certify by rule "bindings".
func (claim *Certificate) CertifyBindings(ctx context.Context, c *graphs.Computation, f *syntax.Formula, verdict rctl.Verdict, times scope.Times) (*Certificate, error) {
	p, err := BindingsProof(ctx, c, f, verdict, times)
	if p == nil {
		return claim, err
	}
	proved := *claim
	proved.Engine, proved.Proof = "", p
	return &proved, nil
}
