-- Version 1: the shape from before runs, steps and approvals knew their session, and questions their executor.
-- Times are integer microseconds UTC, 0 where there is none. JSON is a BLOB: its bytes are kept as they came.
-- Sets are written as x = 'a' OR x = 'b': for IN with three values or more SQLite builds a table, each time it is asked.

CREATE TABLE continuations (
  n           INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE CHECK (id <> ''),
  session_id  TEXT NOT NULL CHECK (session_id <> ''),
  turn_id     TEXT NOT NULL,
  owner       TEXT NOT NULL CHECK (owner <> ''),
  asker       TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind = 'question' OR kind = 'approval' OR kind = 'choice'),
  origin      TEXT NOT NULL CHECK (origin = 'explicit' OR origin = 'pause' OR origin = 'inferred'),
  question    TEXT NOT NULL CHECK (octet_length(question) <= 16384),
  options     BLOB CHECK (octet_length(options) <= 65536),
  intent      TEXT NOT NULL,
  channel     TEXT NOT NULL,
  asked_of    TEXT NOT NULL,
  run_id      TEXT NOT NULL,
  step_id     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  status      TEXT NOT NULL CHECK (status = 'pending' OR status = 'claimed' OR status = 'answered' OR status = 'superseded' OR status = 'expired'),
  claimed_by  TEXT NOT NULL DEFAULT '',
  answered_by TEXT NOT NULL DEFAULT '',
  claimed_at  INTEGER NOT NULL DEFAULT 0,
  closed_at   INTEGER NOT NULL DEFAULT 0,
  why         TEXT NOT NULL DEFAULT '',
  closed_by   TEXT NOT NULL DEFAULT '',
  outcome     TEXT NOT NULL DEFAULT '',
  CHECK ((status IN ('pending', 'claimed')) = (closed_at = 0)),
  CHECK ((status = 'pending') <= (claimed_at = 0))
) STRICT;

-- One pending question per session. There is no index on expires_at: a claim checks it in its predicate.
CREATE UNIQUE INDEX continuations_pending ON continuations (session_id) WHERE status = 'pending';
CREATE INDEX continuations_session ON continuations (session_id);
CREATE INDEX continuations_run ON continuations (run_id) WHERE run_id <> '';

