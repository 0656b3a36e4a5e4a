package present

import (
	"bytes"
	_ "embed" // the templates
	"html/template"
	"net/url"
	"path/filepath"
	"sync"

	"github.com/pota-project/pota/graphs"
)

//go:embed digest.html
var pageText string

// pages are the templates of pages. They escape names, labels and errors, so that none is
// interpreted as markup.
var pages = sync.OnceValue(func() *template.Template {
	known := template.FuncMap{"policy": func() string { return PagePolicy }}
	return template.Must(template.New("").Funcs(known).Parse(pageText))
})

// PagePolicy is the content security policy of a page without scripts.
const PagePolicy = "default-src 'none'; style-src 'unsafe-inline'"

// An IndexLine is a verdict with its subject, a text about it, and a link to its page.
type IndexLine struct{ Verdict, Subject, Text, Link string }

// Index returns a page with a line for each verdict.
func Index(lines []IndexLine) []byte {
	var page bytes.Buffer
	err := pages().ExecuteTemplate(&page, "index", map[string]any{
		"Heading": graphs.Plural(len(lines), "verdict"),
		"Lines":   lines,
	})
	if err != nil {
		panic("this cannot happen, because the template fits the lines: " + err.Error())
	}
	return page.Bytes()
}

// address returns the URL of a file relative to the output file. It returns "" for "".
func (o Options) address(path string) string {
	if path == "" {
		return ""
	}
	base, err := filepath.Abs(filepath.Dir(o.Output))
	target, wrong := filepath.Abs(path)
	if relative, none := filepath.Rel(base, target); err == nil && wrong == nil && none == nil {
		path = relative
	}
	// With the leading dot, a colon in the name does not end a scheme.
	return (&url.URL{Path: "./" + filepath.ToSlash(path)}).String()
}
