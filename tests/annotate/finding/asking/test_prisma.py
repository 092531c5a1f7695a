"""PRISMA's counts of a screening: what imports found, what was said, and which full texts are here."""

import pytest

from annotate.finding.asking.prisma import flow, flow_file
from annotate.finding.asking.saved import ALL_ARTICLES, judged, keep
from annotate.finding.asking.screening import progress
from annotate.project.home import read
from annotate.work import run_job
from tests.support.finding import relevance, say
from tests.support.making import paper, query, store

RECORD = "TY  - JOUR\nTI  - {0}\nAB  - Words of {0}.\nAN  - {1}\nDB  - PubMed\nER  -\n"


@pytest.mark.postgresql
def test_the_boxes_add_up(home, tmp_path) -> None:
    file = tmp_path / "a.ris"
    file.write_text("".join(RECORD.format(f"Number {n}", n) for n in (1, 2, 3, 4, 1)) + "TY  - JOUR\nER  -\n")
    run_job("import", {"paths": [str(file)], "fetch": False})
    store(paper(body=("A full text.",), pmid="9"))
    mine = keep("Anna", ALL_ARTICLES)
    say("Anna", mine, relevance("pmid:1"), relevance("pmid:2", "not"), relevance("pmid:9", "unsure"))
    with read() as session:
        said = judged(session, mine, "Anna")
        pool = [key for (key,) in query("SELECT key FROM article ORDER BY id") if key != "pmid:4"]
        boxes = flow(session, pool, said, progress(pool, said))
    assert [(box.words, box.count) for box in boxes] == [
        ("Records identified", 7),
        ("Duplicate records removed", 1),
        ("Records removed for other reasons", 1),
        ("Records outside of this screening", 1),
        ("Records screened", 3),
        ("Records excluded", 1),
        ("Records not screened", 1),
        ("Reports sought for retrieval", 2),
        ("Reports retrieved", 1),
        ("Reports not retrieved", 1),
    ]
    assert flow_file(boxes).splitlines()[:2] == ["part,box,count", "Identification,Records identified,7"]
