// A Redis whose scripts run on gopher-lua: it stands before a real one, which carries out everything else and every command
// that a script calls, so that nothing but the engine differs.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

// What Redis says of a command.
type command struct {
	arity  int
	writes bool
	barred bool // from scripts
}

// The one lock is held while a script or a command runs: both are atomic.
type proxy struct {
	sync.Mutex
	address   string
	exponents bool
	engine    *engine
	known     map[string]command
	counts    map[string]int // of what never reaches Redis, for INFO commandstats
	inside    *upstream      // for what scripts call; it always speaks RESP2
	database  string         // the one selected there
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "the address to serve on")
	address := flag.String("redis", "127.0.0.1:6379", "the Redis behind")
	exponents := flag.Bool("exponents", false, "spell scores as 1e-07 and 1e+15")
	flag.Parse()
	go func() { // whoever started it is gone, however that came
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	inside, err := dial(*address)
	if err != nil {
		log.Fatal(err)
	}
	here := &proxy{
		address: *address, exponents: *exponents, inside: inside, database: "0",
		engine: newEngine(), counts: map[string]int{},
	}
	if here.known, err = commands(inside); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	for {
		client, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go here.serve(client)
	}
}

func commands(server *upstream) (map[string]command, error) {
	answer, err := server.ask("COMMAND")
	if err != nil {
		return nil, err
	}
	known := map[string]command{}
	for _, item := range answer.items {
		arity, _ := strconv.Atoi(item.items[1].text)
		found := command{arity: arity}
		for _, mark := range item.items[2].items {
			found.writes = found.writes || mark.text == "write"
			found.barred = found.barred || mark.text == "noscript"
		}
		known[strings.ToUpper(item.items[0].text)] = found
	}
	return known, nil
}

func (here *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := dial(here.address)
	if err != nil {
		return
	}
	defer server.Close()
	session := &session{proxy: here, server: server, database: "0"}
	in, out := bufio.NewReader(client), bufio.NewWriter(client)
	for {
		request, err := read(in)
		if err != nil || len(request.items) == 0 {
			return
		}
		words := []string{}
		for _, item := range request.items {
			words = append(words, item.text)
		}
		answer, err := session.answer(words)
		if err != nil {
			return
		}
		write(out, answer)
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

func (here *proxy) runsItself(words []string) bool {
	switch strings.ToUpper(words[0]) {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO":
		return true
	case "SCRIPT":
		verb := strings.ToUpper(append(words, "")[1])
		return verb == "LOAD" || verb == "EXISTS" || verb == "FLUSH"
	}
	return false
}

// Carry out one of the commands about scripts.
func (here *proxy) execute(words []string, database string) *value {
	name := strings.ToUpper(words[0])
	here.counts[strings.ToLower(name)]++
	if name != "SCRIPT" {
		return here.evaluate(name, words, database)
	}
	switch strings.ToUpper(words[1]) {
	case "LOAD":
		if len(words) != 3 {
			return failure("ERR wrong number of arguments for 'script|load' command")
		}
		made, refusal := here.engine.load(words[2])
		if refusal != nil {
			return refusal
		}
		return bulk(made.name)
	case "EXISTS":
		answer := &value{kind: '*'}
		for _, name := range words[2:] {
			if here.engine.scripts[strings.ToLower(name)] != nil {
				answer.items = append(answer.items, integer(1))
			} else {
				answer.items = append(answer.items, integer(0))
			}
		}
		return answer
	}
	here.engine = newEngine()
	return status("OK")
}

func (here *proxy) evaluate(name string, words []string, database string) *value {
	if len(words) < 3 {
		return failure("ERR wrong number of arguments for '%s' command", strings.ToLower(name))
	}
	count, err := strconv.Atoi(words[2])
	switch {
	case err != nil:
		return failure("ERR value is not an integer or out of range")
	case count > len(words)-3:
		return failure("ERR Number of keys can't be greater than number of args")
	case count < 0:
		return failure("ERR Number of keys can't be negative")
	}
	found, refusal := here.engine.scripts[strings.ToLower(words[1])], failure("NOSCRIPT No matching script. Please use EVAL.")
	if strings.HasPrefix(name, "EVALSHA") {
		if found == nil {
			return refusal
		}
	} else if found, refusal = here.engine.load(words[1]); refusal != nil {
		return refusal
	}
	readOnly := found.noWrites || strings.HasSuffix(name, "_RO")
	call := func(words []string) *value { return here.called(words, readOnly, database) }
	return here.engine.run(found, words[3:3+count], words[3+count:], call)
}

// What a script calls; refused in Redis' words.
func (here *proxy) called(words []string, readOnly bool, database string) *value {
	known, ok := here.known[strings.ToUpper(words[0])]
	switch {
	case !ok:
		return failure("ERR Unknown Redis command called from script")
	case len(words) < known.arity || len(words) < -known.arity || (known.arity > 0 && len(words) != known.arity):
		return failure("ERR Wrong number of args calling Redis command from script")
	case known.barred:
		return failure("ERR This Redis command is not allowed from script")
	case known.writes && readOnly:
		return failure("ERR Write commands are not allowed from read-only scripts.")
	}
	if here.database != database {
		if answer, err := here.inside.ask("SELECT", database); err != nil || answer.kind == '-' {
			return failure("ERR the Redis behind does not answer")
		}
		here.database = database
	}
	answer, err := here.inside.ask(words...)
	if err != nil {
		return failure("ERR the Redis behind does not answer: %s", err)
	}
	if here.exponents {
		respell(words, answer)
	}
	return answer
}
