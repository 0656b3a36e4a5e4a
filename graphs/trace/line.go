package trace

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"sort"
)

// LineOf returns what tells the line of a byte of a text, from 1, in time O(log lines).
func LineOf(text string) func(at int) int {
	var ends []int
	for at := range text {
		if text[at] == '\n' {
			ends = append(ends, at)
		}
	}
	return func(at int) int { return sort.SearchInts(ends, at) + 1 }
}

// LinesAt returns the lines of a file with these numbers, from 1, without their ends and cut to
// maxLen bytes each. Numbers beyond the end of the file are missing. Errors are *Error, or
// errors of decompressing.
//
// The time complexity of LinesAt is O(length of the file up to the last line + n log n) for n
// numbers.
func LinesAt(path string, numbers []int, maxLen int) (map[int][]byte, error) {
	lines := make(map[int][]byte)
	source, err := Open(path)
	if err != nil {
		return lines, err
	}
	in, err := source.Next()
	if err != nil {
		return lines, err
	}
	defer func() { _ = in.Close() }() // the lines that were read are good
	r := bufio.NewReaderSize(in, 64<<10)
	next := 1 // the number of the line that begins where r is
	for _, number := range slices.Sorted(slices.Values(numbers)) {
		if number < next {
			continue // it is the last one again
		}
		var line []byte
		for ; next <= number; next++ {
			line = line[:0]
			for {
				// A slice of the buffer, as most lines are passed over.
				part, err := r.ReadSlice('\n')
				if next == number {
					line = append(line, part[:min(len(part), maxLen+len(ByteOrderMark)+1-len(line))]...)
				}
				if err == io.EOF && len(part) == 0 && len(line) == 0 {
					return lines, nil
				}
				if err == nil || err == io.EOF {
					break
				}
				if err != bufio.ErrBufferFull {
					return lines, err
				}
			}
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		lines[number] = slices.Clone(line[:min(len(line), maxLen)])
	}
	return lines, nil
}
