package sqlite

import (
	"database/sql/driver"
	"encoding/json"
	"time"
)

// row is one row of a statement, read from left to right.
type row struct {
	values []driver.Value
	at     int
}

// next makes room for a row of n columns.
func (r *row) next(n int) {
	if cap(r.values) < n {
		r.values = make([]driver.Value, n)
	}
	r.values, r.at = r.values[:n], 0
}

func (r *row) value() driver.Value {
	r.at++
	return r.values[r.at-1]
}

func (r *row) text() string {
	s, _ := r.value().(string)
	return s
}

func (r *row) int64() int64 {
	n, _ := r.value().(int64)
	return n
}

func (r *row) int() int { return int(r.int64()) }

func (r *row) bool() bool { return r.int64() != 0 }

func (r *row) bytes() []byte {
	b, _ := r.value().([]byte)
	return b
}

// time reads microseconds; 0 is the zero time.
func (r *row) time() time.Time { return moment(r.int64()) }

// json reads into out what the column holds, and leaves out as it is where the column is empty.
func (r *row) json(out any) error {
	b := r.bytes()
	if len(b) == 0 {
		return nil
	}
	return json.Unmarshal(b, out)
}

// moment is a time as the tables hold it; 0 is the zero time.
func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// micros is a time as the tables hold it.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// flag is a bool as the tables hold it.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// blob is bytes as the tables hold them: nil is NULL, and no bytes are no bytes.
func blob(b []byte) driver.Value {
	if b == nil {
		return nil
	}
	return b
}

// orHundred is a limit with its default.
func orHundred(limit int) int64 {
	if limit <= 0 {
		return 100
	}
	return int64(limit)
}
