"""What pages are made of, grouped by the words of the menu. The only place besides pages/ that imports Streamlit.

The order is held by tests/house/test_house.py: parts on one line know nothing of each other; all may import shared,
and shared may import frame.
"""
