# `make help` lists the verbs. Everything runs from .venv, which `make setup` keeps equal to requirements/dev.txt.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
unexport PYTHONDONTWRITEBYTECODE

PY := .venv/bin/python
PYTEST := $(PY) -m pytest
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
NBVAL := $(if $(NOTEBOOKS),--nbval --nbval-sanitize-with tests/notebooks/sanitize.cfg $(NOTEBOOKS))

# Files of tests run side by side, each file whole in one process: two Jupyters and two Chromiums are what two cores carry.
SIDE_BY_SIDE := -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: help demo lab setup env tools fmt check test notebooks e2e cases faults matrix local perf docs lock ci

help: ## list the verbs
	@grep -hE '^[a-z0-9]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS=$$'\t' read -r verb words; do printf '  make %-10s %s\n' "$$verb" "$$words"; done

demo: env ## the main job in a real kernel: plan, edit, approval, tests; exits non-zero when a part did not happen (ARGS=--help)
	@$(PY) -m tah_jupyter.jupyter.demo $(ARGS)

lab: env ## open JupyterLab on the first notebook
	@.venv/bin/jupyter lab notebooks/01_first_run.ipynb $$([ "$$(id -u)" = 0 ] && echo --allow-root)

setup: env tools ## make .venv from the lock, and find or install Chromium and ripgrep; nothing to do when up to date

env:
	@.ci/setup_env

tools:
	@.ci/setup_tools

fmt: env ## format, and mend what the linter can mend
	@$(PY) -m ruff format . && $(PY) -m ruff check --fix .

check: env ## format, lint, types, layers
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@.venv/bin/lint-imports

test: setup check ## everything that must pass: check, then all tests and notebooks
	@$(PYTEST) $(SIDE_BY_SIDE) tests $(NBVAL)

notebooks: env ## run the notebooks and compare their outputs
	@$(if $(NBVAL),$(PYTEST) $(NBVAL),echo "There is no notebook in notebooks/.")

e2e: setup ## JupyterLab and Notebook 7 in a real Chromium
	@$(PYTEST) tests/e2e

cases: env ## real failures of other tools
	@$(PYTEST) tests -m case

faults: env ## the long run of the fault injection (the short one is in test)
	@FAULTS=long $(PYTEST) tests/faults tests/cases --timeout=3600

matrix: env ## the kernel tests with ipykernel 7.4, 7.3, 7.0, 6.31 and as Colab has it; prints what worked, in seconds (ARGS="7.3 colab")
	@$(PY) .ci/matrix.py $(ARGS)

local: env ## a real, very small model on this machine, asked over both routes (installs two wheels into .local/)
	@$(PY) .ci/local.py

perf: env ## all figures against their goals; writes perf.json
	@$(PY) -m tests.perf

docs: env ## write what is generated: config schema, event reference, tables of the README
	@$(PY) .ci/docs.py

lock: env ## renew requirements/*.txt from pyproject.toml
	@.ci/lock

ci: ## what the server runs on a clean clone
	@.ci/run
