# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Common commands, based on CMake.  Each installs the packages it needs first (scripts/packages).
JOBS ?= $(shell nproc)
EXAMPLE = examples/canadarm
SECONDS ?= 60

.DEFAULT_GOAL := help
.PHONY: help build run python pictures test check format sanitize clang docs bench fuzz clean

# Durations of the parts of `make test`.
TIMES = out/times
timed = scripts/timed $(TIMES)

# $(call configure,preset,options), $(call build,preset,options), $(call test,presets)
configure = cmake --preset $(1) --log-level=WARNING $(2) >/dev/null
build = cmake --build --preset $(1) -j $(JOBS) $(2)
test = scripts/test_presets $(JOBS) $(TIMES) $(1)

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 18

build: ## build the program, build/limber
	@scripts/packages build
	@$(call configure,release)
	@$(call build,release,--target limber)

run: build ## build, then run the example arm under its controller: out/canadarm.h5, out/canadarm.html
	@mkdir -p out
	build/limber run $(EXAMPLE)/controlled.yaml -o out/canadarm.h5 --report

python: ## build the Python package, build/python
	@scripts/packages build python
	@$(call configure,release)
	@$(call build,release,--target limber_python)
	@echo "PYTHONPATH=$(CURDIR)/build/python /usr/bin/python3 -c 'import limber; help(limber)'"

pictures: build ## run the examples and generate their pictures
	@scripts/packages pictures
	@scripts/plot_examples
	@scripts/browser
	@scripts/screenshots.mjs

test: ## every check: source, tests, browser, address, undefined-behaviour and thread sanitizers
	@rm -f $(TIMES)
	@$(timed) "packages" scripts/packages build check test clang python node
	@$(timed) "checks of the source" $(MAKE) --no-print-directory check
	@TESTS_NEED="scripts/packages pythontest && scripts/browser" $(call test,release asan tsan)
	@echo "== all checks passed, in minutes:" && $(timed)

check: ## check the source: format, licence lines, room order, lengths, one definition per type, file links of the pages
	@scripts/packages check
	@echo "== checks of the source"
	@scripts/check_format
	@scripts/check_spdx
	@scripts/check_rooms
	@scripts/check_lengths
	@scripts/check_odr
	@scripts/check_docs

format: ## format the source in place
	@scripts/packages check
	@scripts/check_format --fix

sanitize: ## run the tests under the address, undefined-behaviour and thread sanitizers of clang
	@scripts/packages build test clang
	@$(call test,asan tsan)

clang: ## build and run the tests with clang
	@scripts/packages build test clang
	@$(call test,clang)

docs: ## generate the reference of the public headers: build/docs/html/index.html
	@scripts/packages docs
	@scripts/make_docs

bench: ## build and run the benchmarks
	@scripts/packages build bench
	@$(call configure,release,-DLIMBER_BENCH=ON)
	@$(call build,release,--target bench)
	@set -e; for program in build/bench/*_table build/bench/*_bench; do [ ! -x $$program ] || $$program; done

fuzz: ## build the fuzzers and run each for SECONDS (60; 0: none) from its corpus
	@scripts/packages build clang
	@$(call configure,fuzz)
	@$(call build,fuzz,--target fuzzers)
	@scripts/fuzz $(SECONDS)

clean: ## remove all build folders
	rm -rf build build-asan build-tsan build-clang build-debug build-fuzz
