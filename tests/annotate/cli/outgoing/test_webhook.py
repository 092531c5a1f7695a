"""The commands `webhook`."""

from tests.support.making import judge, paper, store, verdict
from tests.support.webhook_receiver import receiver


def test_it_is_set_tested_delivered_and_skipped(home, cli, monkeypatch):
    monkeypatch.setenv("KEYLINE_WEBHOOK_PRIVATE", "1")
    store(paper(pmid="1"))
    assert cli("webhook")[1]["address"] == "none"
    assert "name an address" in cli("webhook", "test")[1]["error"]
    with receiver() as made:
        code, result, _ = cli("webhook", "set", "--address", made.address, "--no-jobs")
        assert (code, result["address"], result["jobs"]) == (0, made.address, False)
        assert result["secret"].startswith("keyline_wh_")
        assert "secret" not in cli("webhook", "set", "--gold")[1]
        assert cli("webhook", "secret")[1]["secret"] != result["secret"]
        assert cli("webhook", "test")[:2] == (0, {"taken": True, "problem": ""})
        cli("webhook", "deliver")
        judge("Anna", 1, verdict(0))
        assert cli("webhook", "deliver")[1] == {"taken": 1}
        made.answers = [500]
        judge("Anna", 1, verdict(1))
        cli("webhook", "deliver")
        code, result, _ = cli("webhook", "status")
        assert (result["sent"], result["failures"], result["problem"]) == (1, 1, "the receiver answered 500")
        assert cli("webhook", "skip")[1]["failures"] == 0
        made.answers = [404]
        assert cli("webhook", "test")[:2] == (1, {"taken": False, "problem": "the receiver answered 404"})
