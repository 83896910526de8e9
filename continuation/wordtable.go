package continuation

// A wordTable finds words by their bytes. It is a hash table with open
// addressing, at most a quarter full: replies are read word by word, so the
// look-up is most of the work.
type wordTable struct {
	slots  []wordSlot
	mask   uint32
	maxLen int
}

type wordSlot struct {
	text string
	word word
}

// newWordTable builds the table of words.
func newWordTable(words map[string]word) wordTable {
	size := 1
	for size < 4*len(words)+4 {
		size *= 2
	}
	t := wordTable{slots: make([]wordSlot, size), mask: uint32(size - 1)}
	for s, w := range words {
		t.maxLen = max(t.maxLen, len(s))
		i := wordHash([]byte(s)) & t.mask
		for t.slots[i].word.id != 0 {
			i = (i + 1) & t.mask
		}
		t.slots[i] = wordSlot{s, w}
	}
	return t
}

// find returns the word, or the zero word.
func (t *wordTable) find(s []byte) word {
	if len(s) > t.maxLen {
		return word{}
	}
	for i := wordHash(s) & t.mask; t.slots[i].word.id != 0; i = (i + 1) & t.mask {
		if t.slots[i].text == string(s) {
			return t.slots[i].word
		}
	}
	return word{}
}

// wordHash is FNV-1a.
func wordHash(s []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range s {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
