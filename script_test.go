package iris_test

import (
	"flag"
	"testing"

	"github.com/iris-harness/iris/iristest"
)

var update = flag.Bool("update", false, "rewrite the conversation scripts with what was observed")

func TestScripts(t *testing.T) {
	t.Parallel()
	iristest.RunScripts(t, "testdata/script/*.txtar", *update)
}
