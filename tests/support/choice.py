"""Which tests a run takes, on which database, and in which order."""

import os
from itertools import groupby

import pytest

# Left out on PostgreSQL, by where they stand below tests/: what they prove is not of the database, or tests that stay
# ask it the same. A test there that alone asks for some statement is marked `postgresql`, and runs on both; whether
# every statement is asked on both, a run of all tests says (tests/support/statements.py). What locks, and what texts
# and numbers of others reach, stays: the database itself, faults, verdicts, experts, decisions, gold, accounts, inputs.
SQLITE_IS_ENOUGH = {
    "browser/": "a browser before pages whose queries the tests of pages and routes run",
    "faults/test_restart": "the app's process",
    "faults/test_search_index": "processes that write the search's own files",
    "faults/test_workers": "training and its processes",
    "annotate/active_learning/": "what is learnt, and the order of sentences and articles by it",
    "annotate/articles/importing/test_wrongly_split": "where sentences end",
    "annotate/articles/test_document_labels": "how files are read and cut; they store as every import does",
    "annotate/articles/test_parsing": "how files are read",
    "annotate/articles/test_reference_files": "how files are read",
    "annotate/articles/test_works": "identifiers of articles",
    "annotate/cli/": "options, words and exit codes of functions that have tests of their own",
    "annotate/embeddings/": "vectors and their files",
    "annotate/encoders/": "vectors, files and scores",
    "annotate/entities/": "names in texts, and files of them",
    "annotate/evaluation/": "figures, and who is asked what, drawn by lot",
    "annotate/experiments/": "training, and what is replayed",
    "annotate/finding/": "what ranks first, and why",
    "annotate/gold/formats/": "how files are written and read",
    "annotate/gold/test_contradictions": "which sentences are alike",
    "annotate/gold/test_export_file": "how files are written",
    "annotate/gold/test_import_file": "how files are read",
    "annotate/gold/test_label_sets": "which label follows from what was said",
    "annotate/gold/test_matching": "which text is whose",
    "annotate/gold/test_sample": "the package that holds the sample",
    "annotate/jobs/test_supervisor": "processes of jobs",
    "annotate/llm/": "what a model is asked, and says",
    "annotate/operations/test_kept_files": "files",
    "annotate/operations/test_model_files": "files of models, and what pages say without them",
    "annotate/operations/test_overview": "sums of what is there",
    "annotate/operations/test_prometheus": "names and numbers of the page of metrics",
    "annotate/operations/test_startup_checks": "the settings of the app, and SQLite's library",
    "annotate/operations/test_warm_up": "what the process loads when it begins",
    "annotate/operations/test_watched_folder": "files that come and go",
    "annotate/proposing/": "encoders, vectors and rankings of sentences",
    "annotate/registry/test_versions": "eight kinds of versions by the same statements",
    "annotate/related/": "vectors beside one another",
    "annotate/retraining/": "training",
    "annotate/review/test_anchoring": "simulated experts",
    "annotate/review/test_article_view": "what the reader is told of an article",
    "annotate/review/test_keys": "keys of the keyboard",
    "annotate/review/test_waiting": "sums of what is left",
    "annotate/roles/": "networks that read, scores and vectors",
    "annotate/screening/": "probabilities that are learnt",
    "annotate/search/": "an index of its own",
    "annotate/test_capabilities": "parts that are off",
    "annotate/topics/": "words and patterns",
    "inputs/test_fuzz": "how files are read",
    "inputs/test_hostile.py::test_a_file_is_refused": "refused by the reader, before the database",
    "inputs/test_hostile.py::test_no_file_makes_a_request": "the reader of files",
    "inputs/test_models": "folders of models",
    "inputs/test_pages.py::test_18": "what the server takes in",
    "inputs/test_pages.py::test_20": "what the server takes in",
    "inputs/test_pages.py::test_a_filter": "a pattern, before any query",
    "inputs/test_pages.py::test_an_upload": "names of files",
    "pages/api/test_lists": "JSON of what rooms below list",
    "pages/articles/": "drawing, and uploads",
    "pages/encoders/": "drawing what is stored",
    "pages/evaluation/": "drawing what is stored",
    "pages/experiments/": "drawing what annotate/experiments stores",
    "pages/finding/": "drawing what annotate/finding finds",
    "pages/frame/test_menu": "drawing",
    "pages/gold/": "drawing, and files of what annotate/gold decides",
    "pages/llm/": "drawing what is stored",
    "pages/operations/": "drawing what is stored",
    "pages/related/": "drawing what annotate/related finds",
    "pages/retraining/": "drawing, and training",
    "pages/review/test_blind": "drawing; who is told what, annotate/review decides",
    "pages/review/test_progress": "drawing what annotate/review counts",
    "pages/review/test_queue": "drawing what annotate/review hands out",
    "pages/review/test_reader": "drawing",
    "pages/roles/": "drawing what is stored",
    "pages/server/test_ops_routes": "routes of the app's process",
    "pages/shared/": "drawing, and downloads",
    "pages/start/": "drawing",
    "pages/team/": "drawing what annotate/team decides and counts",
    "pages/webhook/": "drawing what is stored",
}

