"""The learned ranking of a version: fitted on labelled articles, judged by cross-validation, explained by sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.active_learning.heads
import db.articles
import db.proposing
import db.review.verdicts
import db.rows
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.proposing.comparison import MIN_ARTICLES as MIN_FAIR
from annotate.proposing.examples import likeness
from annotate.proposing.prompts import query_key
from annotate.proposing.propose import pools_of, usable_ranker
from annotate.proposing.queries import cosine_weight_of
from annotate.proposing.roles import roles_mark
from annotate.review.assignments import sees_proposals
from annotate.topics.project_topic import topic_now
from db.tables import Head, ModelVersion, Ranker
from db.values import Split
from model.active_learning.features import COUNTED, FEATURES, ROLE_COLUMNS, features_of, groups_of, hybrid_of, prior_of
from model.active_learning.head import COLUMNS, rows_of
from model.active_learning.learned import WORDS, arp_of, cross_validated, fit_ranker, grouped, r_precisions
from model.active_learning.taught import Taught
from model.active_learning.wording import Wording
from model.evaluation.pooling import is_fair
from model.evaluation.summary import mean_difference
from model.labelled import KEY, NOT_KEY, UNLABELLED
from model.proposing.query import queries_by_name
from model.proposing.ranking import Pool, Ranking, length_in_words, parts_of, terms_speak, words_of_cues
from model.proposing.rules import ASIDE, CUE_COLUMNS, EXAMPLES, SHARED_WORDS, Cue, Likely, Rules
from model.proposing.shared_words import words_shared
from model.proposing.terms import has_names

# With 20 articles the learned ranking reached nine tenths of its ARP with 100 (.382 of .429). Where the fixed hybrid is
# good already, it was never far from it. With fewer articles its cross-validated ARP says too little (docs/ranking.md).
MIN_ARTICLES = 20
# From there on the curve rises little (.429 with 100, .449 with 200, .446 with 400), and a fit takes some seconds.
MAX_ARTICLES = 100
BATCH_ARTICLES = 50
FIXED = (Ranking.HYBRID, Ranking.TERMS, Ranking.COSINE)
WORDING = "wording"  # what the embedding says, which has no name of its own
LEAST_SURE = 0.5  # a role that is less likely is told as one that the sentence probably has not
MOST_QUOTED = 40  # characters of what a cue found
LEAST_SHOWN = 0.1  # of the largest: smaller contributions explain nothing


def fitting_articles(session: Session, version: ModelVersion, label_set: LabelSet) -> list[int]:
    """The articles with a key sentence on which a ranker of this version may be fitted; at most MAX_ARTICLES, by lot.

    Never articles of the test split, nor articles of which only picked sentences were judged. A fine-tuned version has
    seen the training articles, as have its ancestors, and its cosines flatter it there: it is fitted on the validation
    articles alone.
    """
    allowed = (Split.VALIDATION,) if version.parent_id else (Split.TRAIN, Split.VALIDATION)
    with_key = [
        article_id
        for article_id, labels in label_set.labels.items()
        if KEY in labels.values() and article_id not in label_set.picked
    ]
    splits = db.articles.splits(session, with_key)
    chosen = sorted(article_id for article_id in with_key if splits[article_id] in allowed)
    order = np.random.default_rng(0).permutation(len(chosen))[:MAX_ARTICLES]
    return sorted(chosen[i] for i in order)


def fit(version: ModelVersion, label_set: LabelSet | None = None) -> Ranker:
    """Fits and stores the learned ranking of a version, or returns the stored one where nothing changed since.

    Articles not embedded under this version are left out. The row's metrics say whether it earned its place and, if
    not, why. It needs enough articles, and a cross-validated ARP above the best fixed ranking's on the articles that
    are fair to both.
    """
    with read() as session:
        label_set = label_set or current_label_set(session)
        article_ids = fitting_articles(session, version, label_set)
        missing = db.proposing.articles_to_embed(session, version.id, article_ids, limit=max(1, len(article_ids)))
        article_ids = sorted(set(article_ids) - {article_id for article_id, _ in missing})
        stored = db.active_learning.heads.latest_ranker(session, version.id)
        prompts, roles = query_key(version, ""), roles_mark(session, article_ids)
        topic = topic_now(session)
        same = stored is not None and stored.metrics.get("roles", "") == roles
        if stored is not None and same and _is_of(stored, label_set, article_ids, prompts, topic.rules):
            return stored
        examples: dict[int, tuple[Taught, Pool]] = {}
        if len(article_ids) >= MIN_ARTICLES:
            examples = _examples(session, version, label_set, article_ids)
            article_ids = sorted(examples)
    if len(article_ids) >= MIN_ARTICLES:
        given, pools = zip(*examples.values(), strict=True)
        weights, metrics = _fitted(given, pools, topic.rules, cosine_weight_of(topic.rules, version))
    else:
        labelled = count_of(len(article_ids), "labelled article")
        reason = f"{labelled} with key sentences; a learned ranking needs {MIN_ARTICLES}"
        weights, metrics = {}, {"earned": False, "reason": reason, "articles": len(article_ids)}
    metrics |= {"rules": topic.rules.name, "topic": topic.sha256, **({"roles": roles} if roles else {})}
    with write(Right.SYSTEM) as session:
        return db.rows.add(
            session,
            Ranker(
                version_id=version.id,
                label_set_sha256=label_set.sha256,
                weights=weights,
                metrics={**metrics, "article_ids": article_ids, **({"prompts": prompts} if prompts else {})},
            ),
        )


def _is_of(stored: Ranker, label_set: LabelSet, article_ids: Sequence[int], prompts: str, rules: Rules) -> bool:
    same = stored.metrics.get("rules") == rules.name
    same = same and (stored.label_set_sha256, stored.metrics["article_ids"]) == (label_set.sha256, list(article_ids))
    same = same and stored.metrics.get("prompts", "") == prompts
    return same and (not stored.metrics["earned"] or usable_ranker(stored) is not None)


def _examples(
    session: Session, version: ModelVersion, label_set: LabelSet, article_ids: Sequence[int]
) -> dict[int, tuple[Taught, Pool]]:
    """The examples of articles with their pools; articles not embedded with their present query are left out."""
    examples = {}
    for start in range(0, len(article_ids), BATCH_ARTICLES):
        pools = pools_of(session, version, article_ids[start : start + BATCH_ARTICLES], skip=True)
        for article_id, found in pools.items():
            given = label_set.labels[article_id]
            other = NOT_KEY if article_id in label_set.read else UNLABELLED
            labels = np.array([given.get(sentence.position, other) for sentence in found.sentences])
            examples[article_id] = Taught(features_of(found.pool), labels, found.pool.sentences), found.pool
    return examples


def _fitted(
    examples: Sequence[Taught], pools: Sequence[Pool], rules: Rules, cosine_weight: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Weights and metrics of a ranker fitted on these articles, together with their scores by the fixed rankings."""
    prior = prior_of(rules, cosine_weight)
    fixed = {str(ranking): [ranking.scores(pool) for pool in pools] for ranking in FIXED}
    arps = {ranking: arp_of(examples, scores) for ranking, scores in fixed.items()}
    base = best_fixed(examples, fixed, rules.ranking)
    by_learned = cross_validated(examples, prior)
    after, before = on_fair(examples, by_learned, fixed[base])
    earned, reason = False, f"only {len(after)} of {len(examples)} articles are fair to both; it takes {MIN_FAIR}"
    if len(after) >= MIN_FAIR:
        difference = mean_difference(after, before)
        # Within chance, too: to wait for an interval above 0 withholds the better one (docs/measurements/ranking.md).
        earned = difference.value > 0
        word = "above" if earned else "not above"
        reason = (
            f"cross-validated ARP {np.mean(after):.3f}, {word} the fixed {base}'s {np.mean(before):.3f} (difference "
            f"{difference.value:+.3f}, {difference.low:+.3f} to {difference.high:+.3f}, {len(after)} fair articles)"
        )
    metrics = {
        "earned": earned,
        "reason": reason,
        "fixed": base,
        "arp": arp_of(examples, by_learned),
        "fair_articles": len(after),
        **{f"arp_{ranking}": value for ranking, value in arps.items()},
        "articles": len(examples),
        "key_sentences": int(sum(example.truth.sum() for example in examples)),
    }
    return fit_ranker(examples, prior).as_dict(), metrics


