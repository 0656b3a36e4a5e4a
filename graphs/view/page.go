package view

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
)

//go:embed page
var files embed.FS

// scripts are the parts of the script, in order.
var scripts = []string{"model", "compare", "truth", "layout", "lanes", "pen", "diagram", "panes", "many",
	"rows", "take", "keys", "main"}

// A Page is a page without its data.
type Page struct {
	before, after string // the parts before and after the data

	// Policy is the content security policy.
	Policy string
}

// NewPage returns the page for a server or, if served is false, for a file.
func NewPage(served bool) *Page {
	style := "\n" + read("page.css")
	script := "\n\"use strict\";\n"
	for _, name := range scripts {
		// Leave out comments, which make up a seventh of the page.
		for line := range strings.Lines(read(name + ".js")) {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") {
				script += line
			}
		}
	}
	p := &Page{Policy: "default-src 'none'; base-uri 'none'; form-action 'none'; img-src blob:; style-src " + hash(style) + "; script-src " + hash(script)}
	if served {
		p.Policy += "; connect-src 'self'"
	}
	text := strings.NewReplacer("{{POLICY}}", p.Policy, "{{STYLE}}", style, "{{SCRIPT}}", script).Replace(read("page.html"))
	p.before, p.after, _ = strings.Cut(text, "{{DATA}}")
	return p
}

// Write writes the page with data. If data is nil, the page fetches its data from the server.
func (p *Page) Write(w io.Writer, data any) error {
	text, err := json.Marshal(data) // escapes < and >
	if err != nil {
		return err
	}
	for _, part := range []string{p.before, string(text), p.after} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

func read(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic("this cannot happen, because the page is part of the program: " + err.Error())
	}
	return string(text)
}

// hash returns the source expression that allows a text in a content security policy.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
