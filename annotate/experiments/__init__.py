"""Studies on labelled corpora: grids of trainings (experiments) and replays of query strategies (simulations).

In: a spec file, a corpus. Out: finished runs, stored once, and the tables and curves made from them.
"""
