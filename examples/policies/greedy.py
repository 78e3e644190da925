"""Greedy: the unit with the fewest valid pages, among equals the one that has been so longest."""


def victim(units):
    return units[0]
