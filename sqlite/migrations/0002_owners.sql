-- Version 2: runs, steps and approvals know their session; questions know their executor (ADR-0106 §5, ADR-0108 §4).
-- Rows from before keep the columns empty: they can be read, claimed and decided.

ALTER TABLE continuations ADD COLUMN executor_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE continuations ADD COLUMN payload BLOB CHECK (octet_length(payload) <= 65536);

CREATE TRIGGER continuations_action BEFORE UPDATE OF executor_kind, payload ON continuations
BEGIN SELECT RAISE(ABORT, 'what was asked does not change'); END;

ALTER TABLE runs ADD COLUMN session_id TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_session ON runs (session_id);

CREATE TRIGGER runs_session_stays BEFORE UPDATE OF session_id ON runs
BEGIN SELECT RAISE(ABORT, 'a run stays in its session'); END;

ALTER TABLE steps ADD COLUMN session_id TEXT NOT NULL DEFAULT '';

ALTER TABLE approvals ADD COLUMN session_id TEXT NOT NULL DEFAULT '';
CREATE INDEX approvals_session ON approvals (session_id);

CREATE TRIGGER approvals_session_stays BEFORE UPDATE OF session_id ON approvals
BEGIN SELECT RAISE(ABORT, 'the terms of a request do not change'); END;
