"""Work on a Ray cluster of two machines, here both this one: the same rows as without, whatever is killed."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from annotate.articles.article_rows import store
from annotate.articles.import_report import ImportReport
from annotate.articles.importing import batches as importing
from annotate.articles.parsing.seen_files import sign_of
from annotate.engines.chosen import engine_of
from annotate.engines.engine import HERE, Engine, LostWork, NoEngine
from annotate.entities import tagging
from annotate.jobs.lifecycle import run_here
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.proposing import embed as embedding
from annotate.proposing import propose as proposing
from annotate.proposing.encoder_versions import proposing_version
from annotate.roles import reading
from annotate.work import HANDLERS
from tests.annotate.articles.test_parsing_jats import PAPER
from tests.annotate.entities.conftest import few_genes as few_genes  # noqa: PLC0414 (a fixture)
from tests.support.engine_works import Counting, Lenient, Squares
from tests.support.hostile import zipped
from tests.support.making import contents, paper, query
from tests.support.making import store as store_papers

NODE = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 100 << 20}
DERIVED = "proposal proposal_set query_embedding embedding article_scan entity_candidate label_proposal".split()
PARTS = ("section", "paragraph", "sentence", "reference", "citation")
Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A machine of one core, which stays; `two` adds another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")
        pytest.importorskip("ray", reason="Ray is not installed: python -m pip install -r requirements-ray.txt")
        from ray.cluster_utils import Cluster

        made = Cluster(initialize_head=True, head_node_args=NODE)
        yield made
        made.shutdown()


@pytest.fixture
def two(cluster: Any) -> Iterator[Any]:
    """The second machine of the cluster: `cluster.remove_node(two, False)` kills it."""
    node = cluster.add_node(**NODE)
    yield node
    if node in cluster.worker_nodes:
        cluster.remove_node(node)


@contextmanager
def ray_at(cluster: Any) -> Iterator[Engine]:
    """The engine on this cluster."""
    with engine_of({"engine": {"name": "ray", "address": cluster.address}}) as engine:
        yield engine


def test_a_machine_that_is_killed_costs_time_and_nothing_else(cluster: Any, two: Any) -> None:
    with ray_at(cluster) as engine:
        made: list[tuple[int, str]] = []
        for one in engine.map(Squares(0.1), range(24)):
            made.append(one)
            if len(made) == 8:
                assert len({machine for _, machine in made}) == 2
                cluster.remove_node(two, False)
    assert [square for square, _ in made] == [number * number for number in range(24)]


def test_what_is_made_comes_in_pieces_and_errors_as_they_were_raised(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotate.engines import on_ray

    monkeypatch.setattr(on_ray, "RETRIES", 0)
    with ray_at(cluster) as engine:
        assert list(engine.map(Counting(), [5, 0, 2])) == [0, 1, 2, 3, 4, 0, 1]
        with pytest.raises(ValueError, match=r"^seven is none of the others$"):
            list(engine.map(Counting(), [2, 7, 4]))
        assert sorted(engine.map(Lenient(), [2, 13, 3], ordered=False)) == [-1, 0, 0, 1, 1, 2]
        with pytest.raises(LostWork, match="its process ended without a word"):
            list(engine.map(Counting(), [13]))
        monkeypatch.setattr(on_ray, "release", lambda: "another")
        with pytest.raises(NoEngine, match="not another: use the same release everywhere"):
            list(engine.map(Counting(), [1]))


def test_what_nobody_wants_any_more_is_dropped_and_inputs_are_taken_as_there_is_room(cluster: Any) -> None:
    taken: list[int] = []
    inputs = (taken.append(number) or number for number in range(1000))
    made: list[int] = []
    with ray_at(cluster) as engine:
        for square, _ in engine.map(Squares(), inputs, lambda: len(made) == 4):
            made.append(square)
        assert made == [0, 1, 4, 9] and len(taken) < 12
        begun = time.monotonic()
        assert list(engine.map(Squares(3600), [1, 2, 3], lambda: time.monotonic() - begun > 1)) == []


def test_a_cluster_that_is_not_there_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    pytest.importorskip("ray", reason="Ray is not installed")
    with (
        pytest.raises(NoEngine, match=r"Ray at 127\.0\.0\.1:1 cannot be used: .*refused"),
        engine_of({"engine": {"name": "ray", "address": "127.0.0.1:1"}}),
    ):
        pass


@pytest.fixture
def papers(tmp_path: Path) -> dict[str, Any]:
    """The payload of an import: thirty articles of JATS, two of them the same, ten in a zip, and one that is none."""
    for number in range(30):
        words = PAPER.replace(">123<", f">{number % 29 + 1}<").replace(">45<", f">{number % 29 + 100}<")
        words = words.replace("PONE.1<", f"PONE.{number % 29}<").replace("New.", f"New {number}. TP53 in HeLa cells.")
        (tmp_path / f"{number:02}.nxml").write_text(words)
    inner = [tmp_path / f"{number:02}.nxml" for number in range(10, 20)]
    (tmp_path / "10.zip").write_bytes(zipped({path.name: path.read_bytes() for path in inner}))
    for path in inner:
        path.unlink()
    (tmp_path / "30.nxml").write_text("<article>")
    return {"paths": [str(tmp_path)]}


def imported(payload: dict[str, Any], engine: Engine, **more: Any) -> tuple[dict[str, int], Rows]:
    """(counts, rows) of an import by this engine, without the times of the articles."""
    counts = store(importing.batches_of(payload, engine, lambda: None, lambda: False), **more).as_dict()["counts"]
    articles = "SELECT id, key, pmid, pmcid, doi, title, split, source, sentence_count FROM article ORDER BY id"
    return counts, {"article": query(articles)} | contents(*PARTS)


def test_an_import_that_is_cancelled_and_begun_anew_while_a_machine_is_killed_stores_the_same_rows(
    papers: dict[str, Any],
    other_home: Callable[[], None],
    cluster: Any,
    two: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, rows = imported(papers, HERE)
    other_home()
    monkeypatch.setattr(importing, "BUNDLE_FILES", 2)
    done: list[int] = []
    begun: list[int] = []

    def count(report: ImportReport) -> None:
        done.append(report.counts.total())

    def kill_at_the_second_batch(report: ImportReport) -> None:
        begun.append(report.counts.total())
        if len(begun) == 2:
            cluster.remove_node(two, False)

    with ray_at(cluster) as engine:
        counts, part = imported(papers, engine, progress=count, cancelled=lambda: len(done) == 3)
        assert counts["stored"] == 6 == done[-1] == len(part["article"])
        assert [row[-1] for row in part["article"]] == [26] * 6 and len(part["sentence"]) == 6 * 26
        counts, whole = imported(papers, engine, progress=kill_at_the_second_batch)
    assert counts == {"stored": 23, "full text added": 0, "already there": 7, "failed": 1}
    assert len(begun) == 16 and whole == rows and len(rows["article"]) == 29


def test_files_of_a_watched_folder_are_opened_on_other_machines_as_they_were_seen(
    papers: dict[str, Any], other_home: Callable[[], None], tmp_path: Path, cluster: Any, two: Any
) -> None:
    files = sorted(path.resolve() for path in tmp_path.iterdir() if path.suffix in (".nxml", ".zip"))
    signs = {str(path): sign_of(path.lstat()) for path in files}
    watched = {"paths": [*signs], "watched": "folder", "signs": signs}
    changed, linked = files[0], files[1]
    changed.write_text("<article>" + "changed since" * 9)
    secret = tmp_path / "elsewhere.txt"
    secret.write_text("Cells grew fast in the secret garden.")
    linked.unlink()
    linked.symlink_to(secret)
    counts, rows = imported(watched, HERE)
    assert counts == {"stored": 28, "full text added": 0, "already there": 0, "failed": 3}
    other_home()
    with ray_at(cluster) as engine:
        assert imported(watched, engine) == (counts, rows)
    assert "secret" not in str(rows)


def derived(engine: Engine) -> tuple[list[int], Rows]:
    """What is embedded, proposed, recognised and read by this engine: (how many, rows), without ids and times."""
    version = proposing_version()
    counts = [
        embedding.embed(version, engine=engine),
        proposing.propose(engine=engine),
        tagging.tag_articles(engine=engine),
        reading.read_articles(engine=engine),
    ]
    asked = {
        "proposal_set": "SELECT article_id, version_id, ranking, query, k FROM proposal_set ORDER BY id",
        "proposal": "SELECT sentence_id, rank, score, cosine FROM proposal ORDER BY set_id, rank",
        "article_scan": "SELECT article_id, version FROM article_scan WHERE kind = 'entities' ORDER BY 1",
        "entity_candidate": "SELECT paragraph_id, start, type, name, probability FROM entity_candidate ORDER BY 1, 2",
        "label_proposal": "SELECT article_id, kind, rank, name, probability FROM label_proposal ORDER BY 1, 2, 3",
        "embedding": "SELECT article_id, sentence_count, vectors FROM embedding ORDER BY 1",
        "article_roles": "SELECT article_id, version, roles, vectors FROM article_scan WHERE kind = 'roles' ORDER BY 1",
    }
    return counts, {name: query(statement) for name, statement in asked.items()}


def alike(one: Any, other: Any) -> bool:
    """Whether values are the same, numbers but for what the order of sums makes of them."""
    if isinstance(one, bytes | memoryview) and len(bytes(one)) % 2 == 0:
        halves = [np.frombuffer(bytes(value), dtype=np.float16) for value in (one, other)]
        return bytes(one) == bytes(other) or np.allclose(*halves, atol=2e-3)
    return bool(one == (pytest.approx(other, abs=2e-3) if isinstance(other, float) else other))


def test_what_is_embedded_proposed_recognised_and_read_is_the_same(
    few_genes: Path, tiny_home: Path, cluster: Any, two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "CHUNK_ARTICLES", 4)
    for module in (tagging, reading, proposing):
        monkeypatch.setattr(module, "BATCH_ARTICLES", 4)
    store_papers(*(paper(pmid=str(number)) for number in range(1, 22)))
    counts, rows = derived(HERE)
    assert counts == [63, 21, 21, 21] and all(rows.values())
    with write(Right.SYSTEM) as session:
        for table in DERIVED:
            session.execute(text(f"DELETE FROM {table}"))
    with ray_at(cluster) as engine:
        again = derived(engine)
    assert again[0] == counts
    for name, expected in rows.items():
        assert len(again[1][name]) == len(expected), name
        for one, other in zip(again[1][name], expected, strict=True):
            assert all(map(alike, one, other)), name


def test_a_simulation_and_an_experiment_come_to_the_same(tiny_home: Path, tmp_path: Path, cluster: Any) -> None:
    paths = {}
    for part in ("train", "test"):
        rows = [
            {"id": f"{part}{number}", "sentences": ["cells .", "tp53 knockout .", "buffer ."], "labels": [0, 1, 0]}
            for number in range(8)
        ]
        paths[part] = str(tmp_path / f"{part}.jsonl")
        Path(paths[part]).write_text("".join(json.dumps(row) + "\n" for row in rows))
    replays = {"name": "try", "strategies": ["random"], "seed_articles": 2, "seeds": 2, "encoder": "tiny"}
    runs = {"name": "try", "settings": {"encoder": "tiny", "epochs": 1, "batch_size": 8}, "rows": [{"name": "a"}]}
    elsewhere = {"engine": {"name": "ray", "address": cluster.address}}
    for kind, payload, stored in (
        ("simulate", {"spec": replays | {"corpus": "files"}, "files": [paths["test"]]}, "simulation"),
        ("experiment", {"spec": runs, "files": paths}, "experiment"),
    ):
        done = run_here(kind, payload | elsewhere, HANDLERS, lambda progress: None)
        keys = f"SELECT key FROM finished_run WHERE kind = '{stored}' ORDER BY key"
        by_ray = query(keys)
        assert done["failed"] == [] and len(by_ray) == done["done_now"] == done["runs"]
        with write(Right.SYSTEM) as session:
            session.execute(text("DELETE FROM finished_run"))
        again = run_here(kind, payload | {"processes": 1}, HANDLERS, lambda progress: None)
        assert again["rows"] == done["rows"] and by_ray == query(keys)
