"""Labelled corpora for experiments: the database, or files of labelled JSON lines, as train, validation and test."""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import db.articles
from annotate.articles.lots import by_lot
from annotate.articles.works import text_mark, work_marks
from annotate.gold.label_sets import current_label_set
from annotate.project.files.labelled_files import WHOLE, OptionalKey, OptionalText, Texts, labelled_rows
from annotate.project.home import read
from annotate.retraining.training_set import labelled_articles
from annotate.topics.project_topic import current_topic
from model.files import sha256_of
from model.labelled import KEY, NOT_KEY, UNLABELLED, LabelledArticle
from model.proposing.query import cut, generic_query
from model.proposing.rules import BLANK, Rules

PARTS = ("train", "validation", "test")
DATABASE = "database"
# Where there is no validation file, this share of the training articles, never of the test articles.
VALIDATION_SHARE = 0.1
# Characters of each kind of prompt: the three stay within the 256 tokens that an encoder reads. Outcomes tell an
# article's sentences apart best, so they come first and have the most room.
PROMPT_CHARACTERS = {"Outcome": 300, "Intervention": 150, "Comparator": 100}


# Files hold no titles: articles whose first 200 letters and digits are equal, some forty words, are one work.
WORK_LETTERS = 200
SENTENCES = 20  # sentences that hold WORK_LETTERS


@dataclass(frozen=True, slots=True)
class Corpus:
    """Three disjoint lists of labelled articles; `description` names its sources and counts what it holds, `rules` are
    the topic's rules by which they are ranked."""

    train: Sequence[LabelledArticle]
    validation: Sequence[LabelledArticle]
    test: Sequence[LabelledArticle]
    description: dict[str, Any]
    rules: Rules = BLANK

    @property
    def sha256(self) -> str:
        """The hash of all that an experiment reads: ids, queries, sentences and labels."""
        return str(self.description["sha256"])


def database_corpus(limit: int | Mapping[str, int] | None = None) -> Corpus:
    """The articles with labels, in their stored splits, with the current labels and each article's own query.

    Each work is taken once, of the last split that has it: the test split comes last.
    Raises ValueError where the train or the test split has no key sentence.
    """
    with read() as session:
        label_set = current_label_set(session)
        known = db.articles.keys_and_splits(session)
        works = {known[number][0]: work for number, work in work_marks(session, list(label_set.labels)).items()}
        parts = {
            # By their keys, which are the same in every database: a backup's results are not new ones.
            part: [replace(a, key=known[int(a.key)][0]) for a in labelled_articles(session, label_set, part)]
            for part in PARTS
        }

    def work_of(article: LabelledArticle) -> str:
        return works[article.key]

    sources = [{"name": DATABASE, "sha256": label_set.sha256}]
    corpus = _corpus(parts, sources, limit, lambda part: f"the {part} split of the database", work_of)
    return replace(corpus, rules=current_topic().rules)


def file_corpus(
    files: Mapping[str, str | Path | None],
    limit: int | Mapping[str, int] | None = None,
    validation_share: float = VALIDATION_SHARE,
    rules: Rules = BLANK,
) -> Corpus:
    """The articles of labelled JSON lines; {part: path}, of which validation may be missing.

    Without it, a `validation_share` of the training articles, by a hash of their ids, is the validation. Of articles
    that begin alike under different ids, the first of the last part is taken: the test part comes last. `rules` give
    the query of an article without one. Raises ValueError that names the file, and the line where one is wrong.
    """
    paths = {part: Path(path) for part in PARTS if (path := files.get(part))}
    if missing := [part for part in ("train", "test") if part not in paths]:
        raise ValueError(f"name a file for {' and '.join(missing)}")
    check_share(validation_share)
    parts = {part: read_articles(path, rules) for part, path in paths.items()}
    if "validation" not in parts:
        held_out = [_fraction(article.key) < validation_share for article in parts["train"]]
        pairs = list(zip(parts["train"], held_out, strict=True))
        parts["train"] = [article for article, out in pairs if not out]
        parts["validation"] = [article for article, out in pairs if out]
    sources = [{"name": path.name, "sha256": sha256_of(path)} for path in paths.values()]

    def named(part: str) -> str:
        return paths[part].name if part in paths else paths["train"].name

    return replace(_corpus(parts, sources, limit, named, beginning), rules=rules)


def beginning(article: LabelledArticle) -> str:
    """What tells the work of an article of a file, which has no title; "" where there are too few letters."""
    return text_mark([" ".join(article.sentences[:SENTENCES])], WORK_LETTERS)


def check_share(share: float) -> float:
    """Returns a share of validation articles. Raises ValueError unless it is from 0 to below 1."""
    if not 0 <= share < 1:
        raise ValueError(f"validation_share is {share:g}; it must be from 0 to below 1")
    return share


