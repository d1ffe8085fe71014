PYTHON ?= python3
TORCH ?= torch==2.13.0
BIN := .venv/bin
INSTALLED := .venv/installed

.PHONY: install test test-tensorflow demo lint format clean

install: $(INSTALLED)

# AllenNLP pins releases that no longer install, so it comes without its dependencies;
# pyproject.toml lists what it needs.
$(INSTALLED): pyproject.toml elmo_plugin.pth Makefile
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install $(TORCH) -e '.[tests]'
	$(BIN)/python -m pip install --no-deps allennlp==2.10.1 allennlp-models==2.10.1
	touch $@

test: install
	$(BIN)/python -m pytest

# simple_elmo reads our weight files in TensorFlow, which needs an environment of its own.
test-tensorflow: install .venv-tensorflow/installed
	$(BIN)/python -m pytest -m tensorflow

.venv-tensorflow/installed: Makefile
	$(PYTHON) -m venv .venv-tensorflow
	.venv-tensorflow/bin/python -m pip install \
		simple_elmo==0.9.2 tensorflow-cpu==2.21.0 tf_keras==2.21.0
	touch $@

demo: install
	PATH="$(CURDIR)/$(BIN):$$PATH" fixtures/demo.sh

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-tensorflow demo build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
