"""Worth of a code that writes again, in theory: erases under uniformly random writes.

The setting is that of Yaakobi, Yucovich, Maor and Yadgar, "When do WOM codes improve the erasure factor in flash
memories?", ISIT 2015. Pages are rewritten uniformly at random, cleaning takes the block with the fewest valid pages,
and a code stores a share `rate` of what the cells would hold, `writes` times between two erases. With data filling a
share `a` of the slots that there are, a victim's share of valid pages `v` solves `a = (v - 1) / ln v`, and each pass
over a block takes `1 - v` new pages. The equations here are derived from that; they are not copied from the paper, and
give a different bound on the fullness (0.575, where its abstract has 0.6442 for two writes of rate 0.77).
"""

from math import inf, log

from rewear.core.errors import ConfigurationError


def victim_valid_share(fullness: float) -> float:
    """Share of valid pages of the victims of greedy cleaning, when data fills a share `fullness` of all slots.

    Examples:
        >>> round(victim_valid_share(0.5), 3)
        0.203

    Raises:
        ConfigurationError: `fullness` is not between 0 and 1.
    """
    if not 0 < fullness < 1:
        raise ConfigurationError(f"fullness = {fullness:g} is no share. Choose a number above 0 and below 1.")
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (middle - 1) / log(middle) < fullness else (low, middle)
    return low


def erase_factor(fullness: float, rate: float = 1.0, writes: float = 1.0) -> float:
    """Block erases for each block of cells' worth of data that the host writes.

    `fullness` is the share of the plain drive's capacity that the data takes, `rate` what the code leaves of it,
    `writes` how often a page is written between two erases. Infinite where the data does not fit.

    Examples:
        >>> round(erase_factor(0.4, 0.5, 7) / erase_factor(0.4), 3)
        0.687

    Raises:
        ConfigurationError: A share is not between 0 and 1, or there is less than one write.
    """
    if not 0 < rate <= 1 or writes < 1:
        raise ConfigurationError(
            f"rate = {rate:g}, writes = {writes:g}: choose a rate from 0 to 1, at least one write."
        )
    if fullness >= rate:
        return inf
    return 1 / (writes * rate * (1 - victim_valid_share(fullness / rate)))
