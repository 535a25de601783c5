# Each target sets up what it needs in .venv. Only Python 3.11 or newer, make and a network are needed.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
OUT    ?= out
CHECKED := bendtorch stubs tests laws reference examples

.PHONY: demo test mutants abuse previous check reference bench clean help
.DELETE_ON_ERROR:

help:
	@echo "make demo       two models: mypy proves their shapes and refuses a wrong size; trained on digits, on plays"
	@echo "make test       the tests"
	@echo "make mutants    plants some hundred mistakes, each of which a law must find (about half an hour)"
	@echo "make abuse      killed saves, damaged files, runs stopped at every step: the long versions (a few minutes)"
	@echo "make previous   the mypy plugin's cases under the mypy before the present one"
	@echo "make check      ruff, and mypy --strict on everything"
	@echo "make reference  every layer, loss and optimizer beside PyTorch and float64"
	@echo "make bench      speed beside PyTorch (ARGS='--quick' for a minute's worth)"

demo: $(VENV)/.examples
	@mkdir -p $(OUT)
	@echo "== the example's shapes, as mypy proves them"
	$(BIN)/bendtorch check examples/digits.py
	@echo
	@echo "== the same model with one width changed: Linear(n, HIDDEN, DIGITS) becomes Linear(n, 65, DIGITS)"
	@sed 's/Linear(n, HIDDEN, DIGITS)/Linear(n, 65, DIGITS)/' examples/digits.py > $(OUT)/wrong_width.py
	! $(BIN)/bendtorch check $(OUT)/wrong_width.py
	@echo
	@echo "== the model"
	$(BIN)/bendtorch summary 'examples/digits.py:mlp(32)'
	@echo
	@echo "== training on 1437 handwritten digits, 30 epochs"
	$(BIN)/python examples/digits.py --out $(OUT)
	@echo
	@echo "== a language model, and what mypy says when its text comes in windows of another length"
	$(BIN)/bendtorch check examples/shakespeare.py
	@sed 's/windows(text\[:-HELD_OUT\], WINDOW,/windows(text[:-HELD_OUT], 100,/' examples/shakespeare.py > $(OUT)/wrong_window.py
	! $(BIN)/bendtorch check $(OUT)/wrong_window.py
	@echo
	@echo "== taught to write, from nothing but twelve plays, in two minutes"
	@rm -rf $(OUT)/shakespeare
	$(BIN)/python examples/shakespeare.py --minutes 2 --out $(OUT)/shakespeare

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 $(ARGS)

# What `make test` does a little of, at full length.
abuse: $(VENV)/.dev
	BENDTORCH_LONG=1 $(BIN)/python -m pytest -n 2 tests/abuse tests/checkpoint $(ARGS)

# The laws' own test.
mutants: $(VENV)/.dev
	$(BIN)/python -m laws.mutants $(ARGS)

# The plugin's cases under the mypy before the present one.
previous: $(VENV)/.previous
	PYTHONPATH=$(VENV)/previous-mypy $(BIN)/python -m pytest -p no:cacheprovider \
		tests/typing/test_cases.py tests/typing/test_digits_example.py tests/typing/test_shakespeare_example.py \
		-k "not warm and not edited and not daemon"

check: $(VENV)/.reference
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(CHECKED)

reference: $(VENV)/.reference
	$(BIN)/python -m reference $(ARGS)

bench: $(VENV)/.reference
	$(BIN)/python -m reference.bench $(ARGS)

clean:
	rm -rf $(VENV) $(OUT) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "bendtorch needs Python 3.11 or newer; name one with: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.examples: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[examples]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[dev]'
	@touch $@

$(VENV)/.previous: $(VENV)/.dev
	$(PIP) install --target $(VENV)/previous-mypy 'mypy>=2.3,<2.4'
	@touch $@

$(VENV)/.reference: pyproject.toml | $(BIN)/python
	$(PIP) install 'torch==2.13.0' 'mpmath>=1.3' 'transformers>=5.0,<6'
	$(PIP) install --editable '.[dev]'
	@touch $@
