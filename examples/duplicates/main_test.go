package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestNothingIsPaidTwice(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]bool{"fast": false, "slow": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := run(t.Context(), true, slow, &out); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			var counts map[string]int64
			if err := json.Unmarshal([]byte(out.String()), &counts); err != nil {
				t.Fatal(err)
			}
			for _, e := range experiments {
				if got, ok := counts[e.name]; !ok || got != 1 {
					t.Errorf("%s: paid %d (%t), want 1", e.name, got, ok)
				}
			}
		})
	}
}
