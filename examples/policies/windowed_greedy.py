"""Windowed greedy: the fewest valid pages among the 16 oldest units."""


def victim(units):
    oldest = sorted(units, key=lambda unit: -unit.age)[:16]
    return min(oldest, key=lambda unit: unit.valid)
