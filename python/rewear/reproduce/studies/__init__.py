"""What claims are checked with that are no replays of a trace on a drive.

Each module belongs to a paper, `common` to all. A function takes plain arguments and returns named numbers: single
values, or tables of them by label.
"""
