package verify

import (
	"errors"
	"fmt"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/report"
)

// parseClaim parses a certificate.
func parseClaim(text []byte) (*certify.Certificate, error) {
	claim := new(certify.Certificate)
	if err := report.Unmarshal(text, claim); err != nil {
		return nil, err
	}
	return claim, validate(claim)
}

// validate says what a certificate lacks.
func validate(claim *certify.Certificate) error {
	// The version comes first: it says how the other keys are to be read.
	if claim.Version == 0 {
		return errors.New(`there is no key "certificate" with the version`)
	}
	for _, key := range [][2]string{{"sha256", claim.SHA256}, {"reader", claim.Reader}, {"formula", claim.Formula}} {
		if key[1] == "" {
			return fmt.Errorf("there is no key %q", key[0])
		}
	}
	if v, err := report.ParseVerdict(claim.Verdict); err != nil || v == rctl.Unknown {
		return fmt.Errorf("the verdict must be holds or fails, not %q", claim.Verdict)
	}
	return nil
}

// readClaims reads a file of certificates.
func readClaims(r *job.Run, path, maxLine string) ([]*certify.Certificate, error) {
	// Proofs may be long, so the limit of lines of traces holds for certificates, too.
	n, err := load.MaxLine(maxLine)
	if err != nil {
		return nil, err
	}
	var all []*certify.Certificate
	const form = "a certificate, which comes before the traces, must be one line of JSON as pota detect --certificate writes it"
	err = load.EachLine(r, path, n, form, parseClaim, func(l load.Line[*certify.Certificate]) error {
		all = append(all, l.Value)
		return nil
	})
	// An empty file would pass as verified.
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: there is no certificate in it", path)
	}
	return all, err
}