def read_articles(path: Path, rules: Rules = BLANK) -> list[LabelledArticle]:
    """The articles of a .jsonl or .jsonl.gz file, one a line: id, sentences, labels, and a query or prompts.

    1 is key, -1 and null are unlabelled. 0 is unlabelled too, since in a file of marked sentences it only lacks a mark,
    unless the line says "read_in_full": true. Without a query, it is asked what the rules ask of an article of which
    nothing is named. Raises UnreadableFile that names file and line.
    """
    unasked = generic_query(rules)

    def article(
        sentences: Texts,
        labels: list[Annotated[Literal[1, 0, -1, None], WHOLE]],
        id: OptionalKey = None,
        pmcid: OptionalKey = None,
        pmid: OptionalKey = None,
        query: OptionalText = None,
        prompts: list[dict[str, Any]] | None = None,
        read_in_full: Any = None,
    ) -> LabelledArticle:
        key = id or pmcid or pmid
        if key is None or not sentences:
            raise ValueError("sentences is empty" if key else "has no id, pmcid or pmid")
        meant: dict[int | None, int] = {KEY: KEY, NOT_KEY: NOT_KEY if read_in_full is True else UNLABELLED}
        asked = query or prompt_query(prompts or []) or unasked
        return LabelledArticle(key, asked, sentences, [meant.get(label, UNLABELLED) for label in labels])

    return labelled_rows(path, article, rows="articles", key=lambda found: found.key)


def prompt_query(prompts: Sequence[Mapping[str, Any]]) -> str:
    """ "outcomes with interventions against comparators", each name once, cut to PROMPT_CHARACTERS; may be ""."""
    kinds = {name: _joined(prompts, name) for name in PROMPT_CHARACTERS}
    arms = " against ".join(filter(None, (kinds["Intervention"], kinds["Comparator"])))
    return " with ".join(filter(None, (kinds["Outcome"], arms)))


def _joined(prompts: Sequence[Mapping[str, Any]], name: str) -> str:
    found: dict[str, str] = {}
    for prompt in prompts:
        text = " ".join(str(prompt.get(name) or "").split())
        found.setdefault(text.casefold(), text)
    return cut(", ".join(filter(None, found.values())), PROMPT_CHARACTERS[name])


def _fraction(key: str) -> float:
    """Where an id falls between 0 and 1."""
    return int(hashlib.sha256(f"validation:{key}".encode()).hexdigest()[:15], 16) / 16**15


def _corpus(
    parts: dict[str, list[LabelledArticle]],
    sources: Sequence[Mapping[str, str]],
    limit: int | Mapping[str, int] | None,
    named: Callable[[str], str],
    work_of: Callable[[LabelledArticle], str],
) -> Corpus:
    """Refuses articles of two parts, takes each work once, cuts each part to its limit, describes the rest.

    `work_of` gives equal texts for articles that are one work, "" for articles of which that is not known.
    """
    part_of: dict[str, str] = {}
    for part, articles in parts.items():
        for article in articles:
            if (first := part_of.setdefault(article.key, part)) != part:
                raise ValueError(f"{named(part)}: the article {article.key} is in {first} as well as in {part}")
    once = _each_work_once(parts, work_of)
    most = limit if isinstance(limit, Mapping) else dict.fromkeys(PARTS, limit)
    chosen = {part: limited(once[part], most.get(part)) for part in PARTS}
    for part in ("train", "test", *(["validation"] if len(sources) == len(PARTS) else [])):
        if not _keys(chosen[part]):
            raise ValueError(f"{named(part)}: no key sentence to {'train' if part == 'train' else 'evaluate'} on")
    if not _keys(chosen["validation"]):
        chosen["validation"] = []  # without it the weights of the last step are kept
    description: dict[str, Any] = {"sources": [dict(source) for source in sources], "sha256": _sha256(chosen)}
    for part, articles in chosen.items():
        sentences = sum(len(article.sentences) for article in articles)
        description[part] = {"articles": len(articles), "sentences": sentences, "key": _keys(articles)}
        if left_out := len(parts[part]) - len(once[part]):
            description[part]["works_left_out"] = left_out
    return Corpus(chosen["train"], chosen["validation"], chosen["test"], description)


def _each_work_once(
    parts: Mapping[str, list[LabelledArticle]], work_of: Callable[[LabelledArticle], str]
) -> dict[str, list[LabelledArticle]]:
    """One article of each work, of the last part that has it: no training article is also a test article."""
    kept: dict[str, list[LabelledArticle]] = {}
    later: set[str] = set()
    for part in reversed(PARTS):
        kept[part] = one_of_each_work(parts[part], work_of, later)
        later.update(map(work_of, parts[part]))
    return kept


def one_of_each_work(
    articles: Sequence[LabelledArticle], work_of: Callable[[LabelledArticle], str], taken: Collection[str] = ()
) -> list[LabelledArticle]:
    """The first article of each work that is not `taken`; `work_of` gives "" for articles of which none is known."""
    first: dict[str, LabelledArticle | None] = dict.fromkeys(taken)
    return [each for each in articles if not (work := work_of(each)) or first.setdefault(work, each) is each]


def _keys(articles: Sequence[LabelledArticle]) -> int:
    return sum(sum(article.truth) for article in articles)


def limited(articles: list[LabelledArticle], limit: int | None) -> list[LabelledArticle]:
    """At most `limit` of the articles, by a hash of their keys: a smaller limit takes some of a larger one's.

    Raises ValueError for a limit below 1.
    """
    if limit is not None and (type(limit) is not int or limit < 1):
        raise ValueError(f"the limit {limit!r} is no number of articles")
    if limit is None or len(articles) <= limit:
        return articles
    first = by_lot("limit", articles, attrgetter("key"))[:limit]
    kept = {article.key for article in first}
    return [article for article in articles if article.key in kept]


def _sha256(parts: Mapping[str, Sequence[LabelledArticle]]) -> str:
    digest = hashlib.sha256()
    for part in PARTS:
        for article in parts[part]:
            content = [part, article.key, article.query, list(article.sentences), list(article.labels)]
            digest.update(json.dumps(content).encode())
    return digest.hexdigest()
