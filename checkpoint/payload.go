package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Encode returns p as a step row holds it. It returns [ErrTooLarge] where that is over MaxStep.
func Encode(p Payload) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, fmt.Errorf("checkpoint: encode: %w", err)
	}
	if buf.Len() > MaxStep {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, buf.Len(), MaxStep)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Decode reads a step row. Anything that is not one step in full is an error that wraps [ErrUndecodable]; it never panics.
func Decode(b []byte) (Payload, error) {
	var p Payload
	if len(b) > MaxStep {
		return p, fmt.Errorf("%w: %d bytes", ErrUndecodable, len(b))
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&p); err != nil {
		return Payload{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Payload{}, fmt.Errorf("%w: more than one value", ErrUndecodable)
	}
	if p.Reply == nil && len(p.Base) == 0 && len(p.Results) == 0 && len(p.Note) == 0 && !bytes.Equal(bytes.TrimSpace(b), []byte("{}")) {
		return Payload{}, fmt.Errorf("%w: no step in it", ErrUndecodable)
	}
	if err := p.fits(); err != nil {
		return Payload{}, err
	}
	return p, nil
}

// fits checks that there is one result for each call of the reply, in order.
func (p *Payload) fits() error {
	calls := 0
	if p.Reply != nil {
		calls = len(p.Reply.Calls)
	}
	if len(p.Results) != calls {
		return fmt.Errorf("%w: %d results for %d calls", ErrUndecodable, len(p.Results), calls)
	}
	for i, r := range p.Results {
		if r.CallID != p.Reply.Calls[i].ID {
			return fmt.Errorf("%w: result %d is not of call %q", ErrUndecodable, i, p.Reply.Calls[i].ID)
		}
	}
	return nil
}