def best_fixed(examples: Sequence[Taught], scores: Mapping[str, Sequence[np.ndarray]], usual: str) -> str:
    """The fixed ranking to use in such articles. It is the usual one, unless another has a higher ARP on the articles
    that are fair to both. The 95% interval of the difference must lie above 0. None was fitted on these labels."""
    better = {}
    for ranking, given in scores.items():
        after, before = on_fair(examples, given, scores[usual])
        if len(after) >= MIN_FAIR and (difference := mean_difference(after, before)).low > 0:
            better[ranking] = difference.value
    return max(better, key=lambda ranking: better[ranking], default=usual)


def on_fair(
    examples: Sequence[Taught], one: Sequence[np.ndarray], other: Sequence[np.ndarray]
) -> tuple[list[float], list[float]]:
    """The R-precisions of two rankings on the articles that are fair to both (`model.evaluation.pooling`).

    What neither was asked about counts as not key, so that labels from one ranking's proposals flatter that one.
    """
    triples = zip(examples, one, other, strict=True)
    fair = [
        (example, first, second)
        for example, first, second in triples
        if all(is_fair(example.truth, example.labels != UNLABELLED, scores) for scores in (first, second))
    ]
    kept = [example for example, _, _ in fair]
    return r_precisions(kept, [first for _, first, _ in fair]), r_precisions(kept, [second for *_, second in fair])


