package plugin

import (
	"errors"
	"fmt"
	"time"
)

// registerLimit bounds one Register.
const registerLimit = 10 * time.Second

var (
	errRegisterHangs = fmt.Errorf("plugin: Register was not back after %s", registerLimit)
	errRegisterGone  = errors.New("plugin: Register ended its goroutine")
)

// register calls the plugin's Register on a goroutine of its own. One that does not come back is left behind, and what it registers later is refused.
func register(p Plugin, r *Registrar, s Services) error {
	done := make(chan error, 1)
	go func() {
		err := errRegisterGone
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("it panicked: %v", v)
			}
			done <- err
		}()
		err = p.Register(r, s)
	}()
	timer := time.NewTimer(registerLimit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errRegisterHangs
	}
}
