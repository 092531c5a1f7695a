# make run: sets up, loads the sample into an empty database and serves the app. make test: everything.
# make bench: training and encoding beside the stock library; BENCH="--help" shows its options.
# make soak: the long form of load, faults and fuzzing, hours; SOAK="--only L1,F5 --scale 0.1" less of it.
.PHONY: run test lint bench soak clean
export HF_HUB_OFFLINE ?= 1
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin

run: .venv/ready
	$(BIN)/python -m annotate sample --if-empty
	@echo "Keyline: http://127.0.0.1:$(PORT)"
	$(BIN)/streamlit run app.py --server.port $(PORT)

test: .venv/ready lint
	$(BIN)/python -m pytest -n 2
	@if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; \
	then echo "The tests of the database once more, on PostgreSQL:"; $(BIN)/python -m pytest -n 2 --database postgresql; \
	else echo "NOT TESTED on PostgreSQL: install Debian's postgresql package, then run make test again."; fi

# The stock trainer needs two packages that the product does not.
bench: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check datasets==5.2.0 accelerate==1.15.0
	PYTHONPATH=. $(BIN)/python tests/bench.py $(BENCH)

soak: .venv/ready
	@PYTHONPATH=. $(BIN)/python tests/soak.py $(SOAK)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

.venv/ready: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("Keyline needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$(grep '^torch==' requirements.txt)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

clean:
	rm -rf .venv
