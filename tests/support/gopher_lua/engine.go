package main

import (
	"crypto/sha1"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// What messages call a script, as in Redis.
const chunk = "user_script"

var place = regexp.MustCompile(`^` + chunk + `:(\d+):`)

// A compiled script.
type script struct {
	name     string
	function *lua.LFunction
	noWrites bool
}

// The engine keeps one Lua state for all scripts, as Redis does, for one run at a time.
type engine struct {
	state   *lua.LState
	scripts map[string]*script
	command func(words []string) *value // carries out what the script that runs calls
	line    string                      // where its last call failed
}

func newEngine() *engine {
	here := &engine{scripts: map[string]*script{}, state: lua.NewState(lua.Options{SkipOpenLibs: true})}
	libraries := map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
		lua.StringLibName: lua.OpenString, lua.MathLibName: lua.OpenMath,
	}
	for name, open := range libraries {
		here.state.Push(here.state.NewFunction(open))
		here.state.Push(lua.LString(name))
		here.state.Call(1, 0)
	}
	here.globals().RawSetString("redis", here.table(map[string]lua.LGFunction{
		"call":         func(state *lua.LState) int { return here.call(state, true) },
		"pcall":        func(state *lua.LState) int { return here.call(state, false) },
		"error_reply":  func(state *lua.LState) int { return wrap(state, "err") },
		"status_reply": func(state *lua.LState) int { return wrap(state, "ok") },
	}))
	here.state.SetMetatable(here.globals(), here.table(map[string]lua.LGFunction{
		"__index": func(state *lua.LState) int {
			state.RaiseError("Script attempted to access nonexistent global variable '%s'", state.Get(2))
			return 0
		},
		"__newindex": func(state *lua.LState) int {
			state.RaiseError("Attempt to modify a readonly table")
			return 0
		},
	}))
	return here
}

func (here *engine) globals() *lua.LTable {
	return here.state.Get(lua.GlobalsIndex).(*lua.LTable)
}

func (here *engine) table(functions map[string]lua.LGFunction) *lua.LTable {
	return here.state.SetFuncs(here.state.NewTable(), functions)
}

// Any flag is accepted, because the engine is what is tried here, and not who knows which flag.
func (here *engine) load(source string) (*script, *value) {
	name := fmt.Sprintf("%x", sha1.Sum([]byte(source)))
	if known := here.scripts[name]; known != nil {
		return known, nil
	}
	made := &script{name: name}
	if strings.HasPrefix(source, "#!") {
		first, rest, _ := strings.Cut(source, "\n")
		words := strings.Fields(first)
		if words[0] != "#!lua" {
			return nil, failure("ERR Unexpected engine in script shebang: %s", words[0])
		}
		for _, option := range words[1:] {
			if !strings.HasPrefix(option, "flags=") {
				return nil, failure("ERR Unknown lua shebang option: %s", option)
			}
			made.noWrites = made.noWrites || strings.Contains(option, "no-writes")
		}
		source = "\n" + rest // so that messages name the lines as they are
	}
	var err error
	if made.function, err = here.state.Load(strings.NewReader(source), chunk); err != nil {
		return nil, failure("ERR Error compiling script (new function): %s", flat(err.Error()))
	}
	here.scripts[name] = made
	return made, nil
}

func (here *engine) run(found *script, keys, arguments []string, command func(words []string) *value) *value {
	here.command, here.line = command, ""
	here.globals().RawSetString("KEYS", list(here.state, keys))
	here.globals().RawSetString("ARGV", list(here.state, arguments))
	here.state.Push(found.function)
	if err := here.state.PCall(0, 1, nil); err != nil {
		return here.failed(found, err)
	}
	defer here.state.Pop(1)
	return here.reply(here.state.Get(-1))
}

func list(state *lua.LState, texts []string) *lua.LTable {
	made := state.NewTable()
	for _, text := range texts {
		made.Append(lua.LString(text))
	}
	return made
}

func wrap(state *lua.LState, field string) int {
	made := state.NewTable()
	made.RawSetString(field, lua.LString(state.CheckString(1)))
	state.Push(made)
	return 1
}

func (here *engine) failed(found *script, err error) *value {
	text, line := err.Error(), here.line
	if raised, ok := err.(*lua.ApiError); ok {
		text = raised.Object.String()
		if table, ok := raised.Object.(*lua.LTable); ok {
			text = table.RawGetString("err").String()
		} else if where := place.FindStringSubmatch(text); where != nil {
			text, line = "ERR "+text, where[1]
		}
	}
	return failure("%s script: %s, on @%s:%s.", flat(text), found.name, chunk, line)
}

// What redis.call and redis.pcall do.
func (here *engine) call(state *lua.LState, raises bool) int {
	words := []string{}
	var answer *value
	for at := 1; at <= state.GetTop(); at++ {
		switch given := state.Get(at).(type) {
		case lua.LString:
			words = append(words, string(given))
		case lua.LNumber:
			words = append(words, spell(float64(given)))
		default:
			answer = failure("ERR Lua redis lib command arguments must be strings or integers")
		}
	}
	if state.GetTop() == 0 {
		answer = failure("ERR Please specify at least one argument for this redis lib call")
	}
	if answer == nil {
		answer = here.command(words)
	}
	if raises && answer.kind == '-' {
		if where := place.FindStringSubmatch(state.Where(1)); where != nil {
			here.line = where[1]
		}
		state.Error(here.given(state, answer), 1)
	}
	state.Push(here.given(state, answer))
	return 1
}

func spell(number float64) string {
	if number == math.Trunc(number) && math.Abs(number) < 1<<63 {
		return strconv.FormatInt(int64(number), 10)
	}
	return fmt.Sprintf("%.17g", number)
}

// An answer of Redis in Lua's types.
func (here *engine) given(state *lua.LState, answer *value) lua.LValue {
	switch {
	case answer.null:
		return lua.LFalse
	case answer.kind == ':':
		number, _ := strconv.ParseInt(answer.text, 10, 64)
		return lua.LNumber(number)
	case answer.kind == '$':
		return lua.LString(answer.text)
	}
	made := state.NewTable()
	switch answer.kind {
	case '+':
		made.RawSetString("ok", lua.LString(answer.text))
	case '-':
		made.RawSetString("err", lua.LString(answer.text))
	default:
		for _, item := range answer.items {
			made.Append(here.given(state, item))
		}
	}
	return made
}

// What a script returned, in Redis' types.
func (here *engine) reply(returned lua.LValue) *value {
	switch given := returned.(type) {
	case lua.LString:
		return bulk(string(given))
	case lua.LNumber:
		return integer(int64(given))
	case *lua.LTable:
		if text, ok := given.RawGetString("err").(lua.LString); ok {
			return failure("%s", flat(string(text)))
		}
		if text, ok := given.RawGetString("ok").(lua.LString); ok {
			return status(flat(string(text)))
		}
		made := &value{kind: '*'}
		for at := 1; given.RawGetInt(at) != lua.LNil; at++ {
			made.items = append(made.items, here.reply(given.RawGetInt(at)))
		}
		return made
	}
	if returned == lua.LTrue {
		return integer(1)
	}
	return &value{kind: '$', null: true}
}

func flat(text string) string {
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
}
