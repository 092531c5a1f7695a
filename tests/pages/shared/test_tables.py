"""Tables that several pages show."""

from streamlit.testing.v1 import AppTest


def test_a_missing_value_is_an_empty_cell():
    def page() -> None:
        from pages.parts.shared.tables import show_table

        show_table([{"year": 2001, "journal": "Cell"}, {"year": None, "journal": None}])

    shown = AppTest.from_function(page).run()
    assert not shown.exception
    assert shown.dataframe[0].proto.placeholder == ""
    assert shown.dataframe[0].proto.HasField("placeholder")