# Left out of `make test-fast`, likewise: browsers, servers and other processes, torch, faults, hostile files, and what
# takes long. The files that import torch or start something stand here whole, so that they are not even read.
NOT_FAST = {
    "browser/": "a browser",
    "faults/": "faults, with servers and kills",
    "inputs/": "hostile files, large ones among them",
    "model/finding/": "torch",
    "model/active_learning/test_key_sentence_ranker": "torch",
    "model/review/": "simulated reviews",
    "model/roles/": "torch",
    "model/test_agreement": "simulated experts",
    "model/test_devices": "torch",
    "model/test_families": "torch",
    "model/test_streaming": "torch",
    "model/training/": "torch",
    "model/test_encoder": "torch",
    "house/test_app_forged": "a server",
    "house/test_assertions": "every file of the tests",
    "house/test_deploy": "a server and a proxy",
    "house/test_lived_in": "every page on every release",
    "house/test_load": "load on servers",
    "house/test_notebook": "a kernel of Jupyter",
    "house/test_projects": "servers",
    "house/test_wheel": "a package, and its programs",
    "annotate/projects/test_running": "processes",
    "house/test_house": "half a minute: every file of the house",
    "db/test_migrate_released": "processes that are killed",
    "db/test_engine_postgresql": "a server",
    "db/test_migrate.py::test_a_kill": "processes that are killed",
    "db/test_migrate.py::test_two_processes": "processes",
    "annotate/active_learning/test_article_rankers": "training",
    "annotate/active_learning/test_choosing": "training",
    "annotate/active_learning/test_heads": "training",
    "annotate/active_learning/test_live_ranking": "training",
    "annotate/articles/importing/test_read_beside": "processes",
    "annotate/articles/test_seen_files": "processes",
    "annotate/articles/test_parsing_jats.py::test_no_paragraph": "seven seconds: every real article",
    "annotate/articles/test_parsing_medline.py::test_a_real_baseline_file": "seconds: a file of PubMed",
    "annotate/cli/": "training, and processes",
    "annotate/test_parts_deleted": "processes, and training",
    "annotate/embeddings/test_keeping": "torch",
    "annotate/encoders/": "torch",
    "annotate/engines/test_on_ray": "processes",
    "annotate/entities/test_evaluate_taggers": "training",
    "annotate/entities/test_vocabularies": "the gene tables, half a minute",
    "annotate/finding/rankers/": "training",
    "annotate/gold/test_sample": "nineteen seconds: the whole sample",
    "annotate/jobs/test_lifecycle": "processes",
    "annotate/operations/test_backup": "a server",
    "annotate/operations/test_copying": "a server",
    "annotate/operations/test_model_files": "torch",
    "annotate/operations/test_prometheus": "a project of ten thousand articles",
    "annotate/operations/test_startup_checks": "processes",
    "annotate/project/test_logs": "processes",
    "annotate/project/test_own_database_postgresql": "a server",
    "annotate/project/test_rights": "every function that writes, for every role",
    "annotate/proposing/test_embed": "torch",
    "annotate/proposing/test_encoders": "torch",
    "annotate/proposing/test_roles": "torch",
    "annotate/related/": "torch, and training",
    "annotate/review/test_anchoring": "simulated experts",
    "annotate/review/test_expert_assignments.py::test_eight": "eight threads of experts",
    "annotate/review/test_verdicts.py::test_a_kill": "processes that are killed",
    "annotate/experiments/": "training",
    "annotate/retraining/": "training",
    "annotate/roles/": "torch",
    "annotate/screening/": "training",
    "annotate/topics/test_slow_patterns": "patterns that never end",
    "pages/evaluation/": "pages over a whole evaluation",
    "pages/frame/test_rights": "every page for every role",
    "pages/operations/": "a project of ten thousand articles",
    "pages/server/test_ops_routes.py::test_a_database_that_takes_no_writes": "ten seconds of waiting for a lock",
    "pages/experiments/": "training",
    "pages/related/": "torch",
    "pages/retraining/": "training",
    "pages/review/test_blind": "every page for every expert",
    "pages/roles/": "torch",
    "pages/server/test_connections": "a server",
    "pages/server/test_files": "every file of every page",
    "pages/server/test_start": "a server",
    "pages/shared/test_downloads": "every file of the pages",
}

SLOW_FIXTURES = {"tiny_encoder", "tiny_home", "postgresql"}


def place(node: pytest.Item | str) -> str:
    """Where a test, or a file of tests, stands below tests/."""
    return (node if isinstance(node, str) else node.nodeid).removeprefix("tests/")


def is_unread(file: str) -> bool:
    """Whether the fast run does without all of this file or folder, so that it need not import it."""
    return f"{file}/".startswith(tuple(part for part in NOT_FAST if "::" not in part))


def is_fast(item: pytest.Function) -> bool:
    """Whether a test belongs to the fast run."""
    return not place(item).startswith(tuple(NOT_FAST)) and not set(item.fixturenames) & SLOW_FIXTURES


def is_of_postgresql(item: pytest.Item, fixtures: list[str]) -> bool:
    """Whether a test runs on PostgreSQL, too."""
    if "home" not in fixtures or item.get_closest_marker("sqlite"):
        return False
    return bool(item.get_closest_marker("postgresql")) or not place(item).startswith(tuple(SQLITE_IS_ENOUGH))


def dealt(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests in the order in which each process of a run begins with its share of what takes long, file by file.

    A process is given as many tests as any other, those that follow one another, and takes some of another's last when
    it has done its own: in the end only short ones are left, and none waits long for the others.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    slow = [item for item in items if place(item).startswith(tuple(NOT_FAST))]
    quick = [item for item in items if not place(item).startswith(tuple(NOT_FAST))]
    shares: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for number, (_, tests) in enumerate(groupby(slow, key=lambda item: item.path)):
        shares[number % processes] += tests
    ordered: list[pytest.Item] = []
    for number, share in enumerate(shares):
        size = (len(items) - len(ordered)) // (processes - number)  # as the scheduler divides them
        filling = max(size - len(share), 0) if number < processes - 1 else len(quick)
        ordered += share + quick[:filling]
        quick = quick[filling:]
    return ordered
