# `make` lists the targets. Everything runs in .venv, which is set up by itself once.

PYTHON ?= python3
READY := .venv/.ready
RUN := .venv/bin/python

# Values reach the shell through the environment, as they were typed: a path may hold spaces, quotes, $ and ~.
VALUES := KATA SUBMISSION TIER SEED DEVICE REVEAL FOR EXPLAIN JSON JUNIT ALLOW OPTIONS OUT ALL SEEDS SHARE
$(foreach name,$(VALUES),$(eval override $(name) := $$(value $(name))))
$(foreach name,EXPLAIN REVEAL ALL,$(if $(filter 0 no off false,$($(name))),$(eval override $(name) :=)))
export $(VALUES)
# A name that was mistyped would grade something else than what was meant.
KNOWN := $(VALUES) PYTHON READY RUN IN_PARALLEL SAMPLE FUZZ_EXAMPLES MAKEFLAGS SHELL
$(foreach name,$(filter-out $(KNOWN),$(.VARIABLES)),$(if $(filter command,$(origin $(name))),\
  $(error There is no variable $(name): make help lists those that there are)))
# Without compiled files every import of PyTorch would compile its 1,000 files again; the claims are docstrings.
# Without the current folder in Python's path there is no module grader; another Python's home is not that of .venv.
unexport PYTHONDONTWRITEBYTECODE PYTHONOPTIMIZE PYTHONSAFEPATH PYTHONHOME
MAKEFLAGS += --no-print-directory

TARGETS := help grade doctor reset notebook clean
# BEGIN HIDDEN
TARGETS += kit test test-deep attacks fuzz strength sweep bench list stubs readme
# END HIDDEN
.PHONY: $(TARGETS)
# make would grade all exercises first, and then say that nothing is to be done for the file.
$(foreach name,$(filter-out $(TARGETS) $(READY),$(MAKECMDGOALS)),\
  $(error There is no target $(name): make help lists those that there are; what to grade is named by KATA=$(name) or \
  SUBMISSION=$(name)))

help:
	@echo "make grade                      what is written in exercises/, a line each where they are several"
# BEGIN HIDDEN
	@echo "make grade KATA=scaffold        exercises/scaffold.py, in detail"
	@echo "make grade SUBMISSION=file.py   a .py or .ipynb file, a kit that came back, a folder or .zip file of them"
	@echo "     also: FOR=interviewer FOR=candidate EXPLAIN=1"
# END HIDDEN
	@echo "     also: TIER= SEED= REVEAL=all JSON=file JUNIT=file ALLOW=sdpa OPTIONS=--help"
	@echo "make doctor                     what this machine enforces against a submission"
	@echo "make reset                      the pristine stub back; the old text is kept in a .bak file"
# BEGIN HIDDEN
	@echo "     whose stub: KATA=scaffold"
# END HIDDEN
	@echo "make notebook                   JupyterLab on notebooks/"
# BEGIN HIDDEN
	@echo "make kit KATA=scaffold          kit-scaffold.zip for a candidate: stub, notebook, public checks; OUT=file.zip"
	@echo "make list                       the katas in teaching order"
	@echo "make stubs                      exercises/ and notebooks/ from solutions/"
	@echo "make readme                     the generated parts of README.md and CONTRIBUTING.md"
	@echo "make test                       the project's own tests, five minutes: all that changed, a sample of the rest"
	@echo "make test-deep                  all of them, 40 minutes"
	@echo "make attacks                    every hostile submission of tests/hostile/, and which wall stops it"
	@echo "make fuzz                       random bytes for the wire and the readers, five minutes of them"
	@echo "make strength                   wrong programs and mutants rejected, right ones accepted; what changed, ALL=1 all"
	@echo "make sweep SEEDS=200            the same verdicts with other seeds"
	@echo "make bench                      how long a cold run takes"
# END HIDDEN
	@echo "make clean                      .venv and caches away"

# Status 1 is a score below the full one: graded, so no error of make. OPTIONS is several words, of which none is a pattern.
# A file may be named like an option, such as one that writes a report over another file.
grade: $(READY)
	@set -f; case "$$SUBMISSION" in -*) SUBMISSION="./$$SUBMISSION";; esac; \
	  $(RUN) -m grader grade $${SUBMISSION:+"$$SUBMISSION"} $${KATA:+--kata "$$KATA"} $${TIER:+--tier "$$TIER"} \
	  $${SEED:+--seed "$$SEED"} $${DEVICE:+--device "$$DEVICE"} $${REVEAL:+--reveal "$$REVEAL"} \
	  $${FOR:+--for "$$FOR"} $${EXPLAIN:+--explain} \
	  $${JSON:+--json "$$JSON"} $${JUNIT:+--junit "$$JUNIT"} $${ALLOW:+--allow "$$ALLOW"} $$OPTIONS \
	  || { status=$$?; test $$status -eq 1 || exit $$status; }

# Status 1 is a protection that is missing: found, so no error of make.
doctor: $(READY)
	@$(RUN) -m grader doctor || { status=$$?; test $$status -eq 1 || exit $$status; }

reset: $(READY)
	@$(RUN) -m grader reset $${KATA:+"$$KATA"}

notebook: $(READY)
	@$(RUN) -m jupyter lab notebooks

# BEGIN HIDDEN
kit: $(READY)
	@$(RUN) -m grader kit $${KATA:+--kata "$$KATA"} $${OUT:+--out "$$OUT"}

list: $(READY)
	@$(RUN) -m grader list

stubs: $(READY)
	@$(RUN) -m grader stubs

readme: $(READY)
	@$(RUN) -m tests.readme_blocks

# Each process has a sandbox of its own, which has imported PyTorch: more than four take memory and gain little.
IN_PARALLEL := -n auto --maxprocesses 4 --dist worksteal

test: $(READY)
	@$(RUN) -m pytest $(IN_PARALLEL) -m "not deep"

test-deep: $(READY)
	@$(RUN) -m pytest $(IN_PARALLEL)

attacks: $(READY)
	@$(RUN) -m tests.attacks

fuzz: $(READY)
	@FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-5000} $(RUN) -m pytest tests/test_fuzz.py

strength: $(READY)
	@$(RUN) -m tests.strength $${KATA:+--kata "$$KATA"} $${ALL:+--all}
	@$(RUN) -m tests.readme_blocks

sweep: $(READY)
	@$(RUN) -m tests.sweep $${SEEDS:+--seeds "$$SEEDS"} $${SHARE:+--share "$$SHARE"}
	@$(RUN) -m tests.readme_blocks

bench: $(READY)
	@$(RUN) -m tests.bench
# END HIDDEN

clean:
	@rm -rf .venv .pytest_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.txt
	@"$(PYTHON)" -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed, and $(PYTHON) is $$("$(PYTHON)" --version 2>/dev/null || echo missing)." \
	       "Name a newer one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up .venv (once, a few minutes) ..." >&2
	@rm -f $@
	@$(RUN) -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear .venv || { \
	  echo "$(PYTHON) cannot make a virtual environment: install its venv module, then run make again." >&2; exit 1; }
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt || { \
	  echo "requirements.txt could not be installed: see pip's message above; check the network and the free" \
	       "space (5 GB), then run make again." >&2; exit 1; }
	@touch $@
