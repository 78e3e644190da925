"""Write amplification of uniform random page writes, in closed form.

`spare_factor` is physical over used logical capacity, above 1. Sources: P. Desnoyers, "Analytic models of SSD write
performance", ACM Transactions on Storage 10(2), 2014; L. Xiang and B. Kurkoski, "An improved analytical expression for
write amplification in NAND flash", ICNC 2012, which is the limit of large erase units.
"""

import math


def cyclic(spare_factor: float) -> float:
    """Write amplification if the unit written longest ago is cleaned.

    Between two erases of a unit the whole flash is written once. Of that a share of 1 - v are host writes, v being
    valid when the unit is cleaned, so a page survives with a probability of v = exp(-spare_factor (1 - v)).

    Raises:
        ValueError: `spare_factor` is not above 1.
    """
    return 1.0 / (1.0 - _valid_share(spare_factor))


def two_zones(pages_share: float, writes_share: float, spare_factor: float) -> float:
    """The least write amplification of two zones, each written uniformly, that share the spare flash.

    Each zone has erase units of its own, and that part of the spare flash with which both together write least. This
    is the optimum of one who knows how often pages are written, and not when.

    Args:
        pages_share: Part of the pages in the first zone, above 0 and below 1.
        writes_share: Part of the writes to it.
        spare_factor: Physical over used logical capacity of both together.

    Raises:
        ValueError: `spare_factor` is not above 1.
    """
    from scipy.optimize import minimize_scalar

    spare = spare_factor - 1.0

    def of_both(part: float) -> float:
        first, second = 1.0 + spare * part / pages_share, 1.0 + spare * (1.0 - part) / (1.0 - pages_share)
        return writes_share * cyclic(first) + (1.0 - writes_share) * cyclic(second)

    if spare <= 0.0:
        raise ValueError(f"a spare factor of {spare_factor}: there is no spare flash")
    found = minimize_scalar(of_both, bounds=(1e-6, 1.0 - 1e-6), method="bounded", options={"xatol": 1e-9})
    return float(found.fun)


def _valid_share(spare_factor: float) -> float:
    """The root below 1 of v = exp(-spare_factor (1 - v))."""
    # Only here: few commands need it, and it takes long to load.
    from scipy.optimize import brentq

    if not spare_factor > 1.0 or not math.isfinite(spare_factor):
        raise ValueError(f"a spare factor of {spare_factor}: there is no spare flash")
    # Next to 1 the two roots meet; there 1 - v is twice the spare share.
    if spare_factor < 1.0 + 1e-6:
        return 1.0 - 2.0 * (spare_factor - 1.0)
    # v < 1 / spare_factor: where the right side grows less than the left.
    return float(brentq(lambda v: math.exp(-spare_factor * (1.0 - v)) - v, 0.0, 1.0 / spare_factor, xtol=1e-15))
