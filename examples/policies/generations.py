"""Generations: pages lie beside those that survived as many cleanings."""

streams = 3


def moved(unit):
    return min(unit.stream + 1, 2)
