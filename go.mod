module github.com/iris-harness/iris

go 1.26

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/jsonschema-go v0.4.3
	github.com/mattn/go-sqlite3 v1.14.53
	github.com/oklog/ulid/v2 v2.1.2
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/sync v0.22.0
	golang.org/x/tools v0.48.0
	pgregory.net/rapid v1.3.0
)
