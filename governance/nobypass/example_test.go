package nobypass_test

import (
	"fmt"

	"github.com/iris-harness/iris/governance/nobypass"
	"github.com/iris-harness/iris/governance/nobypass/nobypasstest"
)

// An application holds its own code to the same rule: money moves only in pay, after check has said yes.
// The same Config makes a vet tool: unitchecker.Main(nobypass.New(config)).
func Example() {
	const bank = "github.com/iris-harness/iris/governance/nobypass/testdata/bank"
	config := nobypass.Config{
		Guarded:   []string{"(" + bank + ".Account).Transfer"},
		Decisions: []string{bank + ".Check"},
		Sites:     map[string]int{bank + ".Pay": 1},
	}
	pkg, err := nobypasstest.Load(".", "./testdata/bank")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := pkg.Check(config)
	fmt.Println("as it is:", found, err)

	found, err = pkg.Check(config, nobypasstest.Edit{
		File: "bank.go", Old: "if err != nil {", New: "if err != nil && amount > 1000 {",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found {
		fmt.Println("edited:", f.Check)
	}
	// Output:
	// as it is: [] <nil>
	// edited: unchecked
}
