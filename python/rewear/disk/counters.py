"""Counters behind the attributes of SATA drives. Their names, as smartctl writes them, tell the unit.

Source: names and comments of smartmontools' drive database, drivedb/drivedb.h of 19 August 2026. smartctl has applied
that database to the log, so the numbers of attributes, which differ from vendor to vendor, are not looked at.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

SECTOR_BYTES: Final = 512
HOST: Final = {
    "Host_Writes_32MiB": 2**25, "Host_Writes_GiB": 2**30, "Lifetime_Writes_GiB": 2**30, "Total_Writes_GiB": 2**30,
    "Host_Writes_MiB": 2**20, "Total_Writes_GB": 10**9, "Lifetime_Wts_Frm_Hst_GB": 10**9,
    "Total_LBAs_Written": SECTOR_BYTES, "Total_Host_LBA_Written": SECTOR_BYTES, "Sectors_Written_to_SSD": SECTOR_BYTES,
    "Device_Sectors_Written": SECTOR_BYTES,
}  # fmt: skip
"""Bytes of a count of what the host wrote. Names with a unit stand first, and are taken first."""
NAND: Final = {
    "NAND_Writes_32MiB": 2**25, "NAND_Writes_1GiB": 2**30, "NAND_Writes_GiB": 2**30, "Flash_Writes_GiB": 2**30,
    "Flash_Writes_32MiB": 2**25, "TLC_Writes_32MiB": 2**25, "Total_NAND_Writes_GiB": 2**30,
    "Total_NAND_Prog_Ct_GiB": 2**30, "Lifetime_NAND_Prg_GiB": 2**30, "Lifetime_Wts_To_Flsh_GB": 10**9,
    "NAND_GiB_Written": 2**30, "NAND_GB_Written_TLC": 10**9, "TLC_NAND_GB_Writes": 10**9, "Lifetime_Nand_Gb": 10**9,
    "NAND_Writes": SECTOR_BYTES, "Sectors_Written_to_NAND": SECTOR_BYTES, "Nand_Sectors_Written": SECTOR_BYTES,
    "NAND_Write_Sector_Cnt": SECTOR_BYTES, "Flash_Writes_LBAs": SECTOR_BYTES, "Flash_Writes_Sectors": SECTOR_BYTES,
}  # fmt: skip
"""Bytes of a count of what was written to flash.

`NAND_Writes` (Samsung) has no unit in its name. It counts sectors: on an SM863 of 2,048 GiB of flash (linuxhw/SMART,
MZ7KM1T9HAJM) it is within 1.2% of that flash times `Wear_Leveling_Count`. `Total_NAND_Written`, `Total_Media_Writes`
and `Lifetime_Nand_Writes` are left out: the database does not know their unit.
"""
_PAGES = ("Host_Program_Page_Count", ("FTL_Program_Page_Count", "Bckgnd_Program_Page_Cnt"))
"""Pages programmed for the host, and for the translation layer (Crucial, Micron)."""
_REMAINING = (
    "SSD_Life_Left", "SSD_Life_Left_Perc", "Remaining_Lifetime_Perc", "Percent_Lifetime_Remain",
    "Percent_Life_Remaining", "Perc_Rated_Life_Remain", "Media_Wearout_Indicator", "Wear_Leveling_Count",
)  # fmt: skip
"""Attributes whose normalised value falls from 100 as the rated life is used up."""
_RAW_TOO = ("SSD_Life_Left", "SSD_Life_Left_Perc", "Remaining_Lifetime_Perc")
"""Of these the raw value is the percentage that is left, too; some drives keep only that one."""
_WORN_BY_WORDS = ("WD ", "SanDisk", "WDC WDS", "WDC  WDS")
"""Beginnings of families and models whose attribute 230 tells the wear in words of its raw value."""
_WORN = "Media_Wearout_Indicator"
_ERASES = (
    "Average_PE_Cycles_TLC", "Ave_Block-Erase_Count", "Avg_Block_Erase_Count", "Average_Erase_Count",
    "Avg_Erase_Count", "Average_Program_Erase", "Wear_Leveling_Count",
)  # fmt: skip
"""Attributes whose raw value is the mean number of erases of a block."""
_MOST_ERASES = 1_000_000
"""Above it a raw value is words of something else."""
_USED = ("Percent_Lifetime_Used", "Perc_Rated_Life_Used", "Percent_Life_Used", "Drive_Life_Used%", "DriveLife_Used%")
"""Attributes whose raw value is the percentage used."""

FALLING: Final = tuple(name for name in _REMAINING if name not in _RAW_TOO)
"""Attributes whose direction the log states nowhere else."""

Attributes = Mapping[str, Mapping[str, Any]]
"""The table of a log by name."""


def _raw(attributes: Attributes, name: str) -> int | None:
    """The raw value as smartctl prints it, by which text and JSON say the same; otherwise its 48 bits."""
    raw = attributes.get(name, {}).get("raw")
    if not isinstance(raw, Mapping):
        return None
    text, value = raw.get("string"), raw.get("value")
    printed = printed_count(text) if isinstance(text, str) else None
    return printed if printed is not None or not isinstance(value, int) else value


_PRINTED = re.compile(
    r"(?P<hex>0x[0-9a-fA-F]+)|(?P<words>\d+(?: \d+){2}(?: \d+ \d+ \d+)?)|(?P<count>\d+)(?P<more>\D.*)?"
)
_AVERAGE = re.compile(r" \(Average (\d+)\)")


def printed_count(text: str) -> int | None:
    """The count in a raw value: hexadecimal, in words or bytes, with an average or other values behind it."""
    found = _PRINTED.fullmatch(text.strip())
    if found is None or len(text) > 100:
        return None
    if found["hex"]:
        return int(found["hex"], 16)
    if found["words"]:
        parts = [int(each) for each in found["words"].split()]
        bits = 48 // len(parts)
        return sum(part << bits * place for place, part in enumerate(reversed(parts)))
    if (found["more"] or "").startswith("/"):
        return None
    average = _AVERAGE.match(found["more"] or "")
    return int(average[1] if average else found["count"])


def raw_counts(attributes: Attributes) -> dict[str, int]:
    """The raw value of each attribute by its name."""
    counts = {name: _raw(attributes, name) for name in attributes}
    return {name: count for name, count in counts.items() if count is not None}


def host_bytes(attributes: Attributes, known: bool) -> tuple[int, str] | None:
    """Bytes that the host wrote, and the attribute; of a drive unknown to smartctl only by names with a unit."""
    for name, unit in HOST.items():
        if (value := _raw(attributes, name)) is not None and (known or unit != SECTOR_BYTES):
            return value * unit, name
    return None


def nand_per_host(attributes: Attributes, host: int | None) -> tuple[float, str] | None:
    """Bytes written to flash since the drive was new, for the host's `host` bytes, and the attribute."""
    pages = _raw(attributes, _PAGES[0])
    for name in _PAGES[1]:
        if pages and host is not None and (more := _raw(attributes, name)) is not None:
            return host * (pages + more) / pages, f"{_PAGES[0]} and {name}"
    for name, unit in NAND.items():
        if (value := _raw(attributes, name)) is not None:
            return float(value * unit), name
    return None


