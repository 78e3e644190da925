# Rewear. `make` lists what there is to make; everything needs only Rust, Python and a C compiler.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
PYTHON_SOURCES := build_backend.py python tests docs experiments examples crates
REWEAR := $(VENV)/bin/rewear

# What the demo asks about: a recording with content, so that all techniques but one have something to work on.
TRACE ?= recordings/home.rwt
DEMO_PAGE ?= out/demo.html

comma := ,

# Seed of the property tests: the same cases in every run; another number gives others.
SEED ?= 1

# What cargo keeps for the next compilation costs a sixth of a first one, and several codegen units a crate another sixth. So
# crates are cut into pieces only where `cargo` did so before.
ifeq ($(wildcard target/debug/incremental),)
export CARGO_INCREMENTAL ?= 0
export CARGO_PROFILE_DEV_CODEGEN_UNITS ?= 1
endif

# Benchmarks that print their results as JSON, an object a line: name, value, unit, compared_with, ratio.
BENCHES ?= uniform_writes wom_v_writes second_writes recycling scheme_writes wom ecc

# The extension module is built again when one of these changes; Python files are used where they lie.
CORE_SOURCES := $(shell find crates presets -type f \( -name '*.rs' -o -name '*.toml' \) \
	-not -path '*/tests/*' -not -path '*/benches/*' -not -path 'crates/fuzz/*' 2>/dev/null) Cargo.toml $(wildcard Cargo.lock)

.PHONY: help
help: ## list the targets
	@echo "Rewear: replays real workloads on modelled flash drives."
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: build
build: $(VENV)/.built ## build everything; leaves the command at .venv/bin/rewear

# Builds the extension and installs what draws pages: no cluster, no recorder, no plugin for nbdkit.
.PHONY: demo
demo: $(VENV)/.core ## ask which drive a recorded workload needs; prints the answer and writes a page
	@echo "Asking which drive $(TRACE) needs .."; begun=$$SECONDS; \
	$(REWEAR) advise $(TRACE) --html $(DEMO_PAGE); \
	echo "$(abspath $(DEMO_PAGE)), after $$((SECONDS - begun)) s"

# What serving a drive needs beside the project: programs, and the Debian packages that carry them.
SERVE_TOOLS := nbdkit nbdcopy nbdfuse fusermount3 mkfs.ext4 losetup git
SERVE_PACKAGES := nbdkit libnbd-bin fuse3 e2fsprogs mount git

# What else the tests want: a browser that draws the pages.
TEST_TOOLS := chromium
TEST_PACKAGES := chromium

# What runs a virtual machine on a live drive, and where Debian's kernel for one is unpacked.
GUEST_TOOLS := qemu-system-x86_64 busybox fio mke2fs mkfs.xfs nvme smartctl
GUEST_PACKAGES := --no-install-recommends qemu-system-x86 busybox-static fio e2fsprogs xfsprogs nvme-cli smartmontools
GUEST_KERNEL := out/guest/kernel

# $(call install,programs,Debian packages,what for): installs what is missing where that is possible, and says in one line what is
# missing where it is not. What needs it then says so, too, or is skipped.
define install
@missing=; for tool in $(1); do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
if test -n "$$missing" && test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	{ apt-get install -y -qq $(2) || { apt-get update -qq && apt-get install -y -qq $(2); }; } >/dev/null 2>&1 \
		|| echo "rewear: apt-get could not install $(2)" >&2; \
elif test -n "$$missing"; then \
	echo "rewear: $(3) install$$missing, on Debian: apt-get install $(2)" >&2; \
fi
endef

.PHONY: serve-tools
serve-tools:
	$(call install,$(SERVE_TOOLS),$(SERVE_PACKAGES),to serve drives)

# The kernel's package is unpacked and not installed: it is for the guest.
.PHONY: guest-tools
guest-tools:
	$(call install,$(GUEST_TOOLS),$(GUEST_PACKAGES),to run a virtual machine)
	@if test ! -d $(GUEST_KERNEL) && command -v apt-get >/dev/null && test "$$(dpkg --print-architecture)" = amd64; then \
		package=$$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p'); \
		fresh=$$(mktemp -d); chmod 755 $$fresh; \
		if (cd $$fresh && apt-get download -qq $$package >/dev/null 2>&1 && dpkg-deb -x $$package*.deb kernel); then \
			mkdir -p $(dir $(GUEST_KERNEL)) && mv $$fresh/kernel $(GUEST_KERNEL); \
		else echo "rewear: apt-get could not download a kernel for the virtual machine" >&2; fi; \
		rm -rf $$fresh; \
	fi

