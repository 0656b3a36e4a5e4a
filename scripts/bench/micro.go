package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// benchstat summarizes what Go benchmarks print.
const benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

// micro runs the Go benchmarks of the parts that every detection goes through and
// returns benchstat's summary.
func micro(dir string) (string, error) {
	args := []string{
		"test", "-run", "^$", "-count", "6", "-benchtime", "300ms",
		"-bench", "^Benchmark(Read|EncodingJSON|Build|Operators|Pairs|Conjunctive|Event|SendReceive|Within)$",
		"./graphs", "./graphs/trace/native", "./graphs/trace/otlp", "./graphs/trace/mapped", "./graphs/trace/order", "./slice", "./rctl", "./graphs/record",
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	const file = "benchmarks.txt"
	if err := os.WriteFile(filepath.Join(dir, file), out, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "run", benchstat, file)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	summary, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("benchstat: %w", err)
	}
	return string(summary), nil
}
