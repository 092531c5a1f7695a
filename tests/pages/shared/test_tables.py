"""Tables that several pages show."""

import re

from streamlit.testing.v1 import AppTest

from tests.support.told import html, table_named


def test_a_missing_value_is_an_empty_cell():
    def page() -> None:
        from pages.parts.shared.tables import show_table

        show_table([{"year": 2001, "journal": "Cell"}, {"year": None, "journal": None}])

    shown = AppTest.from_function(page).run()
    assert not shown.exception
    assert shown.dataframe[0].proto.placeholder == ""
    assert shown.dataframe[0].proto.HasField("placeholder")


def test_a_text_that_its_row_cannot_hold_ends_with_an_ellipsis():
    def page() -> None:
        from pages.parts.shared.tables import show_table

        rows = [{"title": "word " * 30, "who": "A name " * 30}, {"title": "x" * 90, "who": None}, {"title": "short"}]
        show_table(rows, widths={"title": 165, "who": 70})

    titles, names = (AppTest.from_function(page).run().dataframe[0].value[name] for name in ("title", "who"))
    assert titles.tolist() == [f"{'word ' * 10}…", f"{'x' * 54} …", "short"]
    assert names[0] == "A name " * 30  # a narrow column holds names and numbers


def test_numbers_stand_to_the_right_and_a_column_without_any_value_is_left_out():
    def page() -> None:
        from pages.parts.shared.tables import text_table

        one = {"name": "a", "share": "4%", "count": 1200, "size": "1.2 MB", "note": None}
        rows = [one, {"name": "b", "share": "–", "count": None, "size": "7 kB"}]
        text_table(rows, "Counts", helps={"share": "of all"}, old=[False, True])

    drawn = AppTest.from_function(page).run()
    assert table_named(drawn, "Counts") == [
        ["Name", "Share", "Count", "Size"],
        ["a", "4%", "1,200", "1.2 MB"],
        ["b", "–", "", "7 kB"],
    ]
    assert re.findall(r'<th scope="col" class="number"[^>]*>(\w+)', html(drawn)) == ["Share", "Count", "Size"]
    assert 'title="of all"' in html(drawn) and html(drawn).count('<tr class="old">') == 1
