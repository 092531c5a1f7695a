"""Shares chosen on abstracts that were held aside, so that nothing else is looked at."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from model.roles.retrieval import NothingShared, nearest_same
from model.roles.role_model import RoleModel
from model.roles.shares import Shares, mixed, places_of

TENTHS = tuple(number / 10 for number in range(11))
LENGTHS = (0.0, 0.5, 1.0, 1.5)  # none much longer than the words, or the role alone is left, and with it no function
AROUND = (0.0, 0.15, 0.3, 0.5)
ROUNDS = 2
MOST_SENTENCES = 800  # cosines of each with each, some hundred times
Abstract = tuple[Sequence[str], np.ndarray, Sequence[int]]  # sentences, places of their roles, of their functions


def choose_shares(model: RoleModel, aside: Sequence[Abstract], bare: Sequence[Sequence[str]], seed: int) -> Shares:
    """How much the encoder counts relative to the words, and the lengths of the parts of function vectors.

    aside: abstracts that neither was taught; roles and functions are negative where unknown. bare: their sentences
    without the phrases that told a function, or else it is the phrases that would be found again. Shares of roles: by
    the share of sentences that are right. Lengths, one after the other, on what is bare: by P@1 and MAP@R of roles and
    of functions, their mean. What nothing speaks for stays as it is.
    """
    sentences = [sentence for own in bare for sentence in own]
    roles = np.concatenate([given for _, given, _ in aside])
    functions = np.concatenate([np.asarray(given, dtype=np.int64) for _, _, given in aside])
    shares = replace(
        _shares_of_roles(model, [own for own, _, _ in aside], roles), encoder=1.0 if model.encoder else 0.0
    )
    chosen = replace(model, shares=shares)
    found = np.concatenate(chosen.of_abstracts(bare))
    places = np.concatenate([places_of(len(own)) for own in bare])
    samples = []
    for labels in (roles, functions):
        known = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))[:MOST_SENTENCES]
        samples.append((known, [str(label) for label in labels[known]]))
    chosen_by: dict[Shares, float] = {}
    for around in AROUND if model.encoder else (0.0,):
        start = replace(shares, around=around)
        names = ("role", "words", "encoder", "place") if model.encoder else ("role", "words", "place")
        parts = dict(zip(names, replace(chosen, shares=start).parts(sentences, found, places), strict=True))
        one, worth = _lengths(parts, start, samples)
        chosen_by[one] = worth
    return max(chosen_by, key=lambda one: chosen_by[one])


def _lengths(
    parts: dict[str, np.ndarray], shares: Shares, samples: Sequence[tuple[np.ndarray, list[str]]]
) -> tuple[Shares, float]:
    """The best lengths, one after the other, and what they are worth. The words' stays: it is the unit."""
    best = _worth(parts, shares, samples)
    for _ in range(ROUNDS):
        for name in parts:
            for length in LENGTHS if name != "words" else ():
                tried = replace(shares, **{name: length})
                worth = _worth(parts, tried, samples)
                if worth > best:
                    shares, best = tried, worth
    return shares, best


def _shares_of_roles(model: RoleModel, abstracts: Sequence[Sequence[str]], roles: np.ndarray) -> Shares:
    words, encoder = model.both_of_abstracts(abstracts)
    apart, apart_encoder = model.both_of_sentences([sentence for own in abstracts for sentence in own])
    if encoder is None or apart_encoder is None or not (roles >= 0).any():
        return model.shares
    together = _best_share(np.concatenate(words), np.concatenate(encoder), roles)
    return replace(model.shares, abstracts=together, sentences=_best_share(apart, apart_encoder, roles))


def _best_share(words: np.ndarray, encoder: np.ndarray, roles: np.ndarray) -> float:
    known = roles >= 0
    right = {share: (mixed(words, encoder, share).argmax(axis=1) == roles)[known].mean() for share in TENTHS}
    return max(right, key=lambda share: (right[share], -abs(share - 0.5)))


def _worth(parts: dict[str, np.ndarray], shares: Shares, samples: Sequence[tuple[np.ndarray, list[str]]]) -> float:
    scores: list[float] = []
    for rows, labels in samples:
        vectors = np.hstack([getattr(shares, name) * part[rows] for name, part in parts.items()])
        try:
            scores += nearest_same(vectors, labels).values()
        except NothingShared:
            continue
    return float(np.mean(scores)) if scores else 0.0
