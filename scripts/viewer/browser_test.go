//go:build browser

package viewer

import (
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A browser is chromium without a window, driven by its debugging protocol.
type browser struct {
	ctx   context.Context
	close func() // ends the browser and waits for that
}

// chromium returns the path of the browser, "" where there is none.
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome",
		"google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// open starts the browser. It keeps its files in a directory.
func open(ctx context.Context, dir string) (*browser, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium()),
		chromedp.NoSandbox,
		chromedp.WindowSize(1280, 800),
		chromedp.UserDataDir(dir),
		chromedp.Flag("renderer-process-limit", "1"), // starting one takes as long as most pages do
		chromedp.WSURLReadTimeout(patience),
	)
	ctx, stopAllocator := chromedp.NewExecAllocator(ctx, options...)
	quiet := func(string, ...any) {} // it lists events that it does not know
	ctx, stopBrowser := chromedp.NewContext(ctx, chromedp.WithErrorf(quiet),
		chromedp.WithBrowserOption(chromedp.WithDialTimeout(patience)))
	b := &browser{ctx, func() {
		// waits until the browser has ended; what keeps it from that is no error of the page
		_ = chromedp.Cancel(ctx)
		stopBrowser()
		stopAllocator()
		chromedp.FromContext(ctx).Allocator.Wait()
	}}
	return b, chromedp.Run(ctx)
}

// A page is a tab of the browser, with its complaints.
type page struct {
	ctx   context.Context
	close context.CancelFunc

	mu         sync.Mutex
	complaints []string
}

// show opens a tab for an address and waits until the viewer is ready.
func (b *browser) show(url string) (*page, error) {
	p := new(page)
	p.ctx, p.close = chromedp.NewContext(b.ctx)
	// A page without errors logs nothing at all.
	chromedp.ListenTarget(p.ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.complain(e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			p.complain(fmt.Sprintf("console.%s of %d things", e.Type, len(e.Args)))
		case *log.EventEntryAdded:
			p.complain(e.Entry.Text)
		}
	})
	// Tabs that are used beside each other are each as if it were the one in front.
	return p, chromedp.Run(p.ctx, log.Enable(), emulation.SetFocusEmulationEnabled(true), chromedp.Navigate(url),
		until("window.pota !== undefined"))
}

// until waits for a condition to become true in the page.
func until(condition string) chromedp.Action {
	return chromedp.Poll(condition, nil, chromedp.WithPollingTimeout(0))
}

// complain notes a message of the page; tests fail with it.
func (p *page) complain(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = append(p.complaints, text)
}

// patience bounds the time until the browser listens, and that of actions on a page: what takes
// longer hangs, however slow the machine.
const patience = 5 * time.Minute

// run does things with the page.
func (p *page) run(actions ...chromedp.Action) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

// build builds the command in a directory, without data for debuggers, a third of the work of
// linking.
func build(dir string) (pota string, err error) {
	pota = filepath.Join(dir, "pota")
	// A remembered result counts only while the files are as they were: go test knows of those that
	// the test looks at itself.
	for _, room := range []string{"cmd", "graphs", "rctl", "slice", "translate"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room),
			func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			return "", err
		}
	}
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", pota,
		"github.com/pota-project/pota/cmd/pota").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return pota, nil
}

// serve starts a server, pota serve, and returns its address.
func serve(server *exec.Cmd) (url string, err error) {
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err == nil {
		_, err = fmt.Fscanln(out, &url)
	}
	return url, err
}
