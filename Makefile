# make run: sets up, loads the sample into an empty database and serves the app. make test: everything.
# make test-fast: what needs no browser, server, torch or fault, for the loop of writing; which, says tests/conftest.py.
# make bench: training and encoding beside the stock library; BENCH="--help" shows its options.
# make soak: the long form of load, faults, upgrades and fuzzing, hours; SOAK="--only L1,F5 --scale 0.1" less of it.
# It upgrades each release on PostgreSQL, too, of which make test takes every third.
# make mutants: changes model/ a little in thousands of ways, each of which should make a test fail; hours.
# MUTANTS="model.evaluation.metrics.*" takes some of it; .venv/bin/mutmut show NAME prints a change that no test noticed.
# make docs: the documentation as a site, in site/. make release: a release of the last commit, in dist/.
.PHONY: run test test-fast lint bench soak mutants docs release clean
export HF_HUB_OFFLINE ?= 1
# Where Python may not keep what it compiled, each of hundreds of processes compiles the product and its tests anew.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
IS_NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Keyline needs Python 3.11 or \
newer, and $(PYTHON) is %d.%d.%d. Name another one: make PYTHON=python3.12 ..." % tuple(sys.version_info[:3]))'
PORT ?= 8501
BIN := .venv/bin
# Three processes for two processors, since many tests wait: for servers, locks and browsers. Whichever is done first
# takes over tests of the others. Those of the fast run wait for nothing.
SHARED := -n 3 --dist worksteal
# Tests of the database run on both, where PostgreSQL is installed.
DATABASE := $(if $(wildcard /usr/lib/postgresql/*/bin/initdb),both,sqlite)

run: .venv/ready
	$(BIN)/python -m annotate serve -- --server.port $(PORT)

test: .venv/dev-ready .venv/checkers/ready lint
	$(BIN)/python -m pytest $(SHARED) --database $(DATABASE)
	@[ $(DATABASE) = both ] || echo "NOT TESTED on PostgreSQL: install Debian's postgresql package, then run make test again."

test-fast: .venv/dev-ready
	$(BIN)/python -m pytest -n 2 --dist worksteal --fast

# The stock trainer needs two packages that the product does not.
bench: .venv/dev-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check datasets==5.2.0 accelerate==1.15.0
	$(BIN)/python -m tests.measure.bench $(BENCH)

soak: .venv/dev-ready
	@$(BIN)/python -m tests.measure.soak $(SOAK)

# One thread: a process that is forked while OpenMP's threads run would wait for them forever.
mutants: .venv/dev-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check mutmut==3.8.1
	OMP_NUM_THREADS=1 nice -n 10 $(BIN)/mutmut run --max-children 1 $(MUTANTS)
	$(BIN)/mutmut results

lint: .venv/dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo >.venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }
	$(BIN)/oxlint --deny-warnings --report-unused-disable-directives pages
	$(BIN)/oxfmt --check 'pages/**/*.js'
	$(BIN)/mypy

# In an environment of its own: the product needs none of it. A link that leads nowhere is an error.
docs: .venv/docs/ready
	NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --strict --quiet
	@echo "The documentation: site/index.html"

# In an environment of their own: they want other packages than the product and its tests.
.venv/checkers/ready: tests/support/checkers/requirements.txt
	$(PYTHON) -m venv .venv/checkers
	.venv/checkers/bin/python -m pip install --quiet --disable-pip-version-check -r tests/support/checkers/requirements.txt
	touch $@

.venv/docs/ready: docs/site/requirements.txt
	@$(IS_NEW_ENOUGH)
	$(PYTHON) -m venv .venv/docs
	.venv/docs/bin/python -m pip install --quiet --disable-pip-version-check -r docs/site/requirements.txt
	touch $@

# The list of packages is made by a program that nothing else needs.
release: .venv/dev-ready .venv/docs/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom==7.5.0
	.ci/release

.venv/ready: requirements.txt
	@$(IS_NEW_ENOUGH)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$(grep '^torch==' requirements.txt)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

# With Ray, so that what only a cluster does is tested, too.
.venv/dev-ready: .venv/ready requirements-dev.txt requirements-ray.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt -r requirements-ray.txt
	touch $@

clean:
	rm -rf .venv site dist
