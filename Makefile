# The front door. `make run` and `make test` are all a fresh Debian machine with Swift needs.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.PHONY: run build test test-build unit wire wire-tools wire-fuzz wire-services boringssl lint format bench soak fuzz sanitize mutants docc docs example release
.PHONY: types toolchain deps lintdeps testdeps servicedeps clientdeps pagedeps clean help client-test hunt-test page-test suites
.PHONY: deb tarball wheel static-build package-tools package-test

SWIFT ?= swift
# The program that is packaged needs no toolchain where it runs: RELEASE_FLAGS=--static-swift-stdlib.
RELEASE := -c release $(RELEASE_FLAGS)
# Where the release build lies.
RELEASE_FOLDER ?= .build
# One build for all tests, the program among them: optimized, as users have it, with what tests need of the modules, and
# without debug information. Package.swift knows PUSHPIT_QUICK_TESTS: what only tests is not optimized. The compiler does
# not check its own work, the LLVM code that it makes: that changes nothing of the program, and takes seconds.
TESTS_FOLDER ?= .build-tests
TEST_FLAGS := -c release --scratch-path $(TESTS_FOLDER) -debug-info-format none -Xswiftc -enable-testing \
  -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify
TEST_SWIFT = PUSHPIT_QUICK_TESTS=1 $(SWIFT)
TEST_PROGRAM = $(abspath $(or $(PUSHPIT_BINARY),$(TESTS_FOLDER)/release/pushpit))
# Wire tests wait more than they compute: two workers more than there are cores.
WORKERS ?= $(shell expr $$(nproc) + 2)
# Python keeps what it compiled, whatever the environment says: otherwise each worker of each stage would do it anew.
PYTEST ?= PYTHONDONTWRITEBYTECODE= .venv/bin/python -m pytest -n $(WORKERS) --dist loadfile
CLIENT_BINARY = $(abspath $(or $(PUSHPIT_BINARY),$(RELEASE_FOLDER)/release/pushpit))
TYPES_BINARY = $(abspath $(or $(PUSHPIT_BINARY),.build/debug/pushpit))
RUFF ?= .venv/bin/ruff
SHELL_SCRIPTS := .ci/run scripts/install-packages scripts/make-venv scripts/openapi scripts/release scripts/docc $(shell git ls-files '*.sh')

help:            ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -ts "$$(printf '\t')"

run: build       ## install what is missing, build, start Pushpit
	@exec $(RELEASE_FOLDER)/release/pushpit serve $(ARGS)

build: toolchain deps  ## the release build
	@[ -x $(RELEASE_FOLDER)/release/pushpit ] || \
	  echo "Building Pushpit. The first build takes three to five minutes on two cores, later ones less." >&2
	$(SWIFT) build $(RELEASE) --scratch-path $(RELEASE_FOLDER) --product pushpit

# Unit and wire tests side by side, because wire tests wait more than they compute.
test: test-build testdeps  ## rules and units, and the real program against real clients
	@$(MAKE) -j 2 -Oline -o test-build -o testdeps unit wire
	@$(MAKE) -o test-build -o testdeps wire-tools

test-build: toolchain deps
	@[ -x $(TESTS_FOLDER)/release/pushpit ] || \
	  echo "Building Pushpit and its tests. The first build takes five to six minutes on two cores." >&2
	$(TEST_SWIFT) build --build-tests $(TEST_FLAGS)

unit: test-build testdeps
	$(TEST_SWIFT) test --skip-build $(TEST_FLAGS)

wire: testdeps $(if $(PUSHPIT_BINARY),,test-build)
	Tests/WireTests/setup.sh
	PUSHPIT_BINARY="$(TEST_PROGRAM)" $(PYTEST) Tests/WireTests -m "not fuzz and not tools"

wire-tools: testdeps $(if $(PUSHPIT_BINARY),,test-build)  ## wire tests of commands, cells, keys, resumed tapes, guides and newer failure modes
	Tests/WireTests/setup.sh
	PUSHPIT_BINARY="$(TEST_PROGRAM)" $(PYTEST) Tests/WireTests -m tools

wire-fuzz: testdeps $(if $(PUSHPIT_BINARY),,test-build)  ## requests to the admin API made from its OpenAPI document: a minute
	Tests/WireTests/setup.sh requirements-fuzz.txt
	PUSHPIT_BINARY="$(TEST_PROGRAM)" $(PYTEST) Tests/WireTests -m fuzz --dist load

