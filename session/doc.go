// Package session keeps a conversation: its log, the record of its turns (so that a redelivered message is answered from
// the record) and its lease (so that its turns come one after another).
package session
