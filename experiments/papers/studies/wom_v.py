"""WOM-v: the codes, the analytical erase factor, and sizes."""

from typing import Any

from rewear.core.ask import ask
from rewear.core.drive import Drive


def generations() -> dict[str, Any]:
    """Figure 2: generations of the three codes, and that neighbouring ones share a level."""
    codes = {f"({bits},4)": (bits, int(ask("codes.wom-v", k=bits, n=4)["generations"])) for bits in (3, 2, 1)}
    return {
        "generations": {name: count for name, (_, count) in codes.items()},
        "levels_used": {name: level_sharing(*code)[0] for name, code in codes.items()},
        "levels_shared": {name: level_sharing(*code)[1] for name, code in codes.items()},
    }


def level_sharing(data_bits: int, generations: int) -> tuple[int, int]:
    """Levels of all generations together, and levels that two generations share, from the rule of the table.

    Each generation holds all 2^k data words; neighbours share one level.
    """
    words = 1 << data_bits
    used = {generation * (words - 1) + word for generation in range(generations) for word in range(words)}
    return len(used), generations * words - len(used)


def binary_search() -> dict[str, Any]:
    """Most generations of any binary WOM code of two bits in four cells, by exhaustive search."""
    return {"generations": int(ask("codes.max-generations", messages=4, cells=4)["max_generations"])}


def sizes() -> dict[str, Any]:
    """Flash that a logical page takes under each code, from the drives themselves."""
    found: dict[str, dict[str, float]] = {"flash_pages_per_4_kib": {}, "unit_bytes": {}}
    for name, bits in (("(3,4)", 3), ("(2,4)", 2), ("(1,4)", 1)):
        drive = Drive("wom-v-qlc", set={"reuse.scheme": "wom-v", "reuse.data_bits": bits})
        derived = {item["key"]: item["value"] for item in drive.derived}
        slot = int(derived["flash_pages_per_logical_page"])
        found["flash_pages_per_4_kib"][name] = slot * 4096 / drive.logical_page_bytes
        found["unit_bytes"][name] = slot * 4096
    return found


def threshold(share: float, cells: int) -> dict[str, Any]:
    """Effects of the share of invalid cells: writes that a page takes, and the cost of decoding erasures.

    A code with d - 1 redundant symbols mends e errors and s erasures if 2 e + s <= d - 1.
    """
    usual = ask("codes.wom-v-writes", k=2, n=4, cells=cells)["mean"]
    given = ask("codes.wom-v-writes", k=2, n=4, cells=cells, max_invalid_share=share)["mean"]
    redundancy = 2 * 51
    most_errors = max(e for e in range(redundancy + 1) if 2 * e <= redundancy)
    most_erasures = max(s for s in range(redundancy + 1) if s <= redundancy)
    return {
        "default_is_the_given_share": usual == given,
        "writes": given,
        "erasures_for_an_error": most_erasures / most_errors,
    }


def erases_in_theory(fullness: list[float]) -> dict[str, Any]:
    """Erases relative to the plain drive by the analytical model, over the fullness of the plain drive."""
    found: dict[str, dict[str, float]] = {}
    for name, bits in (("(2,4)", 2), ("(1,4)", 1)):
        rate = bits / 4
        writes = ask("codes.wom-v-writes", k=bits, n=4, cells=8192, ecc_check="post")["mean"]
        shares = [share for share in fullness if share < 0.95 * rate]
        factors = ask("codes.erase-factor", fullness=shares, rate=rate, writes=writes)
        found[name] = {f"{100 * share:g}%": factor - 1 for share, factor in zip(shares, factors, strict=True)}
    return found