wire-services: testdeps servicedeps boringssl $(if $(PUSHPIT_BINARY),,test-build)  ## the program with HAProxy, Prometheus, systemd, web frameworks and a client on BoringSSL
	Tests/WireTests/setup.sh requirements-services.txt
	PUSHPIT_BINARY="$(TEST_PROGRAM)" $(PYTEST) Tests/WireTests/services

client-test: clientdeps $(if $(PUSHPIT_BINARY),,build)  ## the client libraries, and the examples for Go and Java, against the program; PUSHPIT_BINARY=FILE builds nothing
	Clients/setup.sh
	cd Clients/python && ../../.venv-clients/bin/mypy
	cd Clients/python && PUSHPIT_BINARY="$(CLIENT_BINARY)" ../../.venv-clients/bin/python -m pytest -n $(WORKERS) --ignore tests/test_hunt.py
	PUSHPIT_BINARY="$(CLIENT_BINARY)" node --test $(filter-out %/hunt.test.js,$(wildcard Clients/node/test/*.test.js))

hunt-test: clientdeps $(if $(PUSHPIT_BINARY),,build)  ## hunts with tests and real backends: minutes
	Clients/setup.sh
	cd Clients/python && PUSHPIT_BINARY="$(CLIENT_BINARY)" ../../.venv-clients/bin/python -m pytest tests/test_hunt.py
	PUSHPIT_BINARY="$(CLIENT_BINARY)" node --test Clients/node/test/hunt.test.js

page-test: pagedeps $(if $(PUSHPIT_BINARY),,build)  ## the page in a real browser; PUSHPIT_BINARY=FILE builds nothing; pictures in Tests/PageTests/out
	Tests/PageTests/setup.sh
	PUSHPIT_BINARY="$(CLIENT_BINARY)" .venv-page/bin/python -m pytest Tests/PageTests

# For CI: one after the other.
suites: clientdeps pagedeps $(if $(PUSHPIT_BINARY),,build)
	$(MAKE) client-test PUSHPIT_BINARY="$(CLIENT_BINARY)"
	$(MAKE) page-test PUSHPIT_BINARY="$(CLIENT_BINARY)"

# The program of the packages: PUSHPIT_BINARY, or a build of its own, because other builds have other flags.
PACKAGE_BINARY = $(abspath $(or $(PUSHPIT_BINARY),.build-static/release/pushpit))
PACKAGE_BUILD := $(if $(PUSHPIT_BINARY),,static-build)
PACKAGE = .venv-packages/bin/python Packaging/package.py

deb tarball wheel: package-tools $(PACKAGE_BUILD)
	$(PACKAGE) $@ --binary "$(PACKAGE_BINARY)"

deb:             ## a Debian package in dist/; PUSHPIT_BINARY=FILE builds nothing
tarball:         ## program and C libraries for any Linux with glibc 2.36 or later, in dist/
wheel:           ## program, client and pytest plugin for `pip install`, in dist/

static-build:
	$(MAKE) build RELEASE_FOLDER=.build-static RELEASE_FLAGS=--static-swift-stdlib

package-tools:
	@scripts/install-packages python3 python3-venv binutils debhelper dpkg-dev
	@Packaging/setup.sh

package-test: package-tools $(PACKAGE_BUILD)  ## packages and image: made, installed in fresh roots, and used
	@scripts/install-packages mmdebstrap buildah iproute2 lintian man-db zsh fish
	PUSHPIT_BINARY="$(PACKAGE_BINARY)" .venv-packages/bin/python -m pytest Tests/PackageTests

# Minutes at first, kept in ~/.cache/pushpit. Where its packages cannot be had, the tests that want it say so.
boringssl:
	-SWIFT="$(SWIFT)" Tests/BoringSSLClient/build.sh

lint: lintdeps   ## check Swift, Python and shell scripts as CI does; builds nothing
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks
	$(RUFF) check
	$(RUFF) format --check
	scripts/mutants --check
	scripts/sentences
	@if command -v shellcheck >/dev/null; then shellcheck $(SHELL_SCRIPTS); \
	elif [ -n "$${CI:-}" ]; then echo "shellcheck is missing" >&2; exit 1; \
	else echo "Shell scripts are not checked: shellcheck is not installed." >&2; fi

# The program is the debug build of `swift build --product pushpit`, or PUSHPIT_BINARY.
types: testdeps  ## the schema of scenarios, the OpenAPI document, docs/settings.md and the types of the libraries, from the program
	Tests/WireTests/setup.sh
	"$(TYPES_BINARY)" check --schema > Scenarios/scenario.schema.json
	"$(TYPES_BINARY)" settings --markdown > docs/settings.md
	PUSHPIT_BINARY="$(TYPES_BINARY)" scripts/openapi
	for script in Clients/python/generate.py scripts/node-types scripts/swift-types; do PUSHPIT_BINARY="$(TYPES_BINARY)" .venv/bin/python $$script; done

format: lintdeps ## format Swift and Python
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks
	$(RUFF) check --select I --fix
	$(RUFF) format

# ruff is one of the pinned packages of the wire tests' environment.
lintdeps:
	@scripts/install-packages python3 python3-venv
	@Tests/WireTests/setup.sh

bench: build testdeps  ## measure against nghttpd, side by side
	Tests/WireTests/setup.sh
	Benchmarks/run.sh

soak: build testdeps  ## ten minutes of mixed load: memory, descriptors and latency must stay flat; ARGS="--minutes 3" for less
	Tests/WireTests/setup.sh
	.venv/bin/python Benchmarks/soak.py $(ARGS)

fuzz: deps       ## feed random bytes to every reader; SECONDS=60 for each, TARGETS="tape admin" for some
	SECONDS_EACH=$(or $(SECONDS),60) Tests/fuzz.sh $(TARGETS)

sanitize: deps testdeps  ## unit tests and a load under the address and the thread sanitizer; KIND=thread for one of them
	for kind in $(or $(KIND),address thread); do Tests/Sanitizers/run.sh $$kind; done

mutants: deps testdeps  ## check that the tests notice fifty changes of meaning; ARGS="--only 7,12" for some of them
	scripts/mutants $(ARGS)

docc: deps       ## the documentation of the libraries as sites, in .build/docc
	SWIFT="$(SWIFT)" PUSHPIT_QUICK_TESTS=1 scripts/docc $(TEST_FLAGS)

example: build  ## a cricket backend plays a whole match with 500 phones; ARGS="--overs 5" for a short one
	@scripts/install-packages python3 python3-venv
	Examples/cricket/run.sh $(ARGS)

docs:            ## guides, reference and the admin API as a site with search, in .build/site; broken links fail
	@scripts/install-packages python3 python3-venv
	@scripts/site/setup.sh
	.venv-docs/bin/python scripts/site/collect.py
	PYTHONPATH=scripts/site .venv-docs/bin/mkdocs build --strict --config-file scripts/site/mkdocs.yml
	@echo "The site is .build/site/index.html. For its search, serve it: python3 -m http.server -b 127.0.0.1 -d .build/site"

release:         ## VERSION=0.2.0: check, test, set the version, commit, tag and pack the sources; pushes nothing
	@scripts/release "$(VERSION)"

toolchain:
	@command -v $(firstword $(SWIFT)) >/dev/null || \
	  { echo "There is no Swift: install 6.2 or later, see https://www.swift.org/install/linux/" >&2; exit 1; }

deps:
	@scripts/install-packages libnghttp2-dev libssl-dev libevent-dev libsimdjson-dev libcurl4-openssl-dev libsqlite3-dev pkg-config

testdeps:
	@scripts/install-packages curl openssl nghttp2-client nghttp2-server sqlite3 python3 python3-venv

servicedeps:
	@scripts/install-packages prometheus systemd haproxy golang-go node-express

clientdeps:
	@scripts/install-packages python3 python3-venv
	@command -v node >/dev/null || scripts/install-packages nodejs
	@command -v tsc >/dev/null || scripts/install-packages node-typescript
	@command -v go >/dev/null || scripts/install-packages golang-go
	@command -v javac >/dev/null || scripts/install-packages openjdk-17-jdk-headless

pagedeps:
	@scripts/install-packages python3 python3-venv chromium chromium-driver fonts-dejavu-core nghttp2-client

clean:           ## delete what was built
	rm -rf .build .build-tests .build-release .build-fuzz .build-asan .build-tsan .build-mutants .build-static .build-package \
		.venv .venv-clients .venv-example .venv-page .venv-packages .venv-docs Tests/PageTests/out
