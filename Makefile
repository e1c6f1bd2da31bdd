# Needs only make and Python 3.11 or later; everything else is installed into .venv.
# Another interpreter: make test PYTHON=python3.13

PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin/python
SITE   := docs/_build/html

# Whatever environment the caller has activated, only .venv counts.
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH PIP_USER PIP_TARGET PIP_PREFIX
unexport PYTHONDONTWRITEBYTECODE # hundreds of processes start, each the faster for it
export PIP_DISABLE_PIP_VERSION_CHECK = 1
demo test test-all test-exhaustive test-pages test-lowest test-pythons bench: export MPLBACKEND = Agg

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all test-exhaustive test-pages test-lowest test-pythons lint docs bench clean

help:
	@echo "make demo   run the main job; it leaves a picture in out/"
	@echo "make test   ruff and quick tests of every property"
	@echo "make lint   ruff and mypy only"
	@echo "make docs   build $(SITE), notebooks executed, no external references"
	@echo "make bench  run every script in benchmarks/"
	@echo "make clean  remove .venv and everything that was built"
	@echo "make test-all         ruff, mypy and every property on most of its cases"
	@echo "make test-exhaustive  every mutant of every regression, searches of 100,000 points, whole products"
	@echo "make test-pages       generated pages and doctests, as other processors compute them"
	@echo "make test-lowest      every library at its lower bound of pyproject.toml, in .venv-lowest"
	@echo "make test-pythons     README.md under each Python of pyproject.toml that is here"

demo: $(VENV)/.has-demo
	$(RUN) -m demo

# Two processes: more are faster where there are more cores (make test WORKERS=8).
WORKERS ?= 2
PYTEST := $(RUN) -m pytest -n $(WORKERS) --dist worksteal -q

test: $(VENV)/.has-dev
	@echo "Testing every property on a few of its cases, in $(WORKERS) processes; about four minutes ..."
	$(RUN) -m ruff check
	$(PYTEST) -m "not slow"

test-all: lint test
	@echo "Testing every property on its other cases, in $(WORKERS) processes; about half an hour ..."
	$(PYTEST) -m "slow and not exhaustive"

test-exhaustive: $(VENV)/.has-dev
	@echo "Testing all mutants and the largest searches; about half an hour ..."
	$(PYTEST) -m exhaustive

test-pages: $(VENV)/.has-dev
	$(RUN) -m tests.support.machines

# Environments of their own; the script needs no other package.
test-lowest:
	$(PYTHON) tests/support/environments.py lowest

test-pythons:
	$(PYTHON) tests/support/environments.py pythons

lint: $(VENV)/.has-dev
	$(RUN) -m ruff check
	$(RUN) -m mypy

docs: $(VENV)/.has-docs
	$(RUN) -m sphinx -W --keep-going -q -b html docs $(SITE)
	@echo "The pages are in $(SITE)/index.html"

bench: $(VENV)/.has-benchmarks
	$(if $(wildcard benchmarks/*.py),,$(error There is no script in benchmarks/))
	@set -e; for script in $(sort $(wildcard benchmarks/*.py)); do \
	    echo "$(RUN) $$script"; $(RUN) "$$script"; \
	done

clean:
	rm -rf $(VENV) .venv-* out build dist docs/_build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each extra of pyproject.toml: installed again only when that file changes.
$(VENV)/.has-%: pyproject.toml $(VENV)/.made
	@echo "Installing dpframe[$*] and what it needs into $(VENV); the first time takes a minute ..."
	@$(RUN) -m pip install --quiet --progress-bar off --editable '.[$*]'
	@echo "Installed dpframe[$*]."
	@touch $@

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "dpframe needs Python 3.11 or later, this is " + sys.version.split()[0] + \
	    "; name a newer one: make PYTHON=python3.13")'
	@echo "Creating $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@
