"""The topic of gene editing, by which most tests rank, and a small one of their own."""

from annotate.topics.file import FIRST, shipped
from model.active_learning.features import prior_of
from model.proposing.rules import CUE_COLUMNS

TOPIC = shipped(FIRST)
RULES = TOPIC.rules
GENERIC_QUERIES = dict(RULES.queries)
BEST_GENERIC = RULES.best_query
GENERIC = GENERIC_QUERIES[BEST_GENERIC]
# The columns of the terms score by what the cues of gene editing are about.
CUES = dict(zip(("edit", "tool", "gene", "cell", "near", "made", "earlier", "conclusion"), CUE_COLUMNS, strict=True))
CUES["aside"] = "aside"
COLUMNS = (*CUE_COLUMNS, "aside")
SMALL = """form: 1
name: Sleep
about: What lets people sleep.
guideline: |
  **A key sentence says what lets people sleep.**
  - *Warm feet let people sleep.*
kinds:
  - {key: cause, name: Cause, plural: Causes, colour: violet, example: warm feet}
  - {key: night, name: Night, plural: Nights, colour: red, line: double}
cues:
  - {name: sleeping, weight: 2, words: [sleep*, "fell asleep"]}
  - {name: cause, weight: 1, kind: cause}
queries:
  article: "sleep[ by {cause}]"
  generic: {asleep: "What lets people sleep?"}
"""
# One by examples: no kind, no cue.
BY_EXAMPLES = """form: 1
name: Sleep by examples
guideline: |
  **A key sentence says what lets people sleep.**
examples:
  accepted:
    - {sentence: Warm feet let people fall asleep.}
    - {sentence: A warm bath let people sleep longer.}
    - {sentence: Warm milk let people sleep.}
  rejected:
    - {sentence: The questionnaire was sent by mail.}
    - {sentence: The sample was sent to the clinic.}
    - {sentence: Data were sent by the nurse.}
queries:
  generic: {asleep: "What lets people sleep?"}
"""
PRIOR = prior_of(RULES, 0.25)  # the hybrid of gene editing, as what learns begins with
