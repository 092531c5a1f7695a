"""The tasks in JSON lines: their files found in the folders that the user names, each row checked."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from annotate.encoders.tasks.task import TEST, TRAIN, Item, Items, NotInstalled, Place
from annotate.project.files.labelled_files import Key, Text, Texts, numbered_rows
from annotate.project.files.packed_lines import UnreadableFile

ENDINGS = (".jsonl.gz", ".jsonl")
# The tasks on functions of sentences lie in a folder of this name, next to the folders of the others.
FUNCTIONS_FOLDER = "rhetoric"


def find(place: Place, name: str, endings: tuple[str, ...] = ENDINGS) -> Path | None:
    """The file of this name in the folders, in a folder directly within, or in the folder of functions next to them."""
    for folder in place.folders:
        inner = []
        with suppress(OSError):
            inner = sorted(path for path in folder.iterdir() if path.is_dir())
        for within in (folder, *inner, folder.parent / FUNCTIONS_FOLDER):
            for ending in endings:
                if (path := within / f"{name}{ending}").is_file():
                    return path
    return None


def needed(place: Place, name: str, endings: tuple[str, ...] = ENDINGS) -> Path:
    """The file of this name in the folders, as `find`. Raises NotInstalled, which names the file that is missing."""
    if found := find(place, name, endings):
        return found
    where = ", ".join(str(folder) for folder in place.folders) or "no folder of tasks was named"
    raise NotInstalled(f"{name}{endings[0]} is not there ({where})")


def items_of(
    path: Path, made: Callable[..., list[Item]], part: str | None = None, *, by_line: bool = False
) -> list[Item]:
    """The items that `made` makes of the fields of each row, in this part where one is given.

    The unit of an item that has none, or of all `by_line`, is its line. Raises UnreadableFile for a row without what it
    needs.
    """
    return some_of(
        path,
        [
            replace(item, part=part or item.part, unit=str(line) if by_line or not item.unit else item.unit)
            for line, items in numbered_rows(path, made)
            for item in items
        ],
    )


def some_of(path: Path, found: list[Item]) -> list[Item]:
    """These items of a file. Raises UnreadableFile where there are none."""
    if not found:
        raise UnreadableFile(f"{path.name}: holds no item")
    return found


def in_parts(
    place: Place, made: Callable[..., list[Item]], train: str, test: str, endings: tuple[str, ...] = ENDINGS
) -> Items:
    """The items of two files of pairs. The text that `made` names as the unit is paired with several others: in the
    training part they never lie in two folds."""
    found = items_of(needed(place, train, endings), made, TRAIN)
    return Items(found + items_of(needed(place, test, endings), made, TEST, by_line=True))


def biosses(place: Place) -> Items:
    """Pairs of sentences with the mean of five experts' scores, 0 to 4."""

    def made(sentence1: str, sentence2: str, score: float) -> list[Item]:
        return [Item((sentence1, sentence2), score)]

    return Items(items_of(needed(place, "biosses"), made), "all")


def rqe(place: Place) -> Items:
    """Questions of consumers and answered ones: does the answer to the second answer the first?"""

    def made(question: str, faq: str, entails: bool) -> list[Item]:
        return [Item((question, faq), "yes" if entails else "no", question)]

    return in_parts(place, made, "rqe_train", "rqe_test")


def _part(split: str) -> str:
    return TEST if split == "test" else TRAIN


def _citation(sentence: str, sentiment: str, article: Key, split: str, citation: Text = "") -> list[Item]:
    start = sentence.find(citation) if citation else -1
    about = (start, start + len(citation)) if start >= 0 else None
    return [Item((sentence,), sentiment, article, _part(split), about)]


def citation_sentiment(place: Place) -> Items:
    """Sentences that cite, in the authors' split by article."""
    return Items(items_of(needed(place, "citation_sentiment"), _citation))


def citation_folds(place: Place) -> Items:
    """The items of citation sentiment in ten folds by article."""
    return Items(items_of(needed(place, "citation_sentiment"), _citation, TEST), "folds")


def hallmarks(place: Place) -> Items:
    """Sentences of abstracts with the hallmarks of cancer that they speak of, often none."""

    def made(id: Key, sentences: Texts, hallmarks: list[list[str]], split: str) -> list[Item]:
        pairs = zip(sentences, hallmarks, strict=True)
        return [Item((text,), tuple(sorted(labels)), id, _part(split)) for text, labels in pairs]

    return Items(items_of(needed(place, "hallmarks"), made))


def pubmedqa(place: Place) -> Items:
    """Questions with the abstract that answers them, its conclusion left out: yes, no or maybe."""

    def made(id: Key, question: str, context: Texts, answer: str, split: str) -> list[Item]:
        return [Item((question, " ".join(context)), answer, id, _part(split))]

    return Items(items_of(needed(place, "pubmedqa"), made))


def roles(name: str) -> Callable[[Place], Items]:
    """Sentences of abstracts with their roles; tested on the test part, or on validation where that is kept apart."""

    def made(id: Key, sentences: Texts, roles: Texts) -> list[Item]:
        return [Item((text,), role, id) for text, role in zip(sentences, roles, strict=True)]

    def load(place: Place) -> Items:
        train, test = needed(place, f"{name}_train"), find(place, f"{name}_test")
        tested = items_of(test or needed(place, f"{name}_validation"), made, TEST)
        return Items(items_of(train, made, TRAIN) + tested, "test" if test else "validation")

    return load


def triplets(place: Place) -> Items:
    """A sentence, one of the same function and one of another; the test part, or the open one where that is absent."""

    def made(sentence: str, same: str, other: str) -> list[Item]:
        return [Item((sentence, same, other), "first")]

    test = find(place, "function_triplets_test")
    path = test or needed(place, "function_triplets_dev")
    return Items(items_of(path, made), "test" if test else "open part")
