"""The tasks in JSON lines: their files found in the folders that the user names, each row checked."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotate.bench.labelled_files import numbered_rows
from annotate.encoders.tasks.task import TEST, TRAIN, BadTaskFile, Item, Items, NotInstalled, Place
from annotate.project.files.packed_lines import UnreadableFile

ENDINGS = (".jsonl.gz", ".jsonl")
# The tasks on functions of sentences lie next to the others, under this name.
BESIDE = "rhetoric"
Row = Mapping[str, Any]


def find(place: Place, name: str, endings: tuple[str, ...] = ENDINGS) -> Path | None:
    """The file of this name in the folders, in a folder directly within, or in the folder of functions next to them."""
    for folder in place.folders:
        inner = []
        with suppress(OSError):
            inner = sorted(path for path in folder.iterdir() if path.is_dir())
        for within in (folder, *inner, folder.parent / BESIDE):
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


def rows_of(path: Path) -> Iterator[tuple[int, Row]]:
    """(line, row) of a file of JSON lines, gzip or not. Raises BadTaskFile."""
    try:
        yield from numbered_rows(path, lambda **row: row)
    except UnreadableFile as error:
        raise BadTaskFile(str(error)) from error


def items_of(path: Path, made: Callable[[int, Row], Iterator[Item]]) -> list[Item]:
    """The items that `made` makes of each line and row. Raises BadTaskFile for a row without what it needs."""
    found: list[Item] = []
    for line, row in rows_of(path):
        try:
            for item in made(line, row):
                if not all(isinstance(text, str) for text in item.texts):
                    raise TypeError("a text is no text")
                found.append(item)
        except KeyError as error:
            raise BadTaskFile(f"{path.name}, line {line}: has no {error}") from error
        except (TypeError, ValueError) as error:
            raise BadTaskFile(f"{path.name}, line {line}: {error}") from error
    if not found:
        raise BadTaskFile(f"{path.name}: holds no item")
    return found


def _part(row: Row) -> str:
    return TEST if row["split"] == "test" else TRAIN


def biosses(place: Place) -> Items:
    """Pairs of sentences with the mean of five experts' scores, 0 to 4."""

    def made(line: int, row: Row) -> Iterator[Item]:
        yield Item((row["sentence1"], row["sentence2"]), float(row["score"]), str(line))

    return Items(items_of(needed(place, "biosses"), made), "all")


def rqe(place: Place) -> Items:
    """Questions of consumers and answered ones: does the answer to the second answer the first?"""

    def made_as(part: str) -> Callable[[int, Row], Iterator[Item]]:
        def made(line: int, row: Row) -> Iterator[Item]:
            # One question is paired with several others: it never lies in two folds.
            unit = row["question"] if part == TRAIN else str(line)
            yield Item((row["question"], row["faq"]), "yes" if row["entails"] else "no", unit, part)

        return made

    return Items([i for part in (TRAIN, TEST) for i in items_of(needed(place, f"rqe_{part}"), made_as(part))])


def _citation(line: int, row: Row) -> Iterator[Item]:
    sentence, citation = row["sentence"], row.get("citation") or ""
    start = sentence.find(citation) if citation else -1
    about = (start, start + len(citation)) if start >= 0 else None
    yield Item((sentence,), row["sentiment"], row["article"], _part(row), about)


def citation_sentiment(place: Place) -> Items:
    """Sentences that cite, in the authors' split by article."""
    return Items(items_of(needed(place, "citation_sentiment"), _citation))


def citation_folds(place: Place) -> Items:
    """The items of citation sentiment in ten folds by article."""
    found = items_of(needed(place, "citation_sentiment"), _citation)
    return Items([replace(item, part=TEST) for item in found], "folds")


def hallmarks(place: Place) -> Items:
    """Sentences of abstracts with the hallmarks of cancer that they speak of, often none."""

    def made(_: int, row: Row) -> Iterator[Item]:
        for text, labels in zip(row["sentences"], row["hallmarks"], strict=True):
            yield Item((text,), tuple(sorted(labels)), str(row["id"]), _part(row))

    return Items(items_of(needed(place, "hallmarks"), made))


def pubmedqa(place: Place) -> Items:
    """Questions with the abstract that answers them, its conclusion left out: yes, no or maybe."""

    def made(_: int, row: Row) -> Iterator[Item]:
        yield Item((row["question"], " ".join(row["context"])), row["answer"], str(row["id"]), _part(row))

    return Items(items_of(needed(place, "pubmedqa"), made))


def roles(name: str) -> Callable[[Place], Items]:
    """Sentences of abstracts with their roles; tested on the test part, or on validation where that is kept apart."""

    def load(place: Place) -> Items:
        test = find(place, f"{name}_test")
        tested_on = "test" if test else "validation"
        files = ((TRAIN, needed(place, f"{name}_train")), (TEST, test or needed(place, f"{name}_validation")))

        def made_as(part: str) -> Callable[[int, Row], Iterator[Item]]:
            def made(_: int, row: Row) -> Iterator[Item]:
                for text, role in zip(row["sentences"], row["roles"], strict=True):
                    yield Item((text,), role, str(row["id"]), part)

            return made

        return Items([i for part, path in files for i in items_of(path, made_as(part))], tested_on)

    return load


def triplets(place: Place) -> Items:
    """A sentence, one of the same function and one of another; the test part, or the open one where that is absent."""
    test = find(place, "function_triplets_test")

    def made(line: int, row: Row) -> Iterator[Item]:
        yield Item((row["sentence"], row["same"], row["other"]), "first", str(line))

    path = test or needed(place, "function_triplets_dev")
    return Items(items_of(path, made), "test" if test else "open part")
