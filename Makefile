# make run: sets up, loads the sample into an empty database and serves the app. make test: everything.
.PHONY: run test lint clean
export HF_HUB_OFFLINE ?= 1
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin

run: .venv/ready
	$(BIN)/python -m annotate sample --if-empty
	@echo "Keyline: http://127.0.0.1:$(PORT)"
	$(BIN)/streamlit run app.py --server.port $(PORT)

test: .venv/ready lint
	$(BIN)/python -m pytest

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
