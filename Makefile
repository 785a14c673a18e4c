# The commands of Suncellar; `make` alone lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
export CARGO_TARGET_DIR := $(CURDIR)/target

# Folders are in it too: their time changes when a file in them is added or removed.
web_sources := $(shell find web docs/guide -mindepth 1 \( -name node_modules -o -name dist -o -name test-results -o -name e2e \) -prune -o -print)

.PHONY: help run build test lint format soak fuzz release reproducible deb image sbom bench clean packages web openapi

help: ## list these commands
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

run: build ## build and start the demo on http://localhost:8080
	target/debug/suncellar demo $(ARGS)

build: web ## build the web app and the server
	cargo build --workspace

test: ## run everything that CI runs
	@scripts/test

lint: packages ## check format and style, run no tests
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cd web && npm run lint && npm run typecheck
	scripts/check-lockfiles
	scripts/check-dependencies
	scripts/check-monitoring --names

format: packages ## rewrite sources in the common format
	cargo fmt --all
	cd web && npm run format

soak: web ## run the long fault and fuzz tests
	scripts/soak

fuzz: ## search for inputs that break the parsers, a minute each
	scripts/fuzz

release: ## build what is shipped, with checksums, into target/dist
	scripts/release

reproducible: ## build the release twice and compare, bit by bit
	scripts/reproducible

deb: ## build the Debian package, with the release if there is none, into target/dist
	scripts/deb

image: ## build the container image, with the release if there is none, into target/dist
	scripts/image

sbom: ## write the bill of materials (CycloneDX)
	scripts/sbom

bench: ## measure against peers, in one run
	bench/run

openapi: build ## write the API's description and the browser's client from the server
	target/debug/suncellar openapi > web/openapi.json.new && mv web/openapi.json.new web/openapi.json
	cd web && npm run api

clean: ## remove everything that was built or installed here
	rm -rf target web/dist web/node_modules web/test-results

packages: web/node_modules/.installed
web: web/dist/index.html

web/node_modules/.installed: web/package-lock.json
	scripts/check-lockfiles
	cd web && npm ci
	touch $@

web/dist/index.html: web/node_modules/.installed $(web_sources)
	cd web && npm run build
	touch $@
