"""Changes to the life of a disk: spare space, trim, the size of writes."""

import math
from typing import Final

from rewear.advice.columns import life_text, terabytes
from rewear.advice.enough import MOST_YEARS
from rewear.disk.log import DiskLog
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_bytes, format_number, format_share
from rewear.twin.closed_forms import cyclic

LEFT_FREE: Final = 0.1
"""Part of the drive that is left free."""
NO_MOVES: Final = 1.05
"""Write amplification up to which cleaning moves next to nothing, so that spare space gains nothing."""
_CLIENT: Final = 1.07
"""Flash over capacity of a client drive."""
_PAGE_BYTES: Final = 4096


def spare_factor(amplification: float) -> float:
    """Flash over data at which random writes have this write amplification above 1: the inverse of `cyclic`."""
    valid = 1 - 1 / amplification
    return -math.log(valid) / (1 - valid)


def more_spare(amplification: float | None, years: Interval | None, part_in_use: float | None = None) -> str:
    """The effect of a tenth of the drive left free."""
    if amplification is not None and amplification <= NO_MOVES:
        return f"Nothing to gain: with a write amplification of {format_number(amplification)} cleaning moves nothing."
    if part_in_use is not None and part_in_use <= 1 - LEFT_FREE:
        return f"It has it: {format_share(1 - part_in_use)} of the drive is free and trimmed. Leave it so."
    if amplification is None:
        before, after = (cyclic(factor) for factor in (_CLIENT, _CLIENT / (1 - LEFT_FREE)))
        return (
            f"A tenth of the drive left free, and trimmed, cuts the write amplification of random writes over a full "
            f"client drive from {format_number(before, 2)} to {format_number(after, 2)}; writes in order gain nothing."
        )
    if amplification > (most := cyclic(_CLIENT)):
        return (
            f"Cannot say: {format_number(amplification)} is more than random writes over a full client drive have "
            f"({format_number(most, 2)}), so it comes from small writes or from the drive's own work."
        )
    after = cyclic(spare_factor(amplification) / (1 - LEFT_FREE))
    longer = ""
    if years is not None and 0 < years.mean <= MOST_YEARS:
        longer = f", and lengthens {life_text(years.mean)} to {life_text(years.mean * amplification / after)}"
    return (
        "A tenth of the drive left free, and trimmed, cuts the write amplification from "
        f"{format_number(amplification)} to {format_number(after)}{longer}, if writes are as random as this "
        "amplification has them (Desnoyers 2014)."
    )


def trim(log: DiskLog) -> str:
    """Whether what is deleted becomes spare space."""
    part, size = log.part_in_use, log.namespace_bytes or 0
    if part is not None and part < 1:
        most = format_number(max(1.0, cyclic(_CLIENT / part)))
        return (
            f"It arrives: the drive counts {terabytes(part * size)} of {terabytes(size)} as in use, and the rest is "
            f"spare space. Random writes have an amplification of {most} at most then, on a client drive (Desnoyers "
            "2014)."
        )
    if part is not None:
        return (
            f"The drive counts all of its {terabytes(size)} as in use, as if nothing had been trimmed. Mount with "
            "discard, or run fstrim weekly, and look again; some drives always say so."
        )
    if log.takes_trim is False:
        return "The drive takes none. Leave a part of it without a partition instead, after a secure erase."
    takes = "The drive takes it; whether it arrives the log does not tell. " if log.takes_trim else ""
    return f"{takes}Mount with discard, or run fstrim weekly: what is deleted and not trimmed is moved as if in use."


def record_size(mean_bytes: float | None) -> str:
    """Whether writes fill the pages of the map."""
    if mean_bytes is None:
        return "Write whole pages of 4 KiB, aligned: a smaller write costs a page. The log does not tell sizes."
    mean = f"The mean write has {format_bytes(mean_bytes)}, bytes over commands"
    if mean_bytes >= _PAGE_BYTES:
        return f"{mean}: whole pages of 4 KiB, if they are aligned, so larger writes save no pages."
    times = format_number(_PAGE_BYTES / mean_bytes, 2)
    return f"{mean}: each costs a page of 4 KiB, up to {times} times its bytes. Write whole pages."
