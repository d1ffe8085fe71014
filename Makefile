PYTHON ?= python3
TORCH ?= torch==2.13.0
BIN := .venv/bin
INSTALLED := .venv/installed

.PHONY: install test coverage test-tensorflow test-triton benchmark demo docs smoke lint format clean

install: $(INSTALLED)

# The pins of AllenNLP cannot be met any more, so it is installed without its dependencies; the
# extra `allennlp` of pyproject.toml lists them.
$(INSTALLED): pyproject.toml elmo_plugin.pth Makefile
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install $(TORCH) -e '.[all,tests]'
	$(BIN)/python -m pip install --no-deps allennlp==2.10.1 allennlp-models==2.10.1
	touch $@

# Two processes; the tests of a file share what its fixtures train. In the order of their names, since
# pytest-xdist would run the files with few tests last, and some of these take longest.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test: install
	$(PYTEST)

coverage: install
	$(PYTEST) --cov

# simple_elmo reads our weight files in TensorFlow, which needs an environment of its own.
test-tensorflow: install .venv-tensorflow/installed
	$(BIN)/python -m pytest -m tensorflow

.venv-tensorflow/installed: Makefile
	$(PYTHON) -m venv .venv-tensorflow
	.venv-tensorflow/bin/python -m pip install \
		simple_elmo==0.9.2 tensorflow-cpu==2.21.0 tf_keras==2.21.0
	touch $@

# On an idle machine, an hour. DATA is a directory of text, see benchmarks/run_all.py.
benchmark: install .venv-tensorflow/installed
	$(BIN)/python benchmarks/run_all.py $(if $(DATA),--data $(DATA)) $(OPTIONS)

# Triton's interpreter runs the kernels of GPUs on the CPU. In an environment of its own, which sees
# the packages of .venv, as PyTorch for CPUs comes without Triton.
test-triton: install .venv-triton/installed
	TRITON_INTERPRET=1 .venv-triton/bin/python -m pytest -m triton tests/layers/fast/triton

.venv-triton/installed: Makefile $(INSTALLED)
	$(PYTHON) -m venv .venv-triton
	$(BIN)/python -c 'import site; print(site.getsitepackages()[0])' \
		>"$$(.venv-triton/bin/python -c 'import site; print(site.getsitepackages()[0])')/venv.pth"
	.venv-triton/bin/python -m pip install triton==3.9.0
	touch $@

demo: install
	PATH="$(CURDIR)/$(BIN):$$PATH" fixtures/demo.sh

# From the root, so that its links are those between the files. Warnings are errors; the notebooks run.
docs: install .venv/docs-installed
	OMP_NUM_THREADS=1 $(BIN)/sphinx-build --fail-on-warning --keep-going -c docs . build/docs

.venv/docs-installed: pyproject.toml $(INSTALLED)
	$(BIN)/python -m pip install -e '.[docs]'
	touch $@

smoke:
	TORCH='$(TORCH)' .ci/smoke

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-tensorflow .venv-triton demo build dist *.egg-info .coverage .mypy_cache .pytest_cache \
		.ruff_cache .hypothesis
