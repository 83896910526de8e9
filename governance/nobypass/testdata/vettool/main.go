// Command vettool runs the module's own rules: go vet -vettool=vettool ./...
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/iris-harness/iris/governance/nobypass"
	"github.com/iris-harness/iris/internal/gate/reviewed"
)

func main() { unitchecker.Main(nobypass.New(reviewed.Rules())) }