.PHONY: guest
guest: build guest-tools ## boot a virtual machine on a served drive; fio verifies, then ext4
	$(VENV)/bin/python experiments/studies/guest.py

.PHONY: guest-nvme
guest-nvme: build guest-tools ## boot a virtual machine that attaches a served drive over NVMe/TCP
	$(VENV)/bin/python experiments/studies/guest_nvme.py

.PHONY: guest-cache
guest-cache: build guest-tools ## a flash cache in a virtual machine, with and without placement identifiers
	$(VENV)/bin/python experiments/studies/guest_cache.py

.PHONY: guest-power
guest-power: build guest-tools ## kill the server of a virtual machine's NVMe drive while it writes; fio verifies, then xfs
	$(VENV)/bin/python experiments/studies/guest_power.py

.PHONY: test-tools
test-tools: serve-tools
	$(call install,$(TEST_TOOLS),$(TEST_PACKAGES),to test the pages in a browser)

.PHONY: serve-demo
serve-demo: build serve-tools ## serve a drive, work on it with ext4, SQLite and git, show what it cost
	$(VENV)/bin/python experiments/studies/serve_demo.py

# The tests take what `make build` left. If that is missing or older than the sources, they build in the profile of the Rust
# tests: that is faster, and compiles the crates once. The marks of the release build go, so that others build it again.
.PHONY: tested-build
tested-build:
	@$(MAKE) --question $(VENV)/.built 2>/dev/null || $(MAKE) --no-print-directory $(VENV)/.built-for-tests

# Both at once, so that no core waits: packages are installed while crates compile, and Python's tests run beside Rust's. Each
# half prints when it ends; if one fails, the other still ends.
.PHONY: test
test: test-tools ## run all tests, of the crates and of the Python package
	@$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target test-crates test-package

.PHONY: test-crates
test-crates:
	MAKEFLAGS= PROPTEST_RNG_SEED=$(SEED) cargo test --workspace --no-fail-fast --quiet

# Two calls of make, because two of pip would meet in one environment. Workers get neighbouring tests, so that what a file
# prepares is prepared once and not by every worker.
.PHONY: test-package
test-package:
	@$(MAKE) --no-print-directory tested-build
	@$(MAKE) --no-print-directory $(VENV)/.tools
	$(VENV)/bin/pytest --numprocesses auto --dist worksteal

# Variables: UPDATE=1 writes the hashes anew; KEEP=FOLDER keeps the reports, AGAINST=FOLDER names the fields that differ from kept
# ones; ONLY=TEXT takes the configurations whose name contains it.
.PHONY: reports
reports: ## compare the reports of a fixed list of configurations with those of before (UPDATE=1 KEEP= AGAINST= ONLY=)
	REPORTS_UPDATE="$(UPDATE)" REPORTS_KEEP="$(abspath $(KEEP))" REPORTS_AGAINST="$(abspath $(AGAINST))" REPORTS_ONLY="$(ONLY)" \
		cargo test --quiet --package rewear-sim --test all -- --ignored --nocapture \
		--exact fixed_reports::the_list_reports_what_it_always_did

# LIVES_ONLY=TEXT takes the schemes and workloads whose names contain it, e.g. "lx hot-cold".
LIVES_ONLY ?=

.PHONY: lives
lives: ## compare lives extrapolated with lives followed to the last block; prints the table of errors
	LIVES_ONLY="$(LIVES_ONLY)" cargo test --quiet --package rewear-sim --test all -- --ignored --nocapture --exact life::all_lives

.PHONY: instructions
instructions: ## count the instructions of a request, by scheme (UPDATE=1 writes what later counts are compared with; MISSES=1 counts cache misses)
	$(call install,valgrind,valgrind,to count instructions)
	cargo bench --quiet --package rewear-sim --bench instructions -- $(if $(filter 1,$(MISSES)),misses,$(if $(filter 1,$(UPDATE)),update))

# Power cuts over all schemes: how many, from which seed on, on how many threads, on which drives (a part of the name);
# RESUME=1 goes on where an earlier run ended.
CUTS ?= 1000000
JOBS ?=
DRIVE ?=
TORTURE_DONE := target/torture.tsv

