package main

import (
	"fmt"
	"strings"
)

// One client, with a connection to the Redis behind that is its own.
type session struct {
	*proxy
	server   *upstream
	database string
	queue    [][]string // since MULTI
	queues   bool
	scripted bool // whether there is one among them that Redis must not see
	broken   bool // whether Redis has refused one
}

func (here *session) answer(words []string) (*value, error) {
	here.Lock()
	defer here.Unlock()
	name := strings.ToUpper(words[0])
	switch {
	case here.queues && name == "EXEC":
		return here.transaction()
	case here.queues && here.runsItself(words):
		here.queue, here.scripted = append(here.queue, words), true
		return status("QUEUED"), nil
	case here.runsItself(words):
		return here.execute(words, here.database), nil
	}
	answer, err := here.server.ask(words...)
	if err != nil {
		return nil, err
	}
	switch {
	case here.queues && answer.kind == '-' && name != "MULTI":
		here.broken = true
	case here.queues && answer.text == "QUEUED":
		here.queue = append(here.queue, words)
	case answer.kind == '-':
	case name == "MULTI":
		here.queue, here.queues, here.scripted, here.broken = nil, true, false, false
	case name == "DISCARD" || name == "RESET":
		here.queues = false
	default:
		here.finish(words, answer)
	}
	return answer, nil
}

// What is to be done with the answer of a command that Redis has carried out.
func (here *session) finish(words []string, answer *value) {
	switch name := strings.ToUpper(words[0]); {
	case name == "SELECT" && answer.kind == '+':
		here.database = words[1]
	case name == "INFO" && strings.Contains(answer.text, "# Commandstats\r\n"):
		for name, count := range here.counts {
			answer.text += fmt.Sprintf("cmdstat_%s:calls=%d,usec=0,usec_per_call=0.00\r\n", name, count)
		}
	case here.exponents:
		respell(words, answer)
	}
}

// Redis holds the queue, and runs it where no script is in it; else it only has to say that it would.
func (here *session) transaction() (*value, error) {
	here.queues = false
	if here.broken || !here.scripted {
		answer, err := here.server.ask("EXEC")
		if err == nil && answer.kind == '*' && !answer.null {
			for at, item := range answer.items {
				here.finish(here.queue[at], item)
			}
		}
		return answer, err
	}
	if _, err := here.server.ask("DISCARD"); err != nil {
		return nil, err
	}
	answer := &value{kind: '*'}
	for _, words := range here.queue {
		if here.runsItself(words) {
			answer.items = append(answer.items, here.execute(words, here.database))
			continue
		}
		item, err := here.server.ask(words...)
		if err != nil {
			return nil, err
		}
		here.finish(words, item)
		answer.items = append(answer.items, item)
	}
	return answer, nil
}
