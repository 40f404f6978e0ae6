# Everything runs in .venv, made from pyproject.toml; nothing is installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TOOLS := $(VENV)/.installed-dev
PYTEST := $(BIN)/pytest
WORKERS := -n $(shell expr $$(nproc) + 2) --maxprocesses 8 --dist worksteal # tests run side by side, but for those marked `alone`; many wait

unexport PYTHONDONTWRITEBYTECODE # whoever sets it has all modules compiled again in every process that a test starts

.PHONY: run test tools check book wheel bench soak clean

run: $(INSTALLED) ## play the demo tournament and say where its charts are
	$(BIN)/arena run tournament.toml

test: $(TOOLS) ## every test but the load tests
	$(PYTEST) $(WORKERS)

check: $(TOOLS) ## format, lint, types, import rows, tests in random order with branch coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) $(WORKERS) -p randomly --cov --cov-report=term:skip-covered

tools: $(TOOLS) ## install what developers need, and nothing more

book: $(TOOLS) ## build the manual as a site, with a search
	@book=$$(mktemp -d) && $(BIN)/mkdocs build --quiet --strict -f docs/mkdocs.yml -d $$book && echo "open $$book/index.html"

wheel: $(TOOLS) ## build the distribution, and try it in an empty venv of each Python here
	bash .ci/wheel

bench: $(TOOLS) ## measure, and write the tables of benchmarks/README.md (PARTS="turns starts": these) and docs/growth.md
	$(BIN)/python benchmarks/renew.py $(PARTS)
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/slopes.py

soak: $(TOOLS) ## load tests, and those that kill and look again and again: minutes, not seconds
	$(PYTEST) -m soak

$(INSTALLED): pyproject.toml
	@echo "Installing arena, and what it needs, into $(VENV): once, about a minute ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(TOOLS): pyproject.toml # what only developers need is ten times as large, so `make run` does not wait for it
	@echo "Installing what developers need into $(VENV): once, some minutes ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(INSTALLED) $@

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .coverage*
