"""Studies for claims that no replay of a trace on a drive can test.

Each module belongs to a paper, `common` to all. A function takes plain arguments and returns named numbers: single
values, or tables of them by label.
"""
