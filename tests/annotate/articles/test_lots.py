"""An order by lot stays as it is, whoever comes or goes."""

import hashlib

import pytest

from annotate.articles.lots import by_lot

pytestmark = pytest.mark.sqlite("asks no database")


def test_others_who_come_or_go_change_no_order_and_each_purpose_has_its_own():
    drawn = by_lot("one", range(100))
    assert sorted(drawn) == [*range(100)] != drawn
    assert by_lot("one", range(0, 100, 2)) == [number for number in drawn if number % 2 == 0]
    assert by_lot("another", range(100)) != drawn


def test_stored_lots_stay_those_of_the_purpose_and_the_name_of_each():
    hashed = {number: hashlib.sha256(f"head:pmid-{number}".encode()).digest() for number in range(20)}
    assert by_lot("head", range(20), lambda number: f"pmid-{number}") == sorted(range(20), key=hashed.__getitem__)
