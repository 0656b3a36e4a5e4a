package budget

import (
	"fmt"
	"math"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
)

// overhead is a reserve, in bytes, for memory outside the heap and memory allocated before a step
// stops.
const overhead = 64 << 20

// Available returns how many bytes of memory the process may use: most of the memory of the machine
// or the container.
func Available() int64 {
	available := int64(math.MaxInt64)
	for _, source := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if n, err := source(); err == nil && n < uint64(available) {
			available = int64(n)
		}
	}
	return available - min(available/10+overhead, available/2)
}

// memoryUsed returns how many bytes the Go runtime has obtained from the system and not returned.
func memoryUsed() int64 {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes")
}

// metric reads a metric of the Go runtime.
func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Bytes returns the memory limit. It is 0 for a nil budget.
func (b *Budget) Bytes() int64 {
	if b == nil {
		return 0
	}
	return b.limits.Memory
}

// Memory returns how many bytes each of several concurrent engines may use: an equal share of the
// limit minus the heap, less a reserve for garbage that is not collected yet. It is at least 1,
// because 0 means no limit. For a nil budget it returns 0.
func (b *Budget) Memory(engines int) int64 {
	if b == nil {
		return 0
	}
	left := b.limits.Memory - metric("/memory/classes/heap/objects:bytes")
	return max(left/int64(engines)/10*7, 1)
}

// Parse returns the limits that flags set; a flag that is not set is 0 or "". The default memory
// limit is most of the available memory, so that the system does not kill this program or others.
// The error is a *exit.UsageError.
func Parse(timeout time.Duration, size string) (Limits, error) {
	limits := Limits{Time: timeout, Size: size}
	if timeout < 0 {
		return limits, exit.Usagef("--timeout must be positive, not %s", timeout)
	}
	if size == "" {
		// Half of the memory would be too little for large traces, and all of it would leave none
		// for other programs.
		limits.Memory = Available()
		limits.Size = fmt.Sprintf("%d MiB", limits.Memory>>20)
		return limits, nil
	}
	var err error
	limits.Memory, err = ParseSize("--max-memory", size)
	return limits, err
}

// units maps units of sizes, in capitals, to bytes.
var units = map[string]float64{
	"":    1,
	"B":   1,
	"KB":  1e3,
	"MB":  1e6,
	"GB":  1e9,
	"TB":  1e12,
	"K":   1 << 10,
	"M":   1 << 20,
	"G":   1 << 30,
	"T":   1 << 40,
	"KIB": 1 << 10,
	"MIB": 1 << 20,
	"GIB": 1 << 30,
	"TIB": 1 << 40,
}

// ParseSize reads the value of a flag for an amount of memory, such as 512MB, 4GiB or 1000000, and
// returns it in bytes. The error is a *exit.UsageError.
func ParseSize(flag, text string) (int64, error) {
	size := strings.ToUpper(strings.TrimSpace(text))
	number := strings.TrimRight(size, "KMGTIB")
	unit, ok := units[size[len(number):]]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil || !(n >= 0) || n*unit > 1<<62 {
		return 0, exit.Usagef("%s must be an amount such as 512MiB or 4GiB, not %q", flag, text)
	}
	return int64(n * unit), nil
}
