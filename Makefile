# Everything here starts from `make` and a Python of 3.11 or later: the environment is built first, once, into $(VENV).

VENV := .venv
UV_VERSION := 0.13.9
PY = $(VENV)/bin/python
READY := $(VENV)/.ready
READY_DEPLOY := $(VENV)/.ready-deploy
NODE_READY := tools/deploy/node_modules/.package-lock.json

# The interpreter comes from the machine, never from a download, and never from another environment that is active.
export UV_PYTHON_DOWNLOADS := never
# A network with a certificate authority of its own has it in the system's store, where pip and git look as well.
export UV_SYSTEM_CERTS := true
export UV_PROJECT_ENVIRONMENT := $(VENV)
unexport VIRTUAL_ENV PYTHONHOME
SYNC = $(VENV)/bin/uv sync --quiet --frozen --all-extras --python $(PY)

.DEFAULT_GOAL := help
.PHONY: help setup dev test check format lock demo-data bench vercel lambda smoke clean

help: ## list these targets
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'

setup: $(READY) ## build the environment (the others do it by themselves)

dev: $(READY) ## serve the functions, the demo and a local Upstash endpoint, with reload (PORT, STORE_PORT, REDIS_URL)
	@exec $(PY) -m tools.dev

test: $(READY) ## run the tests (ARGS="-k name" narrows them)
	@exec $(PY) -m pytest $(ARGS)

check: $(READY) ## lint, formatting and types, of the Lua too where the machine has luacheck and npm
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy
	@$(PY) -m tools.lua --check

format: $(READY) ## put the code in order
	@$(PY) -m ruff check --fix
	@$(PY) -m ruff format
	@$(PY) -m tools.lua

lock: $(READY) ## move the dependencies to their newest allowed versions
	@$(VENV)/bin/uv lock --upgrade --python $(PY)

demo-data: $(READY) ## fill the example boards of a running `make dev`
	@exec $(PY) -m tools.dev.demo_data $(ARGS)

bench: $(READY) ## measure speed and memory
	@exec $(PY) -m bench $(ARGS)

vercel: $(READY) $(NODE_READY) ## build for Vercel and try the result on its runtime
	@exec $(PY) -m tools.deploy.vercel

lambda: $(READY_DEPLOY) $(NODE_READY) ## build the Lambda archives and try them on the runtime
	@exec $(PY) -m tools.deploy.aws

smoke: $(READY) ## try the Upstash database that the environment names, under a throw-away prefix
	@exec $(PY) -m tools.cli.smoke

clean: ## remove what these targets made
	rm -rf $(VENV) dist .vercel/output .mypy_cache .pytest_cache .ruff_cache .hypothesis tools/deploy/node_modules tools/lua/node_modules
	find bench functions lib tests tools -name __pycache__ -prune -exec rm -rf {} +

# A candidate has to run, not just to exist: version managers leave shims that only print how to choose a version.
$(VENV)/bin/uv:
	@set -e; found=; \
	for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo 'Laurel needs Python 3.11 or later. Install it, or name it: make PYTHON=/path/to/python3' >&2; exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$($$found -V) ..."; \
	if $$found -c 'import ensurepip, venv' 2>/dev/null; then \
	  $$found -m venv --clear $(VENV); \
	  $(PY) -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION); \
	elif $$found -c 'import pip, venv' 2>/dev/null; then \
	  $$found -m venv --clear --without-pip $(VENV); \
	  $$found -m pip --python $(PY) install --quiet --disable-pip-version-check uv==$(UV_VERSION); \
	else \
	  echo "$$found cannot make environments: it has neither ensurepip nor pip." \
	    'On Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; \
	fi

$(READY): pyproject.toml uv.lock | $(VENV)/bin/uv
	@$(SYNC)
	@touch $@

# After every plain sync, which removes the deploy group again.
$(READY_DEPLOY): $(READY)
	@$(SYNC) --group deploy
	@touch $@

tools/deploy/node_modules/.package-lock.json: tools/deploy/package.json tools/deploy/package-lock.json
	@npm ci --prefix tools/deploy --no-audit --no-fund
	@touch $@
