package intercept

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
)

// Chain is the ordered list of intercepts of a harness.
type Chain struct {
	specs []Spec
	c     Config
}

// NewChain merges the application's rows with the plugins' specs, in registration order. A plugin's spec takes the place of the row of the
// same name, except that Resolves on either side holds (ADR-0106 §3). Two rows, or two plugins, with one name are an error. All faults are returned at once.
func NewChain(rows, plugins []Spec, c Config) (*Chain, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	ch := &Chain{c: c}
	at := map[string]int{}
	var errs []error
	for _, s := range rows {
		if _, taken := at[s.Name]; taken {
			errs = append(errs, fmt.Errorf("%w: two rows are named %q", ErrInvalid, s.Name))
			continue
		}
		at[s.Name] = len(ch.specs)
		ch.specs = append(ch.specs, s)
	}
	replaced := map[string]bool{}
	for _, s := range plugins {
		errs = append(errs, s.validate())
		i, row := at[s.Name]
		switch {
		case s.Name == ConfirmationName:
			errs = append(errs, fmt.Errorf("%w: the name %q is the library's own", ErrInvalid, s.Name))
		case replaced[s.Name]:
			errs = append(errs, fmt.Errorf("%w: two plugins register %q", ErrInvalid, s.Name))
		case row:
			ch.specs[i] = merge(ch.specs[i], s)
		default:
			at[s.Name] = len(ch.specs)
			ch.specs = append(ch.specs, s)
		}
		replaced[s.Name] = true
	}
	for i := range ch.specs {
		if !replaced[ch.specs[i].Name] {
			errs = append(errs, ch.specs[i].validate())
		}
	}
	return ch, errors.Join(errs...)
}

// merge puts a plugin's spec in a row's place. A row that is switched off stays so, and keeps its trace text.
func merge(row, plugin Spec) Spec {
	if row.TraceText != "" {
		plugin.TraceText = row.TraceText
	}
	if row.Confirmation == Resolves {
		plugin.Confirmation = Resolves
	}
	plugin.Disabled = plugin.Disabled || row.Disabled
	return plugin
}

// Only returns the chain of the one intercept with this name; an empty one where there is none.
func (c *Chain) Only(name string) *Chain {
	return &Chain{c: c.c, specs: slices.DeleteFunc(slices.Clone(c.specs), func(s Spec) bool { return s.Name != name })}
}

// Names returns the names of the enabled intercepts, in order.
func (c *Chain) Names() []string {
	var out []string
	for i := range c.specs {
		if !c.specs[i].Disabled {
			out = append(out, c.specs[i].Name)
		}
	}
	return out
}

// Has reports whether an enabled intercept has this name.
func (c *Chain) Has(name string) bool {
	for i := range c.specs {
		if c.specs[i].Name == name && !c.specs[i].Disabled {
			return true
		}
	}
	return false
}
