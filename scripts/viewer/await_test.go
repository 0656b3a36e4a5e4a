package main

import (
	"github.com/chromedp/cdproto/runtime"
)

// awaited makes Evaluate wait for a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
