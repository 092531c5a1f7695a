"""What pages are made of, grouped by the words of the menu. The only place besides pages/ that imports Streamlit.

Order, held by a test: articles, review, gold, training, evaluation, studies, team, operations, server know nothing of
each other; they may import shared, and shared may import frame.
"""
