"""The vocabulary table: into how many tokens a version's tokenizer cuts the names of the document labels."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.evaluation
from annotate.topics.project_topic import topic_now

TOKENIZER = "tokenizer.json"


def label_terms(session: Session) -> dict[str, list[str]]:
    """{kind: names and synonyms} of all document labels that are names, each once, in order of the alphabet."""
    found: dict[str, set[str]] = {kind.key: set() for kind in topic_now(session).file.kinds if not kind.choices}
    for kind, name, synonyms in db.evaluation.terms(session, found):
        found[kind] |= {term.strip() for term in (name, *synonyms) if term.strip()}
    return {kind: sorted(terms) for kind, terms in found.items()}


def vocabulary(folder: Path, terms: dict[str, list[str]]) -> list[dict[str, Any]]:
    """By kind: terms, how many are one token, tokens a term on average, and terms with a part that is unknown.

    One unknown token is not counted as one token. Empty where the version keeps its tokenizer in another form.
    """
    if not (folder / TOKENIZER).exists():
        return []
    from tokenizers import Tokenizer  # noqa: PLC0415 (for jobs alone)

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    unknown = getattr(tokenizer.model, "unk_token", None)
    cut = {
        kind: [encoding.tokens for encoding in tokenizer.encode_batch(names, add_special_tokens=False)]
        for kind, names in terms.items()
    }
    return [_row(kind, pieces, unknown) for kind, pieces in (*cut.items(), ("both", [*chain(*cut.values())]))]


def _row(kind: str, pieces: Sequence[Sequence[str]], unknown: str | None) -> dict[str, Any]:
    return {
        "kind": kind,
        "terms": len(pieces),
        "one_token": sum(len(tokens) == 1 and tokens[0] != unknown for tokens in pieces),
        "tokens_a_term": sum(map(len, pieces)) / len(pieces) if pieces else None,
        "with_unknown": sum(unknown in tokens for tokens in pieces),
    }
