# All targets run without a terminal and without standard input. `make help` lists them.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help

# Where golangci-lint, gofumpt, gci and govulncheck are built.
BIN := $(CURDIR)/bin

# The modules of go.work. Lazy, so that `make help` does not start go.
MODULES = $(shell go list -m -f '{{.Dir}}')

# The race detector needs a C compiler. Lazy, because `setup` may bring one.
RACE = $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# Whoever starts make may have some signals ignored (nohup, a job in the background), and
# all that it starts would inherit that: also the commands to which tests send them.
ALL_SIGNALS := $(shell env --default-signal=HUP,INT,QUIT true 2>/dev/null && echo env --default-signal=HUP,INT,QUIT)

GO_TEST = $(ALL_SIGNALS) go test -shuffle=on -timeout=20m

# Schedules of the simulation: the race detector makes each about 20 times dearer.
SEEDS      ?= 10000
RACE_SEEDS ?= 500
FUZZTIME   ?= 10s

# Which benchmarks bench-report runs.
BENCH ?= .

# Runs on real servers, each of half a minute.
RUNS ?= $(if $(SEED),1,10)

##@ Every day

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: test
test: setup check race sim ## Everything CI runs: check, race, and 10,000 schedules of the simulation.

.PHONY: check
check: vet lint tidy-check systems ## What needs no test to run: vet, lint and format, tidy modules, all systems.

.PHONY: race
race: setup ## All tests of all modules, shuffled, with the race detector.
	HOLDGATE_SEEDS=$(RACE_SEEDS) $(GO_TEST) $(RACE) work

.PHONY: sim
sim: ## Simulate SEEDS=10000 schedules, or replay one: make sim SEED=x.
	@go test -list='^TestSimulation$$' ./internal/simulation | grep -x TestSimulation >/dev/null || { echo 'there is no TestSimulation' >&2; exit 1; }
	HOLDGATE_SEEDS=$(SEEDS) HOLDGATE_SEED=$(SEED) go test -count=1 -timeout=20m -run='^TestSimulation$$' $(if $(SEED),-v) ./internal/simulation

.PHONY: fmt
fmt: $(BIN)/golangci-lint ## Format all Go files.
	@for dir in $(MODULES); do (cd $$dir && $(BIN)/golangci-lint fmt); done

.PHONY: tidy
tidy: ## Tidy every go.mod and go.sum.
	GOWORK=off go run -C tools ./tidy

##@ Now and then

.PHONY: chaos
chaos: ## Processes on real servers while these are killed and cut off: RUNS=10 times on each store, or STORE=zk; one plan again: SEED=x.
	HOLDGATE_CHAOS_RUNS=$(RUNS) HOLDGATE_CHAOS_SEED=$(SEED) HOLDGATE_CHAOS_STORE=$(STORE) \
	  $(ALL_SIGNALS) go test -count=1 -timeout=12h -v $(if $(SEED),-run='^TestChaos$$') ./test/chaos

.PHONY: soak
soak: setup ## The long scenarios at full size on every store.
	HOLDGATE_SOAK=1 HOLDGATE_SEEDS=$(SEEDS) $(GO_TEST) -timeout=3h -v work

.PHONY: bench
bench: setup ## Measure, and print a table beside what must be reached.
	go run ./test/bench

.PHONY: bench-report
bench-report: setup ## The same, or a part of it: BENCH=Redis, and write it into docs/performance.md.
	go run ./test/bench -docs docs -bench '$(BENCH)'

.PHONY: bench-docs
bench-docs: ## Write docs/performance.md again from the numbers that are kept.
	go run ./test/bench -docs docs -again

.PHONY: screenshots
screenshots: ## Make the pictures of docs/dashboard.md anew, in a browser.
	HOLDGATE_REQUIRE_STORES=1 HOLDGATE_SCREENSHOTS=$(CURDIR)/docs/dashboard go test -count=1 -run='^TestScreenshots$$' ./test/dashboard

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME=10s.
	FUZZTIME=$(FUZZTIME) scripts/fuzz

.PHONY: vuln
vuln: $(BIN)/govulncheck ## Look for known vulnerabilities; needs the network.
	@for dir in $(MODULES); do (cd $$dir && $(BIN)/govulncheck ./...); done

##@ Parts of the above

.PHONY: setup
setup: ## Install what the tests need beside Go, or say what is missing.
	@scripts/setup

.PHONY: vet
vet: ## go vet on all modules.
	go vet work

.PHONY: lint
lint: $(BIN)/golangci-lint ## golangci-lint, formatters included, module by module.
	@failed=; for dir in $(MODULES); do (cd $$dir && $(BIN)/golangci-lint run) || failed=1; done; [ -z "$$failed" ]

.PHONY: tidy-check
tidy-check:
	GOWORK=off go test -C tools ./tidy
	GOWORK=off go run -C tools ./tidy -check

# One platform of each system: each costs a build of the standard library and of every
# dependency.
.PHONY: systems
systems:
	scripts/verify linux/arm64 darwin/arm64 windows/amd64

.PHONY: verify
verify: ## Build and vet for linux, darwin and windows, amd64 and arm64.
	scripts/verify

$(BIN)/%: tools/go.mod tools/go.sum
	@echo 'building the tools pinned in tools/go.mod: minutes, once'
	@GOWORK=off go build -C tools -o $(BIN)/ tool
	@touch $(BIN)/*
