# codelake: every target makes what is missing first, and is quick the second time.
#   make build REPO=path [LAKE=dir] [ONLY=glob]    a repository into a lake
#   make test                                      the tests (.ci/run calls this)

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LAKE ?= lake
export REPO LAKE ONLY
PYTHON ?= $(shell bash python_hooks/find_python.sh)

.PHONY: build test lint prove bench compile lock docs clean help

help:
	@sed -n '2,3s/^# *//p' Makefile
	@echo "  make lint | prove | bench | compile | docs | lock | clean"

$(VENV)/.installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "codelake needs Python 3.12 or 3.13: install one or set PYTHON=path." >&2; exit 1; }
	@PYTHONPATH=python_hooks $(PYTHON) -m codelake.run.java
	@echo "Installing locked dependencies into $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(READY): $(VENV)/.installed
	@PYTHONPATH=python_hooks $(BIN)/python -m codelake.run.java
	@$(BIN)/codelake setup
	@touch $@

build: $(READY)
	@test -n "$$REPO" || { echo "usage: make build REPO=path [LAKE=dir] [ONLY=glob]" >&2; exit 2; }
	@$(BIN)/codelake build "$$REPO" --lake "$$LAKE" $${ONLY:+--only "$$ONLY"}

# the tests that need Spark share one session, which leaves a core to the others; told one by one
test: $(READY)
	@told=$$(mktemp); $(BIN)/python -m pytest -m "spark and not prove" > $$told 2>&1 & spark=$$!; \
	$(BIN)/python -m pytest -m "not spark and not prove"; other=$$?; \
	echo "waiting for the tests that need Spark ..."; wait $$spark; code=$$?; \
	cat $$told; rm $$told; exit $$((other || code))

prove: $(READY)
	@$(BIN)/python -m pytest -m prove

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/codelake compile --check
	@PYTHONWARNINGS=ignore::UserWarning:multiprocessing.resource_tracker \
		$(BIN)/sqlfluff lint --quiet --processes 0 models $(wildcard tests/sql)
	@$(BIN)/dbt --quiet --warn-error parse --no-partial-parse --show-all-deprecations
	@COLUMNS=160 $(BIN)/dbt-bouncer --config-file .dbt-bouncer.yml --show-all-failures

compile: $(READY)
	@$(BIN)/codelake compile

docs: $(READY)
	@$(BIN)/dbt docs generate --quiet

bench: $(READY)
	@$(BIN)/python tests/bench/bench.py $(if $(PEER),--peer "$(PEER)") $(if $(TREES),--trees $(TREES)) \
		$(if $(REPEAT),--repeat $(REPEAT))

lock:
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.12 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --quiet --output-file requirements.lock

clean:
	rm -rf $(VENV) target logs lake
