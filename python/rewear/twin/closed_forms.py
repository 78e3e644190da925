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
