# Every target is one line; what it does is in scripts/.
.DEFAULT_GOAL := help
.PHONY: help bootstrap build release install uninstall deb demo test test-all test-packages check format sanitize fuzz mutate coverage soak bench fixtures proto clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' Makefile | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'
bootstrap: ## install what is missing from Debian to build and test
	@scripts/bootstrap --test
build: ## build everything for debugging
	@scripts/build debug
release: ## build engined, enginectl and engined-mpris optimised
	@scripts/build release
install: release ## install programs, manual, units and completions below PREFIX=/usr/local (DESTDIR= stages)
	@scripts/install install
uninstall: ## remove what install put there
	@scripts/install remove
deb: ## build the Debian packages in a clean root, into .build/deb/packages
	@scripts/deb
demo: ## play a film (MEDIA=FILE, or a generated clip) through the engine
	@scripts/demo
test: ## what to run before landing: checks, unit tests, each real client (TESTS=unit: no clients)
	@scripts/test
test-all: ## everything: full matrices, all samples, sanitizers, fuzzing, mutants, soak
	@scripts/test --all
test-packages: ## build the packages twice, install them in fresh roots, boot one, build the container
	@scripts/test-packages
check: ## lint, layout, dependency direction, fences, generated code, links
	@scripts/check
format: ## rewrite the Swift sources in house style
	@scripts/format
sanitize: ## unit tests under the thread and the address sanitizer
	@scripts/sanitize
fuzz: ## every parser under libFuzzer for a minute (FUZZ_SECONDS=600 for ten)
	@scripts/fuzz --seconds $(or $(FUZZ_SECONDS),60)
mutate: ## break one rule of the code at a time and see which tests notice
	@scripts/mutate
coverage: ## lines covered by the tests, by file
	@scripts/coverage
soak: ## two films played at random for SOAK_MINUTES=30, then a live stream for SOAK_LIVE_MINUTES=30: no leak, no drift, no lost event (SEED= repeats, SOAK_KILLS=1 kills the engine)
	@scripts/soak
bench: ## one table of ratios against ffmpeg, nginx and mpv (BENCH_SECONDS=300 for a small run)
	@scripts/bench
fixtures: ## generate the clips the tests play, into .build/fixtures
	@scripts/fixtures
proto: ## regenerate from Proto the messages in C and in Swift
	@scripts/generate-proto
clean: ## remove what was built
	@scripts/clean
