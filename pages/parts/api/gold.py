"""Routes of the gold: as of now, page by page, and frozen snapshots."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Response
from sqlalchemy.orm import Session

from annotate.gold.export_file import note_export
from annotate.gold.label_sets import Basis, Judged, judged, live_gold
from annotate.gold.rows import live_manifest, rows_of
from annotate.gold.snapshots import snapshot_file
from annotate.project.acting import demand
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from db.curation import last_removal
from db.gold import articles_with_verdicts, snapshots
from pages.parts.api.shapes import Cursor, GoldPage, Limit, Listed, NotThere, SnapshotShape, cursor_of, place_of

router = APIRouter(tags=["Gold"])
LIST, SNAPSHOTS = "gold", "snapshots"
ARTICLES = 50  # are read at once


class _State(NamedTuple):
    """The gold as it was when its first page was asked for."""

    until_verdict: int
    until_reading: int
    until_removal: int
    sha256: str
    total: int


@router.get("/gold")
def gold(limit: Limit = 500, cursor: Cursor = None) -> GoldPage:
    """The gold as of now, a row a labelled sentence. Its further pages are of the same moment as the first, even if
    verdicts come meanwhile; 409 where articles left or came back. The history tells who took it out.
    """
    place = place_of(LIST, cursor)
    look_up(demand, Right.GOLD)
    state = _State(*place[2:]) if place else _now()
    basis = Basis(until_verdict=state.until_verdict, until_reading=state.until_reading)
    with read() as session:
        if last_removal(session) != state.until_removal:
            raise HTTPException(409, "articles left or came back meanwhile: begin without a cursor")
        found = list(islice(_labelled(session, basis, place[:2] or [0, -1]), limit + 1))
        rows = list(rows_of(session, found[:limit], basis))
    following = None
    if len(found) > limit:
        following = cursor_of(LIST, found[limit - 1].article_id, found[limit - 1].position, *state)
    return GoldPage(label_set_sha256=state.sha256, total=state.total, rows=rows, next=following)


def _now() -> _State:
    with read() as session:
        live = live_gold(session)
        summary, removal = live_manifest(session, live), last_removal(session)
    note_export("the API", summary)
    until = (live.basis.until_verdict or 0, live.basis.until_reading or 0, removal)
    return _State(*until, live.label_set.sha256, summary["rows"])


def _labelled(session: Session, basis: Basis, behind: list[int]) -> Iterator[Judged]:
    """The labelled sentences behind a place, by article and position."""
    begin = behind[0]
    while article_ids := articles_with_verdicts(session, begin, ARTICLES, until=basis.until_verdict or 0):
        for one in judged(session, basis, article_ids):
            if one.label is not None and [one.article_id, one.position] > behind:
                yield one
        begin = article_ids[-1] + 1


@router.get("/gold/snapshots")
def frozen(limit: Limit = 100, cursor: Cursor = None) -> Listed[SnapshotShape]:
    """The frozen snapshots, the newest first."""
    (before,) = place_of(SNAPSHOTS, cursor) or (None,)
    with read() as session:
        demand(session, Right.GOLD)
        found = snapshots(session, before=before, limit=limit + 1)
        rows = [SnapshotShape.model_validate(row) for row in found[:limit]]
    following = cursor_of(SNAPSHOTS, found[limit - 1].id) if len(found) > limit else None
    return Listed(rows=rows, next=following)


@router.get("/gold/snapshots/{name}", response_class=Response, responses={200: {"content": {"application/jsonl": {}}}})
def snapshot(name: str) -> Response:
    """A snapshot as JSON lines, checked by its hash: the same bytes each time. The history tells who took it out."""
    with read() as session:
        demand(session, Right.GOLD)
        manifest = next((row.manifest for row in snapshots(session) if row.name == name), None)
    if manifest is None:
        raise NotThere(f"there is no snapshot {name}")
    content = snapshot_file(name, ".jsonl")
    note_export("the API", manifest)
    return Response(content, media_type="application/jsonl", headers={"Cache-Control": "no-store"})
