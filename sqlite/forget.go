package sqlite

import "context"

// forgetSession deletes in this order: what is found through a run goes before the run. Steps go with their run.
const (
	forgetEffects   = `DELETE FROM effects WHERE session_id = ?1 OR run_id IN (SELECT id FROM runs WHERE session_id = ?1)`
	forgetApprovals = `DELETE FROM approvals WHERE session_id = ?1 OR run_id IN (SELECT id FROM runs WHERE session_id = ?1)`
	forgetRuns      = `DELETE FROM runs WHERE session_id = ?1`
)

// Forget deletes the session's rows. The audit log keeps its own: they hold digests only.
func (s sessions) Forget(ctx context.Context, sessionID string) error {
	return s.write(ctx, func(db *conn) error {
		return db.atomic(func() error {
			for _, text := range []string{
				forgetEffects, forgetApprovals, forgetRuns,
				"DELETE FROM continuations WHERE session_id = ?1",
				"DELETE FROM deliveries WHERE session_id = ?1",
				"DELETE FROM messages WHERE session_id = ?1",
				"DELETE FROM turns WHERE session_id = ?1",
				"DELETE FROM leases WHERE session_id = ?1",
			} {
				if err := db.exec(text, sessionID); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
