"""Several rows of a gold file on one stored sentence: which of them counts, and which say something else."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotate.gold.file_rows import FileRow
from annotate.gold.matching import Method, fold, quoted, squeeze
from annotate.review.events import MAX_COMMENT
from db.articles import SentenceText
from db.values import Value

# Parts of a sentence say together the first of these that one of them says.
_STRONGEST = (Value.ACCEPT, Value.UNSURE, Value.REJECT, Value.WITHDRAWN)
_WORDS = {Value.ACCEPT: "key", Value.REJECT: "not key", Value.UNSURE: "unsure", Value.WITHDRAWN: "withdrawn"}
# The line of one row, the line of a later one, and what they say, in words.
Contradiction = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class MatchedRow:
    """A row, how it was found, and the sentences that it stands for."""

    row: FileRow
    article_id: int
    method: Method
    sentences: tuple[SentenceText, ...]

    def holds(self, sentence: SentenceText) -> bool:
        """Whether the row holds all of the sentence, not a part of it."""
        passage = self.row.cells["sentence"]
        if fold(sentence.text) in fold(passage):
            return True
        # Found in spite of wrong characters, it may hold the whole; a row of several may begin or end within one.
        alone = self.method is Method.FUZZY and len(self.sentences) == 1
        return alone and len(squeeze(passage)) >= len(squeeze(sentence.text))


@dataclass(slots=True)
class Counting:
    """The rows that count in a file: (row, value) by annotator and sentence id, and of decisions by sentence id.

    `comments` holds the last row and the texts of all rows, one a line, by annotator and sentence id.
    """

    verdicts: dict[tuple[str, int], tuple[MatchedRow, Value]] = field(default_factory=dict)
    decisions: dict[int, tuple[MatchedRow, Value]] = field(default_factory=dict)
    comments: dict[tuple[str, int], tuple[MatchedRow, str]] = field(default_factory=dict)
    contradictions: list[Contradiction] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Said:
    """What one row says of one sentence."""

    matched: MatchedRow
    sentence: SentenceText
    value: Value


def rows_that_count(matched: Iterable[MatchedRow]) -> Counting:
    """Of rows in the order of lines, those that count: one for each annotator, and each decision, on a sentence.

    Of rows of the whole sentence the last counts, and a part overrules it only by being key. Parts alone are key where
    one is, else unsure where one is. Each row that says something else than the one that counts is a contradiction.
    """
    verdicts: dict[tuple[str, int], list[_Said]] = defaultdict(list)
    decisions: dict[int, list[_Said]] = defaultdict(list)
    comments: dict[tuple[str, int], dict[str, MatchedRow]] = defaultdict(dict)
    for one in matched:
        for sentence in one.sentences:
            for name, value in one.row.verdicts.items():
                verdicts[name, sentence.id].append(_Said(one, sentence, value))
            if one.row.decision:
                decisions[sentence.id].append(_Said(one, sentence, one.row.decision[1]))
            for name, text in one.row.comments.items():
                comments[name, sentence.id][text] = one
    found = Counting()
    found.verdicts = {key: _counts(rows, key[0], found.contradictions) for key, rows in verdicts.items()}
    found.decisions = {key: _counts(rows, "decision", found.contradictions) for key, rows in decisions.items()}
    found.comments = {key: ([*texts.values()][-1], "\n".join(texts)[:MAX_COMMENT]) for key, texts in comments.items()}
    found.contradictions.sort()
    return found


def _counts(rows: list[_Said], who: str, contradictions: list[Contradiction]) -> tuple[MatchedRow, Value]:
    """The row that counts and its value; adds those that say something else to the contradictions."""
    if len(rows) == 1:
        return rows[0].matched, rows[0].value
    wholes = {id(said): said.matched.holds(said.sentence) for said in rows}
    parts = [said for said in rows if not wholes[id(said)]]
    strongest = max(reversed(parts), key=lambda said: -_STRONGEST.index(said.value), default=rows[-1])
    counts = next((said for said in reversed(rows) if wholes[id(said)]), strongest)
    if strongest in parts and strongest.value is Value.ACCEPT is not counts.value:
        counts = strongest
    for said in rows:
        if said.value is not counts.value:
            first, later = sorted((said, counts), key=lambda one: one.matched.row.line)
            whole = wholes[id(said)] + wholes[id(counts)]
            what = ("parts of one sentence", "a part and the whole sentence", "the whole sentence twice")[whole]
            lines = first.matched.row.line, later.matched.row.line
            words = (
                f"{who}: {_WORDS[first.value]} in line {lines[0]}, {_WORDS[later.value]} in line {lines[1]} ({what}), "
                f"taken as {_WORDS[counts.value]}: {quoted(said.sentence.text)}"
            )
            contradictions.append((*lines, words))
    return counts.matched, counts.value
