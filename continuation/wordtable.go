package continuation

// A wordTable finds words by their bytes. It is a hash table with open
// addressing, at most a quarter full: replies are read word by word, so the
// look-up is most of the work, and most words of a reply are not in it.
type wordTable struct {
	index   []uint16 // by hash: a place in entries, 0 if there is none
	mask    uint32
	entries []wordEntry // from 1 on
}

type wordEntry struct {
	text string
	word word
}

// newWordTable builds the table of words.
func newWordTable(words map[string]word) wordTable {
	size := 1
	for size < 4*len(words)+4 {
		size *= 2
	}
	t := wordTable{index: make([]uint16, size), mask: uint32(size - 1), entries: make([]wordEntry, 1, len(words)+1)}
	for s, w := range words {
		t.entries = append(t.entries, wordEntry{s, w})
		i := wordHash([]byte(s)) & t.mask
		for t.index[i] != 0 {
			i = (i + 1) & t.mask
		}
		t.index[i] = uint16(len(t.entries) - 1)
	}
	return t
}

// find returns the word, or the zero word.
func (t *wordTable) find(s []byte) word { return t.findHashed(s, wordHash(s)) }

// findHashed is find for a caller that has hashed the word already.
func (t *wordTable) findHashed(s []byte, hash uint32) word {
	for i := hash & t.mask; t.index[i] != 0; i = (i + 1) & t.mask {
		if e := &t.entries[t.index[i]]; e.text == string(s) {
			return e.word
		}
	}
	return word{}
}

// The parameters of FNV-1a.
const (
	hashStart = 2166136261
	hashPrime = 16777619
)

func wordHash(s []byte) uint32 {
	h := uint32(hashStart)
	for _, c := range s {
		h = (h ^ uint32(c)) * hashPrime
	}
	return h
}
