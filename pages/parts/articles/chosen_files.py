"""The files of chosen articles: their gold, and whole articles in the formats of other programs."""

from collections.abc import Callable
from functools import partial

from annotate.gold.export_file import FORMATS, download, download_manifest, note_export
from annotate.gold.formats.export import DOCUMENT_FORMATS, download_documents
from annotate.gold.label_sets import Basis, live_gold
from annotate.project.home import read
from annotate.project.rights import Right
from pages.parts.articles.article_list import Chosen
from pages.parts.shared.downloads import CSV, JSON_LINES, File

STEM = "keyline-articles"
MEDIA = {
    ".csv": CSV,
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".jsonl": JSON_LINES,
}


def chosen_files(chosen: Chosen) -> dict[str, list[File]]:
    """The files by the place where they are offered; each is made of the articles as they are when asked for."""
    manifest = partial(_of, chosen, download_manifest)
    tables = [
        _file(ending.strip(".").upper(), ending, MEDIA[ending], chosen, partial(download, ending)) for ending in FORMATS
    ]
    tables.append(File("Manifest", f"{STEM}.manifest.json", "application/json", Right.GOLD, manifest))
    documents = [
        _file(form.title, form.ending, form.media, chosen, partial(download_documents, key))
        for key, form in DOCUMENT_FORMATS.items()
    ]
    return {"chosen_gold": tables, "chosen_documents": documents}


def _file(label: str, ending: str, media: str, chosen: Chosen, make: Callable[[Basis], bytes]) -> File:
    name = f"{STEM}{ending}"
    return File(
        label,
        name,
        media,
        Right.GOLD,
        partial(_of, chosen, make),
        note=lambda: note_export(name, {"articles_chosen": chosen.count}),
    )


def _of(chosen: Chosen, make: Callable[[Basis], bytes]) -> bytes:
    ids = frozenset(chosen.ids())
    with read() as session:
        if ids.isdisjoint(live_gold(session).lines):
            raise ValueError("none of these articles holds a labelled sentence")
    return make(Basis(articles=ids))
