"""The search index under kills, beside other processes, and on a full disk: whole afterwards, and said in words."""

import pytest

from annotate.project.home import read
from annotate.search.index_files import stored_index
from annotate.search.upkeep import behind, catch_up, update, update_whole
from tests.annotate.search.conftest import asked
from tests.support.copies import Copy
from tests.support.making import paper, store

ARTICLES = 60
# Indexes slowly and commits often, telling each commit.
INDEXING = """
import sys, time
from annotate.search import upkeep
upkeep.BATCH_ARTICLES, upkeep.COMMIT_SENTENCES = 2, 4
real = upkeep._Writers.commit
def commit(self):
    print("commit", flush=True)
    real(self)
    print("committed", flush=True)
upkeep._Writers.commit = commit
print("ready", flush=True)
upkeep.update(anew=sys.argv[1] == "anew")
print("done", flush=True)
"""
SEARCHING = """
import time
from tests.annotate.search.conftest import asked
print("ready", flush=True)
until = time.monotonic() + 3
while time.monotonic() < until:
    found = asked("gene", limit=100)
    assert len({hit.article_id for hit in found.hits}) == found.count, found
print("done", found.count, flush=True)
"""

CATCHING_UP = """
print("ready", flush=True)
from annotate.search.upkeep import catch_up
catch_up()
"""


def process(code: str, argument: str = "") -> Copy:
    started = Copy(code, argument)
    assert started.stdout.readline() == "ready\n"
    return started


def many(number: int = ARTICLES, begin: int = 1) -> None:
    store(*(paper(("The gene was lost.", "Cells grew."), pmid=str(begin + at)) for at in range(number)))


def assert_whole(number: int) -> None:
    """Everything is in the index once."""
    with read() as session:
        assert len(behind(session)) == 0
    assert asked("gene", limit=1).count == number
    assert asked("gene", sentences=True, limit=1).count == number
    index = stored_index()
    assert index is not None
    index.check()
    assert index.sentences.searcher().num_docs == sum(index.articles.numbers("sentences")[0]) == 2 * number


@pytest.mark.parametrize("word", ["ready", "commit\n", "committed\n"])
@pytest.mark.parametrize("times", [1, 5])
def test_an_index_killed_in_the_midst_is_whole_afterwards(home, word, times):
    many()
    killed = process(INDEXING, "")
    seen = 0 if word != "ready" else times
    while seen < times:
        seen += killed.stdout.readline() == word
    killed.kill()
    killed.wait()
    found = stored_index()
    if found is not None:  # what was committed can be searched before anything is mended
        assert asked("gene").count <= ARTICLES
    update_whole(lambda done, total: None, lambda: False, lambda stage: None)
    assert_whole(ARTICLES)


def test_an_index_killed_while_built_anew_is_built_again(home):
    many()
    update()
    killed = process(INDEXING, "anew")
    assert killed.stdout.readline() == "commit\n"
    killed.kill()
    killed.wait()
    assert catch_up() in range(ARTICLES + 1)
    update_whole(lambda done, total: None, lambda: False, lambda stage: None)
    assert_whole(ARTICLES)


def test_two_processes_that_update_and_one_that_searches_meet_no_error(home):
    many()
    update()
    searching = process(SEARCHING)
    many(20, begin=1_000)
    first = process(CATCHING_UP)
    update_whole(lambda done, total: None, lambda: False, lambda stage: None)
    for each in (first, searching):
        told, _ = each.communicate(timeout=120)
        assert each.returncode == 0, told
    catch_up()
    assert_whole(ARTICLES + 20)