def why_shown(annotator: str, article_id: int) -> dict[str, Any]:
    """As `why`; nothing of an article that this annotator reads without proposals."""
    with read() as session:
        known = db.review.verdicts.find_annotator(session, annotator) or 0
        shown = sees_proposals(session, known, article_id)
    return why(article_id) if shown else {"ranking": "", "parts": {}}


def why(article_id: int) -> dict[str, Any]:
    """Why each current proposal of an article stands where it does, as JSON-able values.

    {"ranking", "parts": {sentence position: [[what, points], ...]}}, the largest points first. For the learned and the
    live ranking the parts lift the sentence over the article's mean sentence, in log odds. They are told by the ranker
    or the head that made the proposals. A language model gives no parts; any other ranking gives the terms of its
    score. Raises NotEmbedded where the article's text has changed since.
    """
    with read() as session:
        current = db.proposing.current_set(session, article_id)
        version = db.rows.get(session, ModelVersion, current.version_id) if current else None
        if current is None or version is None or current.ranking == Ranking.LLM:
            return {"ranking": current.ranking if current else "", "parts": {}}
        stored = db.active_learning.heads.latest_ranker(session, version.id, until=current.created_at)
        positions = [position for _, position in db.proposing.proposals(session, current.id)]
        head = db.rows.get(session, Head, current.head_id) if current.head_id else None
        found = pools_of(session, version, [article_id], until=current.created_at)[article_id]
        liked = likeness(session, version, found.pool.rules, current.created_at)
    rows = {sentence.position: row for row, sentence in enumerate(found.sentences)}
    features, rules = features_of(found.pool), found.pool.rules
    groups = groups_of(rules)
    called = groups | dict.fromkeys(COLUMNS[len(FEATURES) :], WORDING) | {WORDS: WORDS}
    ranker = usable_ranker(stored, rules) if current.ranking == Ranking.LEARNED else None
    names: Sequence[str] = FEATURES
    weighed = features * _points_of(current.ranking, found.pool)
    if head:
        names, weighed = COLUMNS, weighed_rows(head.weights, rows_of(features, found.vectors))
    elif ranker:
        article = Taught(features, np.zeros(len(features)), found.pool.sentences)
        names, weighed = (*FEATURES, WORDS), ranker.weighed(article)
    if head or ranker:
        weighed = weighed - weighed.mean(axis=0)
    learnt = liked.ranker_for(article_id, found.pool.sentences) if liked else None
    parts = {}
    for position in positions:
        row = rows[position]
        lifts = grouped(dict(zip(names, weighed[row].tolist(), strict=True)), called)
        most = max(map(abs, lifts.values()))
        absent = not_found(features[row], found.pool)
        there = words_of_cues(found.pool, row)
        named = {groups[column]: _in_words(groups[column], *words) for column, words in there.items()}
        if len(found.queries) > 1:
            nearest = groups["cosine"]
            named[nearest] = _in_words(nearest, found.queries[found.nearest[row]], sure=True)
        shared = words_shared(found.pool.sentences[row], queries_by_name(rules, found.pool.terms))
        group = groups[SHARED_WORDS]
        named[group] = _in_words(group, ", ".join(shared), sure=True) if shared else f"no {group}"
        if learnt:
            group = groups[EXAMPLES]
            named[group] = _like(learnt, found.pool.sentences[row], lifts[group])
        named[groups[ASIDE]] = length_in_words(found.pool, row) or groups[ASIDE]
        parts[str(position)] = [
            [absent.get(what) or named.get(what, what), round(value, 2)]
            for what, value in lifts.items()
            if abs(value) > LEAST_SHOWN * most
        ]
    return {"ranking": current.ranking if ranker or current.ranking != Ranking.LEARNED else "", "parts": parts}


