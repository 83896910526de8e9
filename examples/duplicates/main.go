// Duplicates does to iris what makes other libraries pay twice, and counts how often it paid. Each experiment ends with one
// answer that counts, so the right count is 1. It exits non-zero if a count is wrong. With -json it prints one object, experiment to count; with -slow every call to the store takes
// 5 ms, which must change nothing.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	asJSON := flag.Bool("json", false, "print one JSON object, experiment to count")
	slow := flag.Bool("slow", false, "let every call to the store take 5 ms")
	flag.Parse()
	if err := run(context.Background(), *asJSON, *slow, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "duplicates:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, asJSON, slow bool, out io.Writer) error {
	dir, err := os.MkdirTemp("", "iris")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	counts := map[string]int64{}
	wrong := 0
	for i, e := range experiments {
		b := &bench{path: filepath.Join(dir, fmt.Sprintf("%d.db", i)), slow: slow}
		problem := e.try(ctx, b)
		for _, s := range b.stores {
			if err := s.Close(); err != nil {
				return err
			}
		}
		counts[e.name] = b.paid.Load()
		verdict := "right"
		if b.paid.Load() != 1 || problem != nil {
			verdict = fmt.Sprintf("WRONG: %v", problem)
			wrong++
		}
		if !asJSON {
			fmt.Fprintf(out, "%-58s %d  %s\n", e.name, b.paid.Load(), verdict)
		}
	}
	if asJSON {
		if err := json.NewEncoder(out).Encode(counts); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d experiments went wrong", wrong, len(experiments))
	}
	return nil
}
