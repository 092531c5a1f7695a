"""The notebook of the documentation runs from its first cell to its last; it is committed without what it prints."""

import re

import pytest

from tests.support.paths import ROOT

nbformat = pytest.importorskip("nbformat", reason="requirements-dev.txt is not installed")
nbclient = pytest.importorskip("nbclient", reason="requirements-dev.txt is not installed")
traitlets = pytest.importorskip("traitlets.config", reason="requirements-dev.txt is not installed")
kernels = pytest.importorskip("jupyter_client.kernelspec", reason="requirements-dev.txt is not installed")

pytestmark = pytest.mark.sqlite("a notebook and its kernel")
NOTEBOOK = ROOT / "docs" / "ranker.ipynb"


def test_it_is_committed_without_outputs() -> None:
    cells = [cell for cell in nbformat.read(NOTEBOOK, 4).cells if cell.cell_type == "code"]
    assert len(cells) == 4 and not any(cell.outputs or cell.execution_count for cell in cells)


@pytest.mark.skipif("python3" not in kernels.find_kernel_specs(), reason="no kernel: python -m ipykernel install")
def test_it_ranks_the_sentences_of_an_article_by_ten_examples() -> None:
    notebook = nbformat.read(NOTEBOOK, 4)
    # By files: another test may take a port that was free when the kernel was told of it.
    by_files = traitlets.Config(ConnectionFileMixin={"transport": "ipc"})
    within = {"metadata": {"path": str(ROOT)}}
    nbclient.NotebookClient(notebook, timeout=250, resources=within, config=by_files).execute()
    cells = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    printed = ["".join(one.text for one in own if one.get("name") == "stdout") for own in cells]
    assert printed[0] == "49 articles, 396 sentences, 39 of them key\n"
    learnt, by_lot = map(float, re.findall(r"[\d.]{5}", printed[2].splitlines()[0]))
    assert by_lot < 0.2 and 0.4 < learnt <= 1
    points = [float(line.split()[0]) for line in printed[2].splitlines()[1:]]
    assert len(points) == 5 and points == sorted(points, reverse=True)
    (figure,) = (one.data["application/vnd.plotly.v1+json"] for one in cells[3] if "data" in one)
    assert {bars["name"] for bars in figure["data"]} == {"key", "other"}
