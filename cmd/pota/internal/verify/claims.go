package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/report"
)

// claims are the certificates of some lines of a file.
type claims struct {
	all   []*certify.Certificate
	lines int
	err   error // of the last line
}

// parse parses the certificates of lines, up to the first that is none.
func (k *claims) parse(text []byte) {
	*k = claims{}
	for line := range bytes.Lines(text) {
		k.lines++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		claim := new(certify.Certificate)
		if k.err = report.Unmarshal(line, claim); k.err == nil {
			k.err = validate(claim)
		}
		if k.err != nil {
			return
		}
		k.all = append(k.all, claim)
	}
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
	return job.Do(r, "reading "+path, func(ctx context.Context) (all []*certify.Certificate, err error) {
		source, err := trace.Open(path)
		if err != nil {
			return nil, err
		}
		lines := 0 // before the batch
		err = trace.ReadLines(ctx, source, trace.LinesOptions[*claims]{
			Options: &trace.Options{MaxLine: n},
			New:     func() *claims { return new(claims) },
			Do:      func(p *trace.Piece, k *claims) { k.parse(p.Text) },
			Take: func(b *trace.Batch[*claims]) error {
				// Each file of a directory counts its lines from 1.
				if b.First {
					lines = 0
				}
				k := b.Work
				if k.err != nil {
					return fmt.Errorf("%s:%d: a certificate, which comes before the traces, must be one line of JSON as pota detect --certificate writes it: %w", b.Name, lines+k.lines, k.err)
				}
				all = append(all, k.all...)
				lines += k.lines
				// A line that is cut off follows the last one that was read.
				return b.Failed(lines + 1)
			},
		})
		// An empty file would pass as verified.
		if err == nil && len(all) == 0 {
			err = fmt.Errorf("%s: there is no certificate in it", path)
		}
		return all, err
	})
}
