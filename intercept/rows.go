package intercept

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
)

// Row is one line of a chain's configuration: it orders, switches off and names intercepts; their handlers are code.
type Row struct {
	Name                 string // Required.
	ResolvesConfirmation bool   // Required in JSON: a row that does not say is refused.
	Disabled             bool
	TraceText            string // what a status line says while it works; the handler's own where empty
	Order                int    // ascending; rows of equal order stay as they are listed
}

// maxRows bounds a configuration, in bytes.
const maxRows = 1 << 20

// LoadRows reads a JSON array of rows and returns them in order:
//
//	[{"name": "calendar", "resolves_confirmation": true, "disabled": false, "trace_text": "…", "order": 10}]
//
// An error wraps [ErrInvalid] and says all that is wrong: a name twice, a row without its flag, a field that there is not.
func LoadRows(r io.Reader) ([]Row, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxRows+1))
	if err != nil {
		return nil, fmt.Errorf("%w: rows: %w", ErrInvalid, err)
	}
	if len(raw) > maxRows {
		return nil, fmt.Errorf("%w: rows: over %d bytes", ErrInvalid, maxRows)
	}
	var listed []rowJSON
	if err := unmarshalStrict(raw, &listed); err != nil {
		return nil, fmt.Errorf("%w: rows: %w", ErrInvalid, err)
	}
	var rows []Row
	var errs []error
	seen := map[string]bool{}
	for i, l := range listed {
		if err := l.validate(i, seen); err != nil {
			errs = append(errs, err)
			continue
		}
		rows = append(rows, Row{l.Name, *l.Resolves, l.Disabled, l.TraceText, l.Order})
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Order, b.Order) })
	return rows, nil
}

// rowJSON is a row as it is written down.
type rowJSON struct {
	Name      string `json:"name"`
	Resolves  *bool  `json:"resolves_confirmation"`
	Disabled  bool   `json:"disabled"`
	TraceText string `json:"trace_text"`
	Order     int    `json:"order"`
}

func (l *rowJSON) validate(i int, seen map[string]bool) error {
	switch {
	case l.Name == "":
		return fmt.Errorf("%w: row %d has no name", ErrInvalid, i+1)
	case seen[l.Name]:
		return fmt.Errorf("%w: two rows are named %q", ErrInvalid, l.Name)
	case l.Resolves == nil:
		return fmt.Errorf("%w: row %q does not say whether it resolves confirmations", ErrInvalid, l.Name)
	}
	seen[l.Name] = true
	return nil
}

// Arrange merges rows with the application's handlers by name. What it returns is in the rows' order, and then what no row names, in its own. A row
// can switch off, and can say that an intercept resolves confirmations; it can take neither back. A row without a handler here is a plugin's, or
// an error of [NewChain].
func Arrange(rows []Row, specs ...Spec) []Spec {
	out := make([]Spec, 0, len(rows)+len(specs))
	for _, r := range rows {
		s := Spec{Name: r.Name}
		if i := slices.IndexFunc(specs, func(s Spec) bool { return s.Name == r.Name }); i >= 0 {
			s = specs[i]
		}
		out = append(out, r.over(s))
	}
	for _, s := range specs {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Name == s.Name }) {
			out = append(out, s)
		}
	}
	return out
}

// over puts what the row says over a spec. The flag holds where either side sets it.
func (r *Row) over(s Spec) Spec {
	switch {
	case r.ResolvesConfirmation:
		s.Confirmation = Resolves
	case s.Handler == nil:
		s.Confirmation = Never
	}
	s.Disabled = s.Disabled || r.Disabled
	if r.TraceText != "" {
		s.TraceText = r.TraceText
	}
	return s
}

// ArrangeFile is [Arrange] with the rows of a file. A file that cannot be read leaves the specs as they are built in, with a warning to log: a
// broken configuration takes no intercept away.
func ArrangeFile(log *slog.Logger, path string, specs ...Spec) []Spec {
	rows, err := loadFile(path)
	if err != nil {
		log.Warn("intercepts: the built-in chain is used", "file", path, "err", err)
		return specs
	}
	return Arrange(rows, specs...)
}

func loadFile(path string) ([]Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return LoadRows(f)
}

func unmarshalStrict(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}