.PHONY: torture
torture: ## cut the power of tiny drives CUTS times; prints what repeats a failure
	@mkdir -p target
	@test -n "$(RESUME)" || rm -f $(TORTURE_DONE)
	REWEAR_CUTS=$(CUTS) REWEAR_SEED=$(if $(filter file,$(origin SEED)),10,$(SEED)) REWEAR_JOBS=$(JOBS) REWEAR_DRIVE='$(DRIVE)' \
		REWEAR_DONE=$(abspath $(TORTURE_DONE)) cargo test --quiet --package rewear-ftl --test all -- \
		--ignored --nocapture --exact power_cuts::many_workloads_survive_every_cut

# Busy processes beside which the tests are run to show that none depends on time.
BUSY ?= 8

.PHONY: test-under-load
test-under-load: build test-tools $(VENV)/.tools ## run all tests beside busy processes (BUSY=8)
	@busy=; trap 'kill $$busy 2>/dev/null || true' EXIT; \
	for _ in $$(seq $(BUSY)); do $(VENV)/bin/python -c 'while True: pass' & busy="$$busy $$!"; done; \
	$(MAKE) test

.PHONY: lint
lint: build $(VENV)/.tools ## check format, lints, types and words (STYLE.md)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(VENV)/bin/ruff check $(PYTHON_SOURCES)
	$(VENV)/bin/ruff format --check $(PYTHON_SOURCES)
	$(VENV)/bin/mypy
	$(VENV)/bin/python docs/check_words.py

.PHONY: format
format: $(VENV)/.tools ## format all sources
	cargo fmt --all
	$(VENV)/bin/ruff format $(PYTHON_SOURCES)
	$(VENV)/bin/ruff check --fix $(PYTHON_SOURCES)

.PHONY: bench
bench: build $(VENV)/.tools ## run the benchmarks; leaves their figures in target/bench.json
	@mkdir -p target
	for bench in $(BENCHES); do cargo bench --quiet --bench $$bench -- large; done | tee target/bench.lines
	@{ echo '['; grep '^{' target/bench.lines | sed '$$!s/$$/,/'; echo ']'; } > target/bench.json
	@echo "$(abspath target/bench.json)"

# Executions of all fuzz targets together, and where inputs that fail are kept. Coverage counters are an option of the stable compiler.
EXECUTIONS ?= 1e6
FUZZ_FOLDER ?= out/fuzz
FUZZ_TARGETS ?=
FUZZ_HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
FUZZ_FLAGS := --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares

.PHONY: fuzz
fuzz: build serve-tools ## fuzz decoders, readers and descriptions: make fuzz EXECUTIONS=1e8 SEED=1
	cd crates/fuzz && RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --release --quiet --target $(FUZZ_HOST) --target-dir ../../target/fuzz
	$(VENV)/bin/python crates/fuzz/campaign.py target/fuzz/$(FUZZ_HOST)/release --executions $(EXECUTIONS) --seed $(SEED) \
		--folder $(FUZZ_FOLDER) $(if $(FUZZ_TARGETS),--targets $(FUZZ_TARGETS))

.PHONY: docs
docs: build ## write the documentation that is generated: parameters, presets, workloads, figures, the README's table
	mkdir -p docs
	$(VENV)/bin/python docs/reference_pages.py
	$(VENV)/bin/python docs/man_page.py
	$(VENV)/bin/python experiments/studies/readme_table.py
	$(VENV)/bin/python experiments/studies/answer_picture.py

.PHONY: site
site: build $(VENV)/.docs ## build the manual with the references of Python and Rust in out/site; every link is checked
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --workspace --no-deps --exclude rewear-python
	rm -rf out/site/rust && cp -r target/doc out/site/rust
	$(VENV)/bin/python docs/check_site.py out/site
	@echo "$(abspath out/site/index.html)"

# The wheel is built from the source distribution, so both are tested; what is installed sees no Rust. Files are unpacked with the present
# time: those of the archive are older than what cargo has built before, and it would take them for unchanged.
DIST := out/dist
.PHONY: dist
dist: build serve-tools ## build the source distribution and the wheel, and test them in fresh environments
	rm -rf $(DIST)
	$(VENV)/bin/python -m ensurepip >/dev/null
	PATH="$(abspath $(VENV))/bin:$$PATH" python -c 'import build_backend, os; os.makedirs("$(DIST)"); build_backend.build_sdist("$(DIST)")'
	unpacked=$$(mktemp -d); trap 'rm -rf $$unpacked' EXIT; \
	tar --touch --strip-components 1 --directory $$unpacked -xf $(DIST)/rewear-*.tar.gz; \
	PATH="$(abspath $(VENV))/bin:$$PATH" CARGO_TARGET_DIR=$(abspath target) python -m pip wheel --quiet --no-deps --no-build-isolation \
		--wheel-dir $(DIST) $$unpacked
	$(VENV)/bin/python tests/check_dist.py $(DIST)/rewear-*.whl
	cargo package --quiet --allow-dirty --package rewear-codes --package rewear-trace --package rewear-flash --package rewear-ftl

