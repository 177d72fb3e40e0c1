# `make` lists the targets. What a kit can do too stands in grader/kit/Makefile.

VALUES := NAME LIKE DIR OUT ALL SEEDS SHARE
KNOWN := FUZZ_EXAMPLES IN_PARALLEL SAMPLE
TARGETS := grade-all kit kata check test test-deep attacks fuzz strength sweep bench list stubs readme
include grader/kit/Makefile

help::
	@echo
	@echo "make grade KATA=scaffold        exercises/scaffold.py, in detail; make reset KATA=scaffold: its stub back"
	@echo "make grade SUBMISSION=file.py   a .py or .ipynb file, a kit that came back, a folder or .zip file of them"
	@echo "     also: FOR=interviewer FOR=candidate EXPLAIN=1"
	@echo "make grade-all DIR=submissions OUT=graded    a stack: a report for each, scores.csv, a page on all; goes on"
	@echo "     where it was stopped; also: KATA= SEED= ALLOW= FOR=candidate OPTIONS=\"--jobs 4\""
	@echo "make kit KATA=scaffold          kit-scaffold.zip for a candidate: stub, notebook, public checks; OUT=file.zip"
	@echo "make list                       the katas in teaching order"
	@echo "make stubs                      exercises/ and notebooks/ from solutions/"
	@echo "make kata NAME=new_kata         begins a kata as a copy of another one: LIKE=module"
	@echo "make check                      proves that the repository is whole, in seconds"
	@echo "make readme                     the generated parts of README.md, CONTRIBUTING.md and docs/"
	@echo "make test                       the project's own tests, five minutes: all that changed, a sample of the rest"
	@echo "make test-deep                  those that make test leaves out, 25 to 40 minutes"
	@echo "make attacks                    every hostile submission of tests/attacks/, and which layer stops it"
	@echo "make fuzz                       random bytes for the wire and the readers, five minutes of them"
	@echo "make strength                   wrong programs and mutants rejected, right ones accepted; what changed, ALL=1 all"
	@echo "make sweep SEEDS=200            the same verdicts with other seeds"
	@echo "make bench                      how long a grading takes: the first, the next, one more in a stack; others,"
	@echo "     such as nbgrader, where requirements-bench.txt is installed"

# As for grade, status 1 is a score below the full one.
grade-all: $(READY)
	@set -f; $(RUN) -m grader grade-all --out="$$OUT" $${KATA:+--kata "$$KATA"} $${SEED:+--seed "$$SEED"} \
	  $${FOR:+--for "$$FOR"} $${ALLOW:+--allow "$$ALLOW"} $$OPTIONS -- "$$DIR" \
	  || { status=$$?; test $$status -eq 1 || exit $$status; }

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

kata: $(READY)
	@$(RUN) -m tests.begin --name "$$NAME" $${LIKE:+--like "$$LIKE"}

check: $(READY)
	@$(RUN) -m tests.check

test: $(READY)
	@$(RUN) -m pytest $(IN_PARALLEL) -m "not deep"

test-deep: $(READY)
	@$(RUN) -m pytest $(IN_PARALLEL) -m deep

attacks: $(READY)
	@$(RUN) -m tests.attack_table

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
	@$(RUN) -m tests.readme_blocks
