"""WOM-v: the codes, the analytical erase factor, and sizes."""

from fractions import Fraction
from typing import Any

from rewear import _codes
from rewear.codes import WomV, erase_factor
from rewear.drive import Drive

__all__ = ["binary_search", "erases_in_theory", "generations", "level_sharing", "sizes", "writes"]


def generations() -> dict[str, Any]:
    """Figure 2: generations of the three codes, and that neighbouring ones share a level."""
    codes = {"(3,4)": WomV(3, 4), "(2,4)": WomV(2, 4), "(1,4)": WomV(1, 4)}
    return {
        "generations": {name: code.generations for name, code in codes.items()},
        "levels_used": {name: level_sharing(code)[0] for name, code in codes.items()},
        "levels_shared": {name: level_sharing(code)[1] for name, code in codes.items()},
    }


def level_sharing(code: WomV) -> tuple[int, int]:
    """Levels of all generations together, and levels that two generations share, from the rule of the table.

    Each generation holds all 2^k data words; neighbours share one level.
    """
    words = 1 << code.k
    used = {generation * (words - 1) + word for generation in range(code.generations) for word in range(words)}
    return len(used), code.generations * words - len(used)


def binary_search() -> dict[str, Any]:
    """Most generations of any binary WOM code of two bits in four cells, by exhaustive search."""
    return {"generations": int(_codes.max_generations(4, 4))}


def sizes() -> dict[str, Any]:
    """Flash pages and bytes of a logical page under each code, from the drives themselves."""
    units, pages, exported = {}, {}, {}
    plain = Drive("womv-qlc").exported_bytes
    for name, bits in (("(3,4)", 3), ("(2,4)", 2), ("(1,4)", 1)):
        drive = Drive("womv-qlc", set={"reuse.scheme": "wom-v", "reuse.data_bits": bits})
        rate = Fraction(bits, 4)
        logical = drive.logical_page_bytes
        pages[name] = float(logical / rate / 4096 / (logical // 4096))
        units[name] = float(rate)
        exported[name] = drive.exported_bytes / plain
    return {"flash_pages_per_4_kib": pages, "rate": units, "export_over_plain": exported}


def writes(samples: int) -> dict[str, Any]:
    """Writes of random data that a page takes under each check, exactly."""
    found: dict[str, dict[str, float]] = {"pre": {}, "post": {}, "no-read": {}}
    for name, bits in (("(3,4)", 3), ("(2,4)", 2), ("(1,4)", 1)):
        code = WomV(bits, 4)
        for check in ("pre", "post", "no-read"):
            found[check][name] = code.write_counts(8192, ecc_check=check).mean  # type: ignore[arg-type]
    return {**found, "samples": samples}


def erases_in_theory(fullness: list[float]) -> dict[str, Any]:
    """Erases relative to the plain drive by the analytical model, over the fullness of the plain drive."""
    found: dict[str, dict[str, float]] = {}
    for name, bits in (("(2,4)", 2), ("(1,4)", 1)):
        count = WomV(bits, 4).write_counts(8192, ecc_check="post").mean
        rate = bits / 4
        found[name] = {
            f"{100 * share:g}%": erase_factor(share, rate, count) / erase_factor(share) - 1
            for share in fullness
            if share < 0.95 * rate
        }
    return found