.PHONY: reproduce
reproduce: build ## run the papers' experiments; writes docs/reproduction/index.md
	$(REWEAR) reproduce --markdown docs/reproduction/index.md

.PHONY: clean
clean: ## remove everything that was built
	rm -rf target out $(VENV)

# $(call quietly,what,command): a line for each step, with its seconds. What the command prints is shown if it fails.
define quietly
@echo "$(1) .."; mkdir -p $(VENV); begun=$$SECONDS; \
$(2) >$(VENV)/install.log 2>&1 || { cat $(VENV)/install.log >&2; echo "rewear: this failed: $(1)" >&2; exit 1; }; \
echo "$(1): $$((SECONDS - begun)) s"
endef

# uv installs in seconds; without it the pip of the environment does.
UV := $(shell command -v uv 2>/dev/null)
ifneq ($(UV),)
PIP_INSTALL := $(UV) pip install --python $(VENV)/bin/python
MATURIN_UV := --uv
else
PIP_INSTALL := $(VENV)/bin/pip install --disable-pip-version-check
endif

# The first Python that is new enough and can make virtual environments.
$(VENV)/.created:
	@command -v cargo >/dev/null || { echo "rewear: cargo is missing. Install Rust 1.95 or newer, see rustup.rs." >&2; exit 1; }
	@command -v cc >/dev/null || { echo "rewear: a C compiler is missing. Install one, on Debian: apt install gcc libc6-dev." >&2; exit 1; }
	@python=; for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
		if $$candidate -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			python=$$candidate; break; \
		fi; \
	done; \
	test -n "$$python" || { echo "rewear: Python 3.11 or newer with venv is missing. Install it, on Debian: apt install python3 python3-venv." >&2; exit 1; }; \
	$$python -m venv $(if $(UV),--without-pip) $(VENV)
	$(call quietly,Installing the build tools (maturin),$(PIP_INSTALL) --upgrade $(if $(UV),,'pip>=25.1') 'maturin>=1.9$(comma)<2')
	@touch $@

$(VENV)/.core: $(VENV)/.created pyproject.toml build_backend.py $(CORE_SOURCES)
	$(call quietly,Compiling Rewear and installing what draws pages (some minutes),VIRTUAL_ENV=$(abspath $(VENV)) $(VENV)/bin/maturin develop $(MATURIN_UV) --release --no-default-features --extras plots)
	@touch $@

# With the recorder. After a demo the extension alone is compiled again.
$(VENV)/.built: $(VENV)/.created pyproject.toml build_backend.py $(CORE_SOURCES)
	$(call quietly,Compiling Rewear and installing what sweeps and twins need (some minutes),VIRTUAL_ENV=$(abspath $(VENV)) $(VENV)/bin/maturin develop $(MATURIN_UV) --release --extras cluster$(comma)parquet$(comma)plots$(comma)twins)
	$(call quietly,Building the plugin for nbdkit,$(VENV)/bin/python build_backend.py stage-plugin)
	@touch $(VENV)/.core $@

$(VENV)/.built-for-tests: $(VENV)/.created pyproject.toml build_backend.py $(CORE_SOURCES)
	@rm -f $(VENV)/.core $(VENV)/.built
	$(call quietly,Compiling Rewear in the profile of the tests (some minutes),VIRTUAL_ENV=$(abspath $(VENV)) $(VENV)/bin/maturin develop $(MATURIN_UV) --extras cluster$(comma)parquet$(comma)plots$(comma)twins)
	$(call quietly,Building the plugin for nbdkit,$(VENV)/bin/python build_backend.py stage-plugin --profile dev)
	@touch $@

$(VENV)/.tools: $(VENV)/.created pyproject.toml
	$(call quietly,Installing the tools of the tests,$(PIP_INSTALL) --group test)
	@touch $@

$(VENV)/.docs: $(VENV)/.created pyproject.toml
	$(call quietly,Installing the tools of the site,$(PIP_INSTALL) --group docs)
	@touch $@
