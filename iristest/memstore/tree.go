package memstore

import (
	"hash/fnv"
	"iter"
)

// tree is an ordered map from string to V that never changes in place: every write gives a new tree and shares the rest,
// so a copy of a tree is a snapshot. It is a treap whose priorities are the hashes of the keys.
type tree[V any] struct{ root *node[V] }

type node[V any] struct {
	key         string
	prio        uint64
	val         V
	left, right *node[V]
}

func (t *tree[V]) get(key string) (V, bool) {
	for n := t.root; n != nil; {
		switch {
		case key == n.key:
			return n.val, true
		case key < n.key:
			n = n.left
		default:
			n = n.right
		}
	}
	var zero V
	return zero, false
}

func (t *tree[V]) set(key string, val V) {
	h := fnv.New64a()
	h.Write([]byte(key))
	t.root = insert(t.root, key, mix(h.Sum64()), val)
}

func (t *tree[V]) delete(key string) { t.root = remove(t.root, key) }

// ascend yields the entries with a key of at least from, in order.
func (t *tree[V]) ascend(from string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { ascend(t.root, from, yield) }
}

// descend yields the entries with a key smaller than before, from the last one down; "" means the end.
func (t *tree[V]) descend(before string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { descend(t.root, before, yield) }
}

// mix spreads the bits of a hash, so that keys which differ in their last byte get unrelated priorities.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func insert[V any](n *node[V], key string, prio uint64, val V) *node[V] {
	if n == nil {
		return &node[V]{key: key, prio: prio, val: val}
	}
	if key != n.key && prio > n.prio {
		l, r := split(n, key)
		return &node[V]{key, prio, val, l, r}
	}
	c := *n
	switch {
	case key == n.key:
		c.val = val
	case key < n.key:
		c.left = insert(n.left, key, prio, val)
	default:
		c.right = insert(n.right, key, prio, val)
	}
	return &c
}

// split returns the keys below key and those above it.
func split[V any](n *node[V], key string) (l, r *node[V]) {
	if n == nil {
		return nil, nil
	}
	c := *n
	if n.key < key {
		c.right, r = split(n.right, key)
		return &c, r
	}
	l, c.left = split(n.left, key)
	return l, &c
}

func remove[V any](n *node[V], key string) *node[V] {
	if n == nil {
		return nil
	}
	if key == n.key {
		return merge(n.left, n.right)
	}
	c := *n
	if key < n.key {
		c.left = remove(n.left, key)
	} else {
		c.right = remove(n.right, key)
	}
	return &c
}

// merge joins two trees; every key of l is below every key of r.
func merge[V any](l, r *node[V]) *node[V] {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case l.prio > r.prio:
		c := *l
		c.right = merge(l.right, r)
		return &c
	default:
		c := *r
		c.left = merge(l, r.left)
		return &c
	}
}

func ascend[V any](n *node[V], from string, yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	if n.key < from {
		return ascend(n.right, from, yield)
	}
	return ascend(n.left, from, yield) && yield(n.key, n.val) && ascend(n.right, from, yield)
}

func descend[V any](n *node[V], before string, yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	if before != "" && n.key >= before {
		return descend(n.left, before, yield)
	}
	return descend(n.right, before, yield) && yield(n.key, n.val) && descend(n.left, before, yield)
}
