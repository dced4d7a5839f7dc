# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMPS := $(VENV)/stamps
BUILD := build

# What the installed package is made of: when one of these changes, it is installed again.
SOURCES := $(shell find src core -name '*.py' -o -name '*.pyi' -o -name '*.h' -o -name '*.cpp') \
	CMakeLists.txt pyproject.toml README.md

.PHONY: help demo test check unit sanitize browser bench oracles gallery pictures serve stub clean

help: ## show these targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(STAMPS)/installed ## set up, then solve Connect Four on 5x4 before your eyes
	$(BIN)/unbounded solve "connect-four(width=5,height=4)"

test: check unit sanitize ## set up, then run every test

check: $(STAMPS)/installed $(STAMPS)/checking $(STAMPS)/serving ## style, types and layout of the sources
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find core -name '*.h' -o -name '*.cpp')

serve: $(STAMPS)/installed $(STAMPS)/serving ## open the page in the browser
	$(BIN)/unbounded serve

unit: $(STAMPS)/installed $(STAMPS)/testing browser ## the Python tests, and no leak reported at the end
	set -o pipefail; $(BIN)/python -m pytest -n auto --dist worksteal 2>&1 | tee $(VENV)/tests.log
	! grep -n "nanobind: leaked" $(VENV)/tests.log

sanitize: ## the core's tests under the address, undefined-behaviour and thread sanitizers
	$(call sanitized,address,address$(comma)undefined)
	$(BUILD)/address/core_tests
	$(BUILD)/address/solving_tests
	$(BUILD)/address/saving_tests
	$(BUILD)/address/opponents_tests
	$(call sanitized,thread,thread)
	$(BUILD)/thread/solving_tests
	$(BUILD)/thread/saving_tests

comma := ,
define sanitized
	cmake -S . -B $(BUILD)/$(1) -DCMAKE_BUILD_TYPE=Debug -DUNBOUNDED_TESTS=ON -DUNBOUNDED_SANITIZE=$(2)
	cmake --build $(BUILD)/$(1) --parallel
endef

# The page is tested in a real browser; where none can be had, those tests are skipped, and say so.
browser:
	@command -v chromium chromium-browser google-chrome > /dev/null || $(GET_CHROMIUM) || \
		echo "NO BROWSER: chromium could not be installed, so the page will not be tested"

ROOT := $(if $(filter 0,$(shell id -u)),,sudo -n)
GET_CHROMIUM := ($(ROOT) apt-get update -qq && \
	$(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium > /dev/null)

bench: $(STAMPS)/installed $(STAMPS)/benching ## ours beside other systems, in one run
	$(BIN)/python benchmarks/run.py

oracles: $(STAMPS)/installed ## prove every known value on the shelf again, with times
	$(BIN)/python benchmarks/oracles.py

gallery: $(STAMPS)/installed ## write the pages of the games anew
	$(BIN)/python docs/make_games.py

pictures: $(STAMPS)/installed $(STAMPS)/testing browser ## take the pictures of the page anew
	$(BIN)/python docs/make_pictures.py

stub: $(STAMPS)/installed ## write the core's type stub anew
	cp "$$($(BIN)/python -c 'import unbounded, pathlib; print(pathlib.Path(unbounded.__file__).parent)')/native/_core.pyi" src/unbounded/native/_core.pyi

clean: ## remove what the targets made
	rm -rf $(VENV) $(BUILD)

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

$(STAMPS)/testing: $(STAMPS)/installed constraints.txt
	$(PIP) install --quiet --constraint constraints.txt pytest pytest-xdist hypothesis open_spiel \
		pandas pyarrow safetensors starlette uvicorn websockets playwright axe-playwright-python
	touch $@

$(STAMPS)/benching: $(STAMPS)/installed constraints.txt
	$(PIP) install --quiet --constraint constraints.txt open_spiel easyAI
	touch $@
