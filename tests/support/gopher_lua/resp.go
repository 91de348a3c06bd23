package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// A value of Redis' protocol as it came, so that what is only handed on does not change.
type value struct {
	kind  byte // its first byte: + - : $ * or one of RESP3's
	text  string
	null  bool
	items []*value
}

func failure(format string, words ...interface{}) *value {
	return &value{kind: '-', text: fmt.Sprintf(format, words...)}
}

func status(text string) *value {
	return &value{kind: '+', text: text}
}

func bulk(text string) *value {
	return &value{kind: '$', text: text}
}

func integer(number int64) *value {
	return &value{kind: ':', text: strconv.FormatInt(number, 10)}
}

func read(from *bufio.Reader) (*value, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return nil, fmt.Errorf("an empty line")
	}
	found := &value{kind: line[0], text: line[1:]}
	if !strings.ContainsRune("$=!*~>%", rune(found.kind)) {
		return found, nil
	}
	size, err := strconv.Atoi(found.text)
	if err != nil {
		return nil, err
	}
	found.text, found.null = "", size < 0
	if found.null {
		return found, nil
	}
	if strings.ContainsRune("$=!", rune(found.kind)) {
		text := make([]byte, size+2)
		_, err := io.ReadFull(from, text)
		found.text = string(text[:size])
		return found, err
	}
	if found.kind == '%' {
		size *= 2
	}
	for len(found.items) < size {
		item, err := read(from)
		if err != nil {
			return nil, err
		}
		found.items = append(found.items, item)
	}
	return found, nil
}

func write(to *bufio.Writer, given *value) {
	switch {
	case given.null:
		fmt.Fprintf(to, "%c-1\r\n", given.kind)
	case strings.ContainsRune("$=!", rune(given.kind)):
		fmt.Fprintf(to, "%c%d\r\n%s\r\n", given.kind, len(given.text), given.text)
	case strings.ContainsRune("*~>%", rune(given.kind)):
		size := len(given.items)
		if given.kind == '%' {
			size /= 2
		}
		fmt.Fprintf(to, "%c%d\r\n", given.kind, size)
		for _, item := range given.items {
			write(to, item)
		}
	default:
		fmt.Fprintf(to, "%c%s\r\n", given.kind, given.text)
	}
}

// A connection to the Redis behind, for one asker at a time.
type upstream struct {
	net.Conn
	in  *bufio.Reader
	out *bufio.Writer
}

func dial(address string) (*upstream, error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &upstream{connection, bufio.NewReader(connection), bufio.NewWriter(connection)}, nil
}

func (server *upstream) ask(words ...string) (*value, error) {
	command := &value{kind: '*'}
	for _, word := range words {
		command.items = append(command.items, bulk(word))
	}
	write(server.out, command)
	if err := server.out.Flush(); err != nil {
		return nil, err
	}
	return read(server.in)
}

// Spell the scores of an answer as the servers do that print the shortest digits, with an exponent below 1e-4 and from
// 1e15: 1e-07, 1e+15.
func respell(words []string, answer *value) {
	name := strings.ToUpper(words[0])
	switch name {
	case "ZSCORE", "ZINCRBY", "ZADD":
		respellScore(answer)
	case "ZMSCORE":
		for _, item := range answer.items {
			respellScore(item)
		}
	case "ZPOPMIN", "ZPOPMAX":
		respellPairs(answer)
	case "ZRANGE", "ZREVRANGE", "ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZUNION", "ZINTER", "ZDIFF", "ZRANDMEMBER":
		for _, word := range words {
			if strings.EqualFold(word, "WITHSCORES") {
				respellPairs(answer)
				break
			}
		}
	}
}

func respellPairs(answer *value) {
	for at := 1; at < len(answer.items); at += 2 {
		respellScore(answer.items[at])
	}
}

func respellScore(score *value) {
	number, err := strconv.ParseFloat(score.text, 64)
	if score.kind != '$' || score.null || err != nil || number-number != 0 {
		return
	}
	scientific := strconv.FormatFloat(number, 'e', -1, 64)
	exponent, _ := strconv.Atoi(scientific[strings.Index(scientific, "e")+1:])
	if exponent < -4 || exponent >= 15 {
		score.text = scientific
	} else {
		score.text = strconv.FormatFloat(number, 'f', -1, 64)
	}
}
