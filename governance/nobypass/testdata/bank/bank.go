// Package bank is an application's own code, guarded by nobypass.
package bank

import "errors"

// Account moves money.
type Account struct{ balance int }

// Clearance says that one payment was looked at.
type Clearance struct{ amount int }

// Transfer moves what was cleared.
func (a Account) Transfer(c Clearance) int { return a.balance - c.amount }

// Check decides on a payment.
func Check(a Account, amount int) (Clearance, error) {
	if amount > a.balance {
		return Clearance{}, errors.New("not enough")
	}
	return Clearance{amount}, nil
}

// Pay is the one place where money moves.
func Pay(a Account, amount int) (int, error) {
	c, err := Check(a, amount)
	if err != nil {
		return 0, err
	}
	return a.Transfer(c), nil
}
