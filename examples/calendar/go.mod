module github.com/iris-harness/iris/examples/calendar

go 1.26

replace github.com/iris-harness/iris => ../../

require (
	github.com/arran4/golang-ical v0.3.4
	github.com/google/go-cmp v0.7.0
	github.com/iris-harness/iris v0.0.0-00010101000000-000000000000
)

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/mattn/go-sqlite3 v1.14.53 // indirect
	github.com/oklog/ulid/v2 v2.1.2 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/tools v0.48.0 // indirect
)