CREATE TRIGGER continuations_born BEFORE INSERT ON continuations
WHEN NEW.status <> 'pending' OR EXISTS (SELECT 1 FROM continuations WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a continuation begins as pending, once'); END;

CREATE TRIGGER continuations_machine BEFORE UPDATE OF status, claimed_by, answered_by, claimed_at, closed_at, why, closed_by, outcome
ON continuations
WHEN NOT (OLD.status = 'pending' AND (NEW.status = 'claimed' OR NEW.status = 'superseded' OR NEW.status = 'expired')
       OR OLD.status = 'claimed' AND (NEW.status = 'answered' OR NEW.status = 'superseded' OR NEW.status = 'expired' OR NEW.status = 'pending'))
BEGIN SELECT RAISE(ABORT, 'a continuation does not move that way'); END;

CREATE TRIGGER continuations_terms BEFORE UPDATE OF n, id, session_id, turn_id, owner, asker, kind, origin, question, options,
  intent, channel, asked_of, run_id, step_id, created_at, expires_at ON continuations
BEGIN SELECT RAISE(ABORT, 'what was asked does not change'); END;

CREATE TABLE runs (
  n           INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE CHECK (id <> ''),
  turn_id     TEXT NOT NULL,
  agent       TEXT NOT NULL,
  intent      TEXT NOT NULL,
  channel     TEXT NOT NULL,
  asked_of    TEXT NOT NULL,
  task        TEXT NOT NULL,
  place       INTEGER NOT NULL,
  state       TEXT NOT NULL CHECK (state = 'running' OR state = 'paused' OR state = 'held' OR state = 'done' OR state = 'failed' OR state = 'ended'),
  reason      TEXT NOT NULL,
  detail      TEXT NOT NULL,
  epoch       INTEGER NOT NULL,
  asked       BLOB,
  approval_id TEXT NOT NULL,
  pinned      INTEGER NOT NULL CHECK (pinned IN (0, 1)),
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX runs_open ON runs (id) WHERE state NOT IN ('done', 'ended');

CREATE TRIGGER runs_born BEFORE INSERT ON runs
WHEN NEW.state <> 'running' OR EXISTS (SELECT 1 FROM runs WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a run begins as running, once'); END;

CREATE TRIGGER runs_machine BEFORE UPDATE OF state, epoch ON runs
WHEN NOT ((OLD.state = 'running' AND NEW.state <> 'running' AND NEW.epoch = OLD.epoch)
       OR ((OLD.state = 'paused' OR OLD.state = 'held' OR OLD.state = 'failed') AND NEW.state = 'running' AND NEW.epoch = OLD.epoch + 1)
       OR ((OLD.state = 'paused' OR OLD.state = 'held' OR OLD.state = 'failed') AND NEW.state = 'ended' AND NEW.epoch = OLD.epoch))
BEGIN SELECT RAISE(ABORT, 'a run does not move that way'); END;

CREATE TRIGGER runs_terms BEFORE UPDATE OF n, id, agent, task, created_at ON runs
BEGIN SELECT RAISE(ABORT, 'what a run is about does not change'); END;

CREATE TABLE steps (
  n          INTEGER PRIMARY KEY,
  run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step_id    INTEGER NOT NULL CHECK (step_id >= 0),
  state      TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  payload    BLOB NOT NULL CHECK (octet_length(payload) <= 1048576),
  created_at INTEGER NOT NULL,
  UNIQUE (run_id, step_id)
) STRICT;

CREATE TRIGGER steps_closed BEFORE UPDATE ON steps
WHEN OLD.state = 'closed'
BEGIN SELECT RAISE(ABORT, 'a closed step does not change'); END;

CREATE TRIGGER steps_terms BEFORE UPDATE OF n, run_id, step_id ON steps
BEGIN SELECT RAISE(ABORT, 'a step stays where it is'); END;

-- INSERT OR REPLACE deletes without a trigger: a closed step is not replaced either.
CREATE TRIGGER steps_kept BEFORE INSERT ON steps
WHEN EXISTS (SELECT 1 FROM steps WHERE run_id = NEW.run_id AND step_id = NEW.step_id AND state = 'closed')
BEGIN SELECT RAISE(ABORT, 'a closed step does not change'); END;

CREATE TABLE effects (
  n           INTEGER PRIMARY KEY,
  key         TEXT NOT NULL UNIQUE CHECK (key <> ''),
  session_id  TEXT NOT NULL,
  run_id      TEXT NOT NULL,
  step_id     INTEGER NOT NULL,
  call_id     TEXT NOT NULL,
  tool        TEXT NOT NULL,
  args        BLOB,
  digest      TEXT NOT NULL,
  idempotent  INTEGER NOT NULL CHECK (idempotent IN (0, 1)),
  approval_id TEXT NOT NULL,
  item        INTEGER NOT NULL,
  state       TEXT NOT NULL CHECK (state = 'started' OR state = 'finished' OR state = 'settled'),
  failed      INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)),
  result      BLOB,
  happened    INTEGER NOT NULL DEFAULT 0 CHECK (happened IN (0, 1)),
  settled_by  TEXT NOT NULL DEFAULT '',
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX effects_run ON effects (run_id);
CREATE INDEX effects_started ON effects (session_id) WHERE state = 'started';
CREATE UNIQUE INDEX effects_item ON effects (approval_id, item) WHERE approval_id <> '';

CREATE TRIGGER effects_born BEFORE INSERT ON effects
WHEN NEW.state <> 'started' OR EXISTS (SELECT 1 FROM effects WHERE key = NEW.key)
  OR NEW.approval_id <> '' AND EXISTS (SELECT 1 FROM effects WHERE approval_id = NEW.approval_id AND item = NEW.item AND approval_id <> '')
BEGIN SELECT RAISE(ABORT, 'an effect starts once'); END;

CREATE TRIGGER effects_machine BEFORE UPDATE ON effects
WHEN OLD.state <> 'started' OR NEW.state NOT IN ('finished', 'settled')
BEGIN SELECT RAISE(ABORT, 'an effect does not move that way'); END;

CREATE TRIGGER effects_terms BEFORE UPDATE OF n, key, session_id, run_id, step_id, call_id, tool, args, digest, idempotent,
  approval_id, item, started_at ON effects
BEGIN SELECT RAISE(ABORT, 'what was started does not change'); END;

CREATE TABLE approvals (
  n            INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE CHECK (id <> ''),
  run_id       TEXT NOT NULL,
  step_id      INTEGER NOT NULL,
  turn_id      TEXT NOT NULL,
  agent        TEXT NOT NULL,
  point        TEXT NOT NULL,
  signal       TEXT NOT NULL,
  summary      TEXT NOT NULL,
  card         TEXT NOT NULL,
  items        BLOB,
  digest       TEXT NOT NULL,
  destructive  INTEGER NOT NULL CHECK (destructive IN (0, 1)),
  channel      TEXT NOT NULL,
  asked_of     TEXT NOT NULL,
  policy       TEXT NOT NULL CHECK (policy = 'fail_closed'),
  requested_at INTEGER NOT NULL,
  timeout_at   INTEGER NOT NULL CHECK (timeout_at > requested_at),
  status       TEXT NOT NULL DEFAULT 'pending' CHECK (status = 'pending' OR status = 'approved' OR status = 'rejected' OR status = 'timed_out'),
  decisions    BLOB,
  reason       TEXT NOT NULL DEFAULT '',
  principal    TEXT NOT NULL DEFAULT '',
  surface      TEXT NOT NULL DEFAULT '',
  decided_at   INTEGER NOT NULL DEFAULT 0,
  consumed_at  INTEGER NOT NULL DEFAULT 0,
  noticed_at   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX approvals_run ON approvals (run_id);
CREATE INDEX approvals_pending ON approvals (timeout_at) WHERE status = 'pending';
CREATE INDEX approvals_untaken ON approvals (id) WHERE status <> 'pending' AND noticed_at = 0;

CREATE TRIGGER approvals_born BEFORE INSERT ON approvals
WHEN NEW.status <> 'pending' OR NEW.decided_at <> 0 OR NEW.consumed_at <> 0 OR NEW.noticed_at <> 0 OR NEW.decisions IS NOT NULL
  OR NEW.reason <> '' OR NEW.principal <> '' OR NEW.surface <> '' OR EXISTS (SELECT 1 FROM approvals WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a request begins undecided, once'); END;

CREATE TRIGGER approvals_terms BEFORE UPDATE OF n, id, run_id, step_id, turn_id, agent, point, signal, summary, card, items, digest,
  destructive, channel, asked_of, policy, requested_at, timeout_at ON approvals
BEGIN SELECT RAISE(ABORT, 'the terms of a request do not change'); END;

-- A decision is before the deadline and a lapse is not: by the row's own times.
CREATE TRIGGER approvals_decided BEFORE UPDATE OF status, decisions, reason, principal, surface, decided_at ON approvals
WHEN NOT (OLD.status = 'pending' AND (NEW.status IN ('approved', 'rejected') AND NEW.decided_at <> 0 AND NEW.decided_at < OLD.timeout_at
       OR NEW.status = 'timed_out' AND NEW.decided_at >= OLD.timeout_at AND NEW.decisions IS NULL AND NEW.principal = ''))
BEGIN SELECT RAISE(ABORT, 'a decision is written once, before the deadline'); END;

CREATE TRIGGER approvals_consumed BEFORE UPDATE OF consumed_at ON approvals
WHEN OLD.consumed_at <> 0 OR NEW.consumed_at = 0 OR NEW.status <> 'approved'
BEGIN SELECT RAISE(ABORT, 'an approval is used once'); END;

CREATE TRIGGER approvals_noticed BEFORE UPDATE OF noticed_at ON approvals
WHEN OLD.noticed_at <> 0 OR NEW.noticed_at = 0 OR NEW.status = 'pending'
BEGIN SELECT RAISE(ABORT, 'an outcome is taken up once'); END;

CREATE TABLE deliveries (
  n           INTEGER PRIMARY KEY,
  key         TEXT NOT NULL UNIQUE CHECK (key <> ''),
  kind        TEXT NOT NULL,
  channel     TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  run_id      TEXT NOT NULL DEFAULT '',
  text        TEXT NOT NULL,
  attempts    INTEGER NOT NULL,
  next_at     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  problem     TEXT NOT NULL
) STRICT;

CREATE INDEX deliveries_due ON deliveries (next_at);

CREATE TABLE messages (
  n           INTEGER PRIMARY KEY,
  session_id  TEXT NOT NULL,
  id          TEXT NOT NULL CHECK (id <> ''),
  turn_id     TEXT NOT NULL,
  role        TEXT NOT NULL,
  agent       TEXT NOT NULL,
  sender      TEXT NOT NULL,
  channel     TEXT NOT NULL,
  text        TEXT NOT NULL,
  attachments BLOB,
  at          INTEGER NOT NULL,
  UNIQUE (session_id, id)
) STRICT;

CREATE TABLE turns (
  n          INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  id         TEXT NOT NULL CHECK (id <> ''),
  message_id TEXT NOT NULL,
  channel    TEXT NOT NULL,
  sender     TEXT NOT NULL,
  system     INTEGER NOT NULL CHECK (system IN (0, 1)),
  epoch      INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state = 'open' OR state = 'answered' OR state = 'failed' OR state = 'void'),
  reply      BLOB,
  error      TEXT NOT NULL DEFAULT '',
  started_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session_id, id)
) STRICT;

CREATE UNIQUE INDEX turns_message ON turns (session_id, message_id) WHERE message_id <> '' AND state <> 'void';
CREATE INDEX turns_open ON turns (id) WHERE state = 'open';

CREATE TRIGGER turns_machine BEFORE UPDATE ON turns
WHEN OLD.state <> 'open' OR NEW.state = 'open'
BEGIN SELECT RAISE(ABORT, 'a turn ends once'); END;

CREATE TABLE leases (
  session_id TEXT PRIMARY KEY,
  holder     TEXT NOT NULL,
  epoch      INTEGER NOT NULL,
  until      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The highest epoch of a lease that was deleted: epochs only rise, even for a session that was forgotten.
CREATE TABLE fence (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL) STRICT;
INSERT INTO fence VALUES (1, 0);

CREATE TRIGGER fence_rises BEFORE UPDATE ON fence
WHEN NEW.epoch < OLD.epoch
BEGIN SELECT RAISE(ABORT, 'an epoch only rises'); END;

CREATE TRIGGER leases_born BEFORE INSERT ON leases
WHEN NEW.epoch <= (SELECT epoch FROM fence) OR EXISTS (SELECT 1 FROM leases WHERE session_id = NEW.session_id)
BEGIN SELECT RAISE(ABORT, 'an epoch only rises'); END;

CREATE TRIGGER leases_rise BEFORE UPDATE OF session_id, epoch ON leases
WHEN NEW.session_id <> OLD.session_id OR NEW.epoch < OLD.epoch
BEGIN SELECT RAISE(ABORT, 'an epoch only rises'); END;

CREATE TRIGGER leases_gone AFTER DELETE ON leases
BEGIN UPDATE fence SET epoch = max(epoch, OLD.epoch); END;

CREATE TABLE audit (
  seq        INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  at         INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  step_id    INTEGER NOT NULL,
  turn_id    TEXT NOT NULL,
  point      TEXT NOT NULL,
  subject    TEXT NOT NULL,
  verdict    TEXT NOT NULL,
  actor      TEXT NOT NULL,
  reason     TEXT NOT NULL,
  digest     TEXT NOT NULL,
  prev       TEXT NOT NULL,
  hash       TEXT NOT NULL
) STRICT;

CREATE INDEX audit_session ON audit (session_id); -- and, as every index, seq

CREATE TRIGGER audit_kept BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_never_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- A row follows the last one of its session. A given seq (-1: none was given) would be a row put elsewhere than at the end.
CREATE TRIGGER audit_chain BEFORE INSERT ON audit
WHEN NEW.seq <> -1 AND NEW.seq <= (SELECT max(seq) FROM audit)
  OR NEW.prev <> ifnull((SELECT hash FROM audit WHERE session_id = NEW.session_id ORDER BY seq DESC LIMIT 1), '')
BEGIN SELECT RAISE(ABORT, 'an audit row follows the last one of its session'); END;

PRAGMA application_id = 1230129491; -- "IRIS"
