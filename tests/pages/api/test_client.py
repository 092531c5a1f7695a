"""The example client of the documentation does what it says, against a running app."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from annotate.project.acting import OPERATOR, acting
from tests.support.api import token_of
from tests.support.browser import serving
from tests.support.making import judge, query, store_proposed, verdict
from tests.support.paths import ROOT


def client_module() -> Any:
    given = importlib.util.spec_from_file_location("api_client", ROOT / "docs" / "api_client.py")
    assert given is not None and given.loader is not None
    module = importlib.util.module_from_spec(given)
    given.loader.exec_module(module)
    return module


def test_it_trains_on_the_gold_of_a_server_and_posts_verdicts(
    home: Path, tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with acting(OPERATOR):
        store_proposed(3)
        for article_id in (1, 2):
            judge("Anna", article_id, verdict(1), verdict(0, "reject"), verdict(2, "unsure"))
    client = client_module()
    monkeypatch.setenv("KEYLINE_TOKEN", token_of("Zoe"))
    with serving(home) as server:
        arguments = ["api_client.py", server.url, "--encoder", str(tiny_encoder), "--article", "3", "--most", "2"]
        monkeypatch.setattr("sys.argv", arguments)
        client.main()
        with pytest.raises(client.requests.HTTPError, match="401: needs the header"):
            client.Keyline(server.url, "wrong").get("/me")
    told = capsys.readouterr().out
    assert "Zoe: 4 labelled sentences, 2 key" in told and "stored: 2 verdicts" in told
    said = "SELECT article_id, value FROM verdict JOIN annotator ON annotator.id = annotator_id WHERE name = 'Zoe'"
    assert query(said) == [(3, "accept"), (3, "accept")]
