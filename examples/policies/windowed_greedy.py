"""Windowed greedy: the fewest valid pages among the oldest units."""

window = 16


def victim(units):
    oldest = sorted(units, key=lambda unit: -unit.age)[:window]
    return min(oldest, key=lambda unit: unit.valid)
