package main

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/mail"
	"os"
	"strings"

	"github.com/emersion/go-mbox"
)

// letter is one mail of the box.
type letter struct{ ID, From, Subject, Body string }

// readBox reads an mbox file.
func readBox(path string) (box []letter, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r := mbox.NewReader(f); ; {
		raw, err := r.NextMessage()
		if errors.Is(err, io.EOF) {
			return box, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: mail %d: %w", path, len(box)+1, err)
		}
		l, err := readLetter(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: mail %d: %w", path, len(box)+1, err)
		}
		box = append(box, l)
	}
}

func readLetter(raw io.Reader) (letter, error) {
	m, err := mail.ReadMessage(raw)
	if err != nil {
		return letter{}, err
	}
	from, err := mail.ParseAddress(m.Header.Get("From"))
	if err != nil {
		return letter{}, err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		return letter{}, err
	}
	body, err := io.ReadAll(m.Body)
	return letter{strings.Trim(m.Header.Get("Message-ID"), "<>"), from.Name, subject, strings.TrimSpace(string(body))}, err
}
