-- One live row of everything, as version 1 wrote it. TestGolden -update makes v1.db from the first migration and this.
INSERT INTO continuations (id, session_id, turn_id, owner, asker, kind, origin, question, options, intent, channel, asked_of, run_id, step_id, created_at, expires_at, status)
VALUES ('01HV1C00000000000000000001', 'web-1', '01HV1T00000000000000000001', 'planner', '', 'approval', 'explicit', 'Would you like to proceed with this plan?',
        CAST('[{"position":1,"text":"yes","ref":{"n": 9007199254740993}}]' AS BLOB), 'organize', 'web', '', '', 0, 1767225600000000, 4102444800000000, 'pending'),
       ('01HV1C00000000000000000002', 'web-2', '01HV1T00000000000000000002', 'researcher', '', 'question', 'pause', 'Neo4j or Stardog?',
        NULL, '', 'web', '', '01HV1R00000000000000000001', 1, 1767225600000000, 4102444800000000, 'pending');

INSERT INTO runs (id, turn_id, agent, intent, channel, asked_of, task, place, state, reason, detail, epoch, asked, approval_id, pinned, created_at, updated_at, expires_at)
VALUES ('01HV1R00000000000000000001', '01HV1T00000000000000000002', 'researcher', '', 'web', '', 'compare the stores', 0, 'running', '', '', 1, NULL, '', 0,
        1767225600000000, 1767225600000000, 4102444800000000);
INSERT INTO steps (run_id, step_id, state, payload, created_at)
VALUES ('01HV1R00000000000000000001', 0, 'closed', CAST('{"base":[{"role":"user","text":"compare the stores"}]}' AS BLOB), 1767225600000000),
       ('01HV1R00000000000000000001', 1, 'open', CAST('{"reply":{"role":"assistant","text":"?"}}' AS BLOB), 1767225600000000);
UPDATE runs SET state = 'paused', reason = 'awaiting_user_input', asked = CAST('{"call_id":"c1","step_id":1,"question":"Neo4j or Stardog?"}' AS BLOB)
WHERE id = '01HV1R00000000000000000001';

INSERT INTO effects (key, session_id, run_id, step_id, call_id, tool, digest, idempotent, approval_id, item, state, started_at)
VALUES ('k1', 'web-2', '01HV1R00000000000000000001', 0, 'c0', 'write', 'd', 0, '', 0, 'started', 1767225600000000);

INSERT INTO approvals (id, run_id, step_id, turn_id, agent, point, signal, summary, card, items, digest, destructive, channel, asked_of, policy, requested_at, timeout_at)
VALUES ('01HV1A00000000000000000001', '01HV1R00000000000000000001', 1, '01HV1T00000000000000000002', 'researcher', 'pre_tool', 'destructive', 'delete two files', 'rm a b',
        CAST('[{"position":1,"call_id":"c1","tool":"rm","args":{"p":"a"},"digest":"x","effect":"destructive"}]' AS BLOB), 'd', 1, 'web', '', 'fail_closed',
        1767225600000000, 4102444800000000);

INSERT INTO deliveries (key, kind, channel, session_id, approval_id, text, attempts, next_at, created_at, problem)
VALUES ('d1', 'text', 'web', 'web-1', '', 'hello', 2, 1767225600000000, 1767225600000000, 'no route');
INSERT INTO messages (session_id, id, turn_id, role, agent, sender, channel, text, attachments, at)
VALUES ('web-1', '01HV1M00000000000000000001', '01HV1T00000000000000000001', 'user', '', 'ann', 'web', 'organize my downloads', NULL, 1767225600000000);
INSERT INTO turns (session_id, id, message_id, channel, sender, system, epoch, state, started_at)
VALUES ('web-1', '01HV1T00000000000000000001', 'm1', 'web', 'ann', 0, 1, 'open', 1767225600000000);
INSERT INTO leases VALUES ('web-1', 'process', 3, 1767225660000000);
INSERT INTO audit (session_id, at, kind, run_id, step_id, turn_id, point, subject, verdict, actor, reason, digest, prev, hash)
VALUES ('web-1', 1767225600000000, 'decision', '', 0, '', 'pre_turn', '', 'allow', 'policy', '', '', '', '@hash@');
