"""Cost-benefit: the largest age x (1 - u) / 2u, where u is the share of valid pages."""


def benefit(unit):
    if unit.valid == 0:
        return float("inf")
    return unit.age * (unit.pages - unit.valid) / (2 * unit.valid)


def victim(units):
    return max(units.oldest, key=benefit)
