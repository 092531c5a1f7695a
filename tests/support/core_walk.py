"""Walks through copies of the product from each of which a part was deleted: the core works in all of them.

python core_walk.py ENCODER MIGRATED COPY...: each COPY is walked by a copy of this process, which has imported what all
of them import from other packages. Prints the names of those that came through, and why the others did not.
"""

import gc
import importlib
import io
import json
import os
import shutil
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

HEAVY = (
    "fastapi", "pandas", "plotly.graph_objects", "sentence_transformers", "sklearn.linear_model", "sqlalchemy.orm",
    "starlette.routing", "streamlit.testing.v1", "tantivy", "torch", "transformers",
)  # fmt: skip
ARTICLE = (
    "<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>A gene, {pmid}</ArticleTitle><Abstract>"
    "<AbstractText>The gene was known. Here we deleted TP53 in HeLa cells {pmid}. The assay was measured."
    "</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
)
TRAINING = "--epochs 1 --batch-size 8 --warmup-steps 0 --evaluate-every 0 --averaged-runs 1".split()


def walk(product: Path, encoder: Path, migrated: Path) -> None:
    """Imports articles, proposes, judges, exports gold, trains, promotes, backs up, and opens every page."""
    home = product / "keyline"
    home.mkdir()
    shutil.copyfile(migrated, home / "keyline.sqlite")
    os.environ["KEYLINE_HOME"] = str(home)
    os.chdir(product)
    sys.path.insert(0, str(product))
    from annotate.jobs import lifecycle
    from annotate.proposing.encoders import add_encoder

    assert Path(lifecycle.__file__).is_relative_to(product)
    lifecycle._start_process = lambda *_, **__: None  # what begins by itself after an import is no part of the walk
    add_encoder(str(encoder), "tiny")
    _command("promote", "tiny", "--no-propose", "--even-if-worse")
    pmids = [*_pmids("train", 4), *_pmids("validation", 1), *_pmids("test", 2)]
    articles = "".join(ARTICLE.format(pmid=pmid) for pmid in pmids)
    (product / "articles.xml").write_text(f"<PubmedArticleSet>{articles}</PubmedArticleSet>")
    assert _command("import", "articles.xml")["counts"]["stored"] == len(pmids)
    assert _command("propose")["articles_proposed"] == len(pmids)
    _judge(len(pmids))
    _command("gold", "export", "gold.csv")
    assert Path("gold.csv").read_text().count("\n") == 1 + 2 * len(pmids)
    child = _command("train", *TRAINING)["child"]
    _command("promote", child, "--even-if-worse")
    _command("backup", "backup.tar")
    _refuse_jobs()
    _open_pages()


def _command(*arguments: str) -> dict[str, Any]:
    from annotate.cli.main import main

    with redirect_stdout(io.StringIO()) as printed:
        code = main([*arguments, "--json"])
    assert code == 0, (arguments, code, printed.getvalue())
    return json.loads(printed.getvalue().splitlines()[-1])


def _pmids(split: str, count: int) -> list[int]:
    from annotate.articles.article_rows import split_of

    return [number for number in range(1000, 2000) if split_of(f"pmid:{number}") == split][:count]


def _judge(articles: int) -> None:
    from annotate.review.verdicts import record

    for article_id in range(1, articles + 1):
        events = [
            {"id": f"{article_id:031}{place}", "kind": "verdict", "sentence": place, "value": value}
            for place, value in ((0, "reject"), (1, "accept"))
        ]
        assert record("Anna", article_id, events) == ([event["id"] for event in events], [])


def _refuse_jobs() -> None:
    """A job of a part that is gone is refused in words."""
    from annotate.jobs.kinds import KINDS
    from annotate.work import HANDLERS, run_job

    for kind in KINDS.keys() - HANDLERS:
        try:
            run_job(kind, {})
        except ValueError as error:
            assert str(error).endswith("is switched off"), (kind, str(error))
        else:
            raise AssertionError(kind)


def _open_pages() -> None:
    from streamlit.testing.v1 import AppTest

    from pages.parts.frame.entries import entries

    assert {f"{name}.py" for name in entries()} == {path.name for path in Path("pages").glob("*.py")}
    for name in entries():
        run = AppTest.from_file(str(Path("pages", f"{name}.py").resolve()), default_timeout=60)
        run.session_state["annotator"] = "Anna"
        run.run()
        assert not run.exception, (name, [each.value for each in run.exception])


def _walk_in_a_copy_of_this_process(product: Path, encoder: Path, migrated: Path) -> bool:
    child = os.fork()
    if not child:
        try:
            walk(product, encoder, migrated)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    gc.disable()
    for heavy in HEAVY:
        importlib.import_module(heavy)
    import scanning  # by the folder of this file: the root of the repository would bring the pages that were deleted

    scanning.scan_once()
    scanning.compile_scripts_once()
    gc.freeze()
    gc.enable()
    given = [Path(each).resolve() for each in sys.argv[1:]]
    for copy in given[2:]:
        print(copy.name, "walked" if _walk_in_a_copy_of_this_process(copy, *given[:2]) else "failed", flush=True)
