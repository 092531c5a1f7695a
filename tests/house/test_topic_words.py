"""No word of one topic stands in the code: what a topic looks for is said in its file, and nowhere else."""

import re

import pytest

from annotate.topics.file import SHIPPED
from tests.support.paths import ROOT

# Words by which one of the shipped topics, and nothing else in the product, knows a sentence.
CUES = {
    "gene_editing": r"crispr|\bcas9|knock[- ]?(?:out|in|down)|\bKO\b|\bKI\b|\bKD\b|[sg]gRNA|\bsiRNA|\bshRNA|TALENs?\b"
    r"|zinc.finger|mutagen|homozyg|haploinsuff|floxed|silencing of|HEK ?293|zebrafish|drosophila|xenograft|fibroblast"
    r"|loss.of.function",
    "clinical_trial_findings": r"placebo|randomi[sz]ed|hazard ratio|odds ratio|usual care|mortality",
}
# Code of which it is the very subject. Each with the reason.
ALLOWED = {
    "annotate/entities": "vocabularies and taggers of genes, cells and edits: files of others that bear these words",
    "model/entities": "the same: how genes, cells and edits are written",
    "annotate/topics/shipped": "the topics themselves",
    "annotate/gold/sample.yaml": "the sample is of one topic",
    "annotate/gold/sample_labels.csv": "its labels",
    "annotate/experiments/experiment_specs": "specs are data, and may name a corpus",
    "annotate/experiments/simulation_specs": "likewise",
    "annotate/review/phrases.yaml": "phrases of all of science, trials among them: no topic's cues",
    "model/finding/designs.yaml": "how a study of any topic was done, by which reviews choose",
    "annotate/experiments/corpora.py": "reads the prompts of Evidence Inference, whose fields bear these names",
    "db/migrations": "what a released revision says stays",
}
ENDINGS = {".py", ".js", ".css", ".j2", ".yaml", ".html"}
FILES = sorted(
    path.relative_to(ROOT)
    for room in ("model", "annotate", "pages", "db")
    for path in (ROOT / room).rglob("*")
    if path.suffix in ENDINGS and not str(path.relative_to(ROOT)).startswith(tuple(ALLOWED))
)


def found(topic: str, text: str) -> list[str]:
    # KO, KI and KD are words in capitals alone.
    pattern = CUES[topic]
    return [m[0] for m in re.finditer(pattern, text, re.I) if m[0].upper() not in ("KO", "KI", "KD") or m[0].isupper()]


@pytest.mark.parametrize("topic", sorted(CUES))
def test_no_word_of_one_topic_stands_in_the_code(topic):
    assert topic in SHIPPED and len(FILES) > 300
    words = {str(path): found(topic, (ROOT / path).read_text(encoding="utf-8")) for path in FILES}
    assert not {path: hits for path, hits in words.items() if hits}


@pytest.mark.parametrize("topic", sorted(CUES))
def test_the_search_finds_the_words_where_they_are(topic):
    text = (ROOT / "annotate" / "topics" / "shipped" / f"{topic}.yaml").read_text(encoding="utf-8")
    assert len(set(found(topic, text))) > 3
