"""Trains a small encoder on the gold of a colleague's Keyline, and posts what it thinks of an article as verdicts.

    pip install requests sentence-transformers
    export KEYLINE_TOKEN=keyline_...          # made behind your name, at the top of each page
    python api_client.py https://keyline.example.org --encoder all-MiniLM-L6-v2 --article 12

Without --article nothing is written. Verdicts are given in your name: look at them in Keyline, and take back what is
wrong by the history.
"""

import argparse
import os
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import requests
from sentence_transformers import InputExample, SentenceTransformer, losses, util
from torch.utils.data import DataLoader

SECONDS = 60


class Keyline:
    """A Keyline that is asked with a person's token."""

    def __init__(self, site: str, token: str) -> None:
        self._api = f"{site.rstrip('/')}/api/v1"
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str, **asked: Any) -> Any:
        """The answer as JSON. Raises requests.HTTPError with Keyline's words."""
        return _answer(self._session.get(self._api + path, params=asked, timeout=SECONDS))

    def post(self, path: str, content: Any = None) -> Any:
        """The same of what is sent."""
        return _answer(self._session.post(self._api + path, json=content, timeout=SECONDS))

    def rows(self, path: str, **asked: Any) -> Iterator[dict[str, Any]]:
        """All rows of a list, page by page."""
        while True:
            page = self.get(path, **asked)
            yield from page["rows"]
            if page["next"] is None:
                return
            asked["cursor"] = page["next"]


def _answer(response: requests.Response) -> Any:
    if not response.ok:
        is_json = "json" in response.headers.get("Content-Type", "")  # a proxy answers in its own words
        words = response.json().get("error") if is_json else response.text[:300] or response.reason
        raise requests.HTTPError(f"{response.status_code}: {words}", response=response)
    return response.json() if response.content else None


def labelled(keyline: Keyline) -> list[tuple[str, int]]:
    """(sentence, 1 for key or 0) of the gold; what is unsure or tied is left out."""
    return [(row["sentence"], int(row["label"])) for row in keyline.rows("/gold") if row["label"] in ("0", "1")]


def train(encoder: str, query: str, labels: Sequence[tuple[str, int]], epochs: int = 1) -> SentenceTransformer:
    """An encoder that brings key sentences near to the query, and the others away from it."""
    model = SentenceTransformer(encoder)
    examples = [InputExample(texts=[query, sentence], label=float(label)) for sentence, label in labels]
    batches: Any = DataLoader(examples, shuffle=True, batch_size=16)  # type: ignore[arg-type]
    model.old_fit(train_objectives=[(batches, losses.CosineSimilarityLoss(model))], epochs=epochs)
    return model


def best(keyline: Keyline, model: SentenceTransformer, query: str, article: int, most: int) -> list[int]:
    """The positions of an article's sentences that are nearest to the query, the nearest first."""
    sentences = list(keyline.rows(f"/articles/{article}/sentences"))
    cosines = util.cos_sim(model.encode([query]), model.encode([one["text"] for one in sentences]))[0]
    return [sentences[place]["position"] for place in cosines.argsort(descending=True)[:most].tolist()]


def say_key(keyline: Keyline, article: int, positions: Sequence[int]) -> list[str]:
    """Calls these sentences key, in the name of the token's person; the ids of the events that are on disk. Where the
    answer is lost, the same events may be sent again: each is stored once."""
    events = [
        {"id": uuid.uuid4().hex, "kind": "verdict", "sentence": position, "value": "accept"} for position in positions
    ]
    told = keyline.post(f"/articles/{article}/events", {"events": events})
    for refused in told["refused"]:
        print(f"not stored: {refused['reason']}")
    stored: list[str] = told["stored"]
    return stored


def main() -> None:
    """Reads the gold, trains, and posts verdicts where an article is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--query", default="This sentence tells what was found.")
    parser.add_argument("--article", type=int)
    parser.add_argument("--most", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=1)
    options = parser.parse_args()
    keyline = Keyline(options.site, os.environ["KEYLINE_TOKEN"])
    labels = labelled(keyline)
    print(f"{keyline.get('/me')['name']}: {len(labels)} labelled sentences, {sum(label for _, label in labels)} key")
    model = train(options.encoder, options.query, labels, options.epochs)
    if options.article is not None:
        positions = best(keyline, model, options.query, options.article, options.most)
        print(f"stored: {len(say_key(keyline, options.article, positions))} verdicts on sentences {positions}")


if __name__ == "__main__":
    main()
