"""What recycling by content could save, in words and single figures; drawn by `analysis_content`."""

from rewear.analysis import Analysis
from rewear.facts import Facts
from rewear.units import format_bytes, format_count, format_share

_MEASURES = (("by_page_reads", "reads of the page"), ("by_value_accesses", "accesses of the content"))


def content_finding(analysis: Analysis) -> str:
    """What recycling would remove, where the content is known."""
    content = analysis["content"]
    recycling = content["recycling"]
    if recycling is None or recycling["removed_share"] is None:
        return ""
    removed = format_share(recycling["removed_share"])
    duplicates = _share(recycling["writes_of_valid_content"], content["whole"]["page_writes"])
    return (
        f"A store of all invalid pages' contents would answer {removed} of the page writes without programming; "
        f"{duplicates} repeat what a valid page holds."
    )


def content_facts(analysis: Analysis) -> Facts:
    """Every single figure."""
    content = analysis["content"]
    whole, second, recycling = content["whole"], content["second_half"], content["recycling"]
    facts = [
        ("pages that became invalid", _pages(whole["invalidated"])),
        (
            "page writes less distinct pages, as a share (the paper's overwrites)",
            "-" if content["overwrite_share"] is None else format_share(content["overwrite_share"]),
        ),
    ]
    if recycling is None:
        return [*facts, ("content", "unknown")]
    forgotten = recycling["forgotten"]
    return [
        *facts,
        ("page writes with known content", _share(recycling["writes_with_content"], whole["page_writes"])),
        ("distinct contents", format_count(recycling["distinct_values"])),
        ("page writes that an invalid page answers", _of(whole["recycled"], whole["page_writes"])),
        ("the same in the second half of the page writes", _of(second["recycled"], second["page_writes"])),
        ("recycled pages / invalid pages", _share(whole["recycled"], whole["invalidated"])),
        ("recycled in the second half / invalid pages", _share(second["recycled"], whole["invalidated"])),
        ("page writes that repeat what the page holds", _of(recycling["writes_of_same_content"], whole["page_writes"])),
        ("page writes of what a valid page holds", _of(recycling["writes_of_valid_content"], whole["page_writes"])),
        *(
            (f"of the recycled pages, those of popularity 8 and more by {label}", _share(*_popular(recycling[key])))
            for key, label in _MEASURES
        ),
        ("recycled pages of version 12 to 15", _share(sum(recycling["recycled_by_version"][12:]), whole["recycled"])),
        (f"invalid pages beyond a drive of {format_bytes(content['drive_pages'] * 4096)}", format_count(forgotten)),
    ]


def _popular(classes: list[dict[str, int]]) -> tuple[int, int]:
    """Recycled pages of popularity 8 and more, and all recycled ones."""
    return sum(each["recycled"] for each in classes[8:]), sum(each["recycled"] for each in classes)


def _pages(count: int) -> str:
    return f"{format_count(count)} ({format_bytes(count * 4096)})"


def _of(part: int, whole: int) -> str:
    return f"{format_count(part)} ({_share(part, whole)})"


def _share(part: int, whole: int) -> str:
    return format_share(part / whole) if whole else "-"
