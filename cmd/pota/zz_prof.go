package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

func init() {
	if p := os.Getenv("ZZ_CPU"); p != "" {
		runtime.SetCPUProfileRate(1000)
		f, _ := os.Create(p)
		pprof.StartCPUProfile(f)
		zzEnd = func() { pprof.StopCPUProfile(); f.Close() }
	}
	if p := os.Getenv("ZZ_HEAP"); p != "" {
		runtime.MemProfileRate = 4096
		go func() {
			for i := 0; ; i++ {
				time.Sleep(20 * time.Millisecond)
			}
		}()
		zzEnd = func() { f, _ := os.Create(p); pprof.Lookup("allocs").WriteTo(f, 0); f.Close() }
	}
}

var zzEnd = func() {}