def erases(attributes: Attributes) -> tuple[int, str] | None:
    """Erases of a block on average since the drive was new, and the attribute."""
    for name in _ERASES:
        if (count := _raw(attributes, name)) is not None and 0 < count <= _MOST_ERASES:
            return count, name
    return None


def is_worn_by_words(attributes: Attributes, family: str) -> bool:
    """Whether the wear stands in attribute 230 of a WD or SanDisk drive, whose direction depends on the firmware."""
    return attributes.get(_WORN, {}).get("id") == 230 and family.startswith(_WORN_BY_WORDS)


def worn_by_words(attributes: Attributes) -> float | None:
    """Percentage used by the raw words of WD's and SanDisk's attribute 230; `None` where they are of another form.

    The raw value has three words of 16 bits: by bytes written, by erases, and the worse of the two. Each has whole
    percent in its upper byte and hundredths in the lower. The normalised value counts up under one firmware, down
    under another, and stands still under a third.

    Source: F. Zabkar, smartmontools-support, 24 March 2021, where WD's own program shows 37.06% for 0x2506.
    """
    raw = _raw(attributes, _WORN)
    if raw is None or not 0 <= raw < 2**48:
        return None
    by_bytes, by_erases, worse = words = [raw >> 16 * place & 0xFFFF for place in range(3)]
    if worse != max(by_bytes, by_erases) or any(word & 0xFF > 99 for word in words):
        return None
    return (worse >> 8) + (worse & 0xFF) / 100


def used_percent(attributes: Attributes) -> tuple[int, str] | None:
    """Percentage of the rated life that is used, and the attribute."""
    for name in _USED:
        if (used := _raw(attributes, name)) is not None and used <= 255:
            return used, name
    for name in _REMAINING:
        value = attributes.get(name, {}).get("value")
        if not isinstance(value, int) or not 0 <= value <= 100:
            continue
        raw = _raw(attributes, name) or 0
        # Kingston's KC400 and Transcend's MTS400 keep 100 there for ever.
        if name in _RAW_TOO and value == 100 and 1 < raw < 100:
            return 100 - raw, name
        return 100 - value, name
    return None


def guessed_used(attributes: Attributes) -> tuple[int, str] | None:
    """What smartctl itself takes for the percentage used of a drive that it does not know."""
    for name, row in attributes.items():
        value = row.get("value")
        if isinstance(value, int) and name.startswith(_GUESSED):
            return max(0, 100 - value), name
    return None


def is_named(attributes: Attributes) -> bool:
    """Whether names are those of smartctl's database, and not only its general ones."""
    return any(name in attributes for name in _OWN_NAMES)


def canonical(name: str) -> str:
    """The spelling of smartctl's database of an attribute that a monitor writes in small letters."""
    return _BY_PLAIN.get(_plain(name), name)


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]+", "_", name.lower())


_GUESSED = ("SSD_Life_Left", "Wear_Leveling")
_GENERAL = ("Media_Wearout_Indicator", "Wear_Leveling_Count", "Total_LBAs_Written", "SSD_Life_Left")
_OWN_NAMES = frozenset((*HOST, *NAND, *_PAGES[1], _PAGES[0], *_REMAINING, *_USED, *_ERASES)) - frozenset(_GENERAL)
_BY_PLAIN = {_plain(name): name for name in (*_OWN_NAMES, *_GENERAL, "Power_On_Hours")}
