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
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	for next := 1; len(numbers) > 0; next++ {
		wanted := next == numbers[0]
		most := 0 // most lines are passed over
		if wanted {
			most = maxLen + len(ByteOrderMark) + 1
		}
		line, long, err := ReadLine(r, nil, most)
		switch {
		case err == io.EOF && len(line) == 0 && !long:
			return lines, nil
		case err != nil && err != io.EOF:
			return lines, err
		case !wanted:
			continue
		}
		if next == 1 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		lines[next] = line[:min(len(line), maxLen)]
		numbers = numbers[1:]
	}
	return lines, nil
}

// ReadLine appends a line with its end to dst; of one that is longer than most it appends the
// beginning, and reads the rest. The last line may have no end: then err is io.EOF.
func ReadLine(r *bufio.Reader, dst []byte, most int) (line []byte, long bool, err error) {
	most += len(dst)
	for {
		part, err := r.ReadSlice('\n')
		room := most - len(dst)
		long = long || len(part) > room
		dst = append(dst, part[:min(len(part), room)]...)
		// A full buffer means that the line goes on; any other error or none ends it.
		if err != bufio.ErrBufferFull {
			return dst, long, err
		}
	}
}
