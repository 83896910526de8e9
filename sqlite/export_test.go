package sqlite

import "runtime"

// AwaitQueue waits until n operations wait for who leads.
func AwaitQueue(s *Store, n int) {
	for {
		s.writer.mu.Lock()
		waits := len(s.writer.queue)
		s.writer.mu.Unlock()
		if waits >= n {
			return
		}
		runtime.Gosched()
	}
}