def _like(ranker: Wording, text: str, lift: float) -> str:
    """What likeness to the examples lifts or lowers a sentence by: the words that told it, where any did.

    Likely sentences that are not judged teach, too: their words need not stand in an example.
    """
    called = "like the examples" if lift >= 0 else "unlike the examples"
    words = ranker.telling_words(text, against=lift < 0)
    if not words:
        return f"{called} in meaning and build"
    return f"words of sentences {called}: {', '.join(f'“{word}”' for word in words)}"


def not_found(features: np.ndarray, pool: Pool) -> dict[str, str]:
    """The words for features that were not found in a sentence, by the words for having them.

    They tell what was looked for, since a sentence may say the same in other words.
    """
    given, groups = dict(zip(FEATURES, features.tolist(), strict=True)), groups_of(pool.rules)
    cues = zip(CUE_COLUMNS, pool.rules.cues, strict=False)
    missing = {cue.name: f"{cue.name}: {_search(cue, pool)}" for name, cue in cues if not given[name]}
    if not given[ASIDE]:
        missing[groups[ASIDE]] = "of usual length, and not marked as a caption, note or table"
    missing |= {groups[name]: f"probably not {groups[name]}" for name in ROLE_COLUMNS if given[name] < LEAST_SURE}
    for columns in COUNTED:
        if not any(given[name] for name in columns):
            missing[groups[columns[0]]] = f"{groups[columns[0]]}: none of the words or signs that are looked for"
    return missing


def _search(cue: Cue, pool: Pool) -> str:
    """What a cue that did not fire has looked for."""
    if cue.section:
        return f"it does not stand in the {cue.section}"
    if cue.near:
        return f"none within {cue.within} characters"
    if cue.pattern is None and not cue.kind:
        return "nothing, since its pattern searches too long"
    kind = pool.rules.kind(cue.kind)
    if kind is None or kind.naming is None:
        return f"the topic's words and {cue.beside} are not both there" if cue.beside else "none of the topic's words"
    if has_names(pool.rules, pool.terms) and cue.likely is not Likely.ALWAYS:
        return "none of the names given for the article"
    return "no name was recognised"


def _in_words(what: str, words: str, sure: bool) -> str:
    """A cue with what fired it: what only looks like a name is called so."""
    called = what if sure else f"perhaps {what}"
    return f"{called}: “{words[:MOST_QUOTED]}”" if words else called


def weighed_rows(weights: dict[str, Any], rows: np.ndarray) -> np.ndarray:
    """What each column adds to the log odds by a stored head, shape (n, d); columns unknown to it add nothing."""
    return np.asarray(rows * np.array([weights["weights"].get(name, 0.0) for name in COLUMNS]))


def _points_of(ranking: str, pool: Pool) -> np.ndarray:
    """A fixed ranking as weights of the features; where its terms say nothing, the hybrid is the cosine."""
    if ranking == Ranking.HYBRID and not terms_speak(pool, parts_of(pool)):
        ranking = Ranking.COSINE
    weights: dict[str, float] = {Ranking.TERMS: 0.0, Ranking.COSINE: 1.0}
    fixed = hybrid_of(pool.rules, weights.get(ranking, pool.cosine_weight))
    only = np.array([name == "cosine" or ranking != Ranking.COSINE for name in FEATURES])
    return np.asarray(fixed * only)
