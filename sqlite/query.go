package sqlite

import (
	"database/sql/driver"
	"strings"
)

// query builds a SELECT from the conditions that apply. Its texts are few, so each is prepared once for a connection.
type query struct {
	text strings.Builder
	args []driver.Value
	word string // WHERE, then AND
}

func newQuery(columns, table string) *query {
	q := &query{word: " WHERE "}
	q.text.WriteString("SELECT " + columns + " FROM " + table)
	return q
}

// and adds a condition.
func (q *query) and(condition string, args ...driver.Value) {
	q.text.WriteString(q.word + condition)
	q.word = " AND "
	q.args = append(q.args, args...)
}

// is adds the condition that a column is value, where value is not "".
func (q *query) is(column, value string) {
	if value != "" {
		q.and(column+" = ?", value)
	}
}

// below adds the condition that a column is smaller than a cursor, where there is one.
func (q *query) below(column, cursor string) {
	if cursor != "" {
		q.and(column+" < ?", cursor)
	}
}

// among adds the condition that an expression is one of values, where there are any.
func among[T ~string](q *query, expression string, args []driver.Value, values []T) {
	if len(values) == 0 {
		return
	}
	for _, v := range values {
		args = append(args, string(v))
	}
	q.and(expression+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// run runs the query, in order, up to limit rows.
func (q *query) run(db *conn, order string, limit int, f func(r *row) error) error {
	q.text.WriteString(" ORDER BY " + order + " LIMIT ?")
	q.args = append(q.args, orHundred(limit))
	return db.each(q.text.String(), func(r *row) (bool, error) { return true, f(r) }, q.args...)
}
